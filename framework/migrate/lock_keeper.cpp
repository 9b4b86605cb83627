#include "framework/migrate/lock_keeper.h"

#include "framework/base/log.h"

#include <utility>

namespace ivm::migrate {

namespace {

using namespace std::chrono_literals;

// For giving the lock back when the run itself was stopped.
constexpr auto kReleaseTime = 20s;

}  // namespace

Result<std::unique_ptr<LockKeeper>>
LockKeeper::acquire(HistoryStore &store, const LockRequest &request, const Call &outer)
{
    IVM_TRY(MigrationLock lock, store.acquire(request, outer));
    return std::unique_ptr<LockKeeper>(new LockKeeper(store, std::move(lock), request, outer));
}

LockKeeper::LockKeeper(HistoryStore &store, MigrationLock lock, const LockRequest &request,
                       const Call &outer)
    : m_store(store), m_lock(std::move(lock)), m_lifetime(request.lifetime),
      m_call{.stop = m_stop.get_token(), .deadline = outer.deadline},
      m_passOn(outer.stop, [this] { m_stop.request_stop(); }), m_doing(m_lock.doing),
      m_keeper([this](const std::stop_token &ended) { keepAlive(ended); })
{
}

LockKeeper::~LockKeeper()
{
    m_keeper.request_stop();
    m_keeper.join();
    if (m_isLost)
        return;
    const Call call = Call{.stop = {}, .deadline = {}}.within(kReleaseTime);
    // One that is not given back becomes stale.
    if (const auto released = m_store.release(m_lock, call); !released)
        qCWarning(logMigrate, "giving back the migration lock failed: %s",
                  qPrintable(released.error().text()));
}

void LockKeeper::doing(const QString &what)
{
    const std::scoped_lock lock(m_mutex);
    m_doing = what;
}

Status LockKeeper::confirm(const Call &call)
{
    QString doing;
    {
        const std::scoped_lock lock(m_mutex);
        doing = m_doing;
    }
    auto renewed = m_store.renew(m_lock, doing, call);
    if (!renewed && renewed.error().kind == ErrorKind::Conflict) {
        m_isLost = true;
        m_stop.request_stop();
    }
    return renewed;
}

void LockKeeper::keepAlive(const std::stop_token &ended)
{
    std::condition_variable_any wake;
    std::mutex mutex;
    std::unique_lock lock(mutex);
    while (!m_isLost) {
        wake.wait_for(lock, ended, m_lifetime / 4, [] { return false; });
        if (ended.stop_requested())
            return;
        // One that fails is tried again at the next beat.
        (void)confirm(Call{.stop = ended, .deadline = {}});
    }
}

}  // namespace ivm::migrate
