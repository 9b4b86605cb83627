#include "framework/refresh/lease.h"

#include "framework/base/log.h"

namespace ivm {

Result<std::unique_ptr<Lease>> Lease::acquire(StateStore &store, const LeaseRequest &request,
                                              const Call &outer)
{
    IVM_TRY(QString token, store.acquireLease(request));
    return std::unique_ptr<Lease>(new Lease(store, std::move(token), request.lifetime, outer));
}

Lease::Lease(StateStore &store, QString token, std::chrono::seconds lifetime, const Call &outer)
    : m_store(store), m_token(std::move(token)), m_lifetime(lifetime),
      m_call{.stop = m_stop.get_token(), .deadline = outer.deadline},
      m_passOn(outer.stop, [this] { m_stop.request_stop(); }),
      m_keeper([this](const std::stop_token &ended) { keepAlive(ended); })
{
}

Lease::~Lease()
{
    m_keeper.request_stop();
    m_keeper.join();
    // A lease that is not given back ends by itself when its lifetime has passed.
    if (const auto released = m_store.releaseLease(m_token); !released)
        qCWarning(logRefresh, "giving back a lease failed: %s",
                  qPrintable(released.error().text()));
}

void Lease::keepAlive(const std::stop_token &ended)
{
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (true) {
        wake.wait_for(lock, ended, m_lifetime / 3, [] { return false; });
        if (ended.stop_requested())
            return;
        const auto renewed = m_store.renewLease(m_token, m_lifetime);
        if (!renewed && renewed.error().kind == ErrorKind::Conflict) {
            m_stop.request_stop();
            return;
        }
    }
}

}  // namespace ivm
