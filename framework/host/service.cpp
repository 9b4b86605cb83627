#include "framework/host/service.h"

#include "framework/base/log.h"
#include "framework/host/host_client.h"

#include <algorithm>
#include <future>

namespace ivm {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// Renewed each third of it, which is a commit where the state is in Iceberg tables. For so long no
// other host can start after this one's machine is lost.
constexpr std::chrono::seconds kPlaceLifetime = 3min;

Scheduler::Limits limitsOf(const Config &config)
{
    return {.parallel = config.parallelRefreshes, .longestRetry = config.longestRetry};
}

}  // namespace

Service::Service(Host &host, Metrics &metrics)
    : m_host(host), m_metrics(metrics), m_scheduler(limitsOf(host.config()))
{
    m_nextLook.setSingleShot(true);
    m_nextStart.setSingleShot(true);
    connect(&m_nextLook, &QTimer::timeout, this, &Service::look);
    connect(&m_nextStart, &QTimer::timeout, this, &Service::startNext);
}

Service::~Service() = default;

Status Service::start()
{
    IVM_TRY(auto services, m_host.services());
    m_services.emplace(std::move(services));
    StateStore &store = m_services->store;
    IVM_CHECK(takePlace(m_services->owner));
    IVM_TRY(m_history, m_host.history());
    m_watch.emplace(m_history->watched(), m_host.config().reloadInterval);
    IVM_TRY(const auto bookmarks, store.bookmarks());
    for (const auto &bookmark : bookmarks)
        m_statuses[bookmark.view].bookmark = bookmark;
    // One for the looks, which must not wait for refreshes.
    m_workers = std::make_unique<WorkerPool>(m_host.config().parallelRefreshes + 1);
    // One for a verification, which may take long, and one for questions.
    m_aside = std::make_unique<WorkerPool>(2);
    m_nextLook.start(0);
    return {};
}

Result<std::unique_ptr<Lease>> Service::placeFor(const QString &owner) const
{
    const LeaseRequest request{.target = hostPlace(), .owner = owner, .lifetime = kPlaceLifetime};
    auto place = Lease::acquire(m_services->store, request, Call{});
    if (place || place.error().code != u"lease_held")
        return place;
    IVM_TRY(const QString holder, m_services->store.leaseHolder(request.target));
    const QString other = holder.isEmpty() ? QStringLiteral("it has just ended") : holder;
    return fail(conflictError(QStringLiteral("another host runs on this state: %1").arg(other))
                    .withCode(u"second_host")
                    .withHint(QStringLiteral("One ivmd at a time: end the other, or give this one "
                                             "a state of its own (state.path, or state.schema in "
                                             "Iceberg). %1")
                                  .arg(place.error().hint)));
}

Status Service::takePlace(const QString &owner)
{
    m_place.reset();
    m_owner = owner;
    IVM_TRY(m_place, placeFor(owner));
    return {};
}

// Aside: where the state is in Iceberg tables these are statements, and the engine may hang.
void Service::takePlaceAgain()
{
    if (std::exchange(m_isTakingPlace, true))
        return;
    m_workers->run([this, lost = std::shared_ptr<Lease>(std::move(m_place)),
                    owner = m_owner](const std::stop_token &) mutable {
        lost.reset();
        const auto place = std::make_shared<Result<std::unique_ptr<Lease>>>(placeFor(owner));
        post([this, place] {
            m_isTakingPlace = false;
            if (!*place)
                return failed(place->error(), u"keeping this host's place");
            m_place = std::move(**place);
            look();
        });
    });
}

Status Service::announce(const QUrl &address)
{
    return takePlace(ownerAt(m_services->owner, address));
}

void Service::setDefinitions(const Definitions &definitions)
{
    m_definitions = definitions;
    m_views.clear();
    for (const auto &view : m_definitions.views())
        m_views.insert(view.spec.name, view);
    indexViews();
    // What would be thrown away need not end.
    for (auto running = m_running.cbegin(); running != m_running.cend(); ++running) {
        if (isOutdated(running.key()))
            running->stop->request_stop();
    }
    QStringList names;
    for (const auto &definition : m_definitions.all())
        names.append(definition.spec.name);
    m_statuses.removeIf([&](const auto &entry) { return !names.contains(entry.key()); });
    m_metrics.setViews(names);
    for (const auto &definition : m_definitions.all())
        m_metrics.setRefused(definition.spec.name, definition.isRefused());
    QStringList added;
    std::ranges::copy_if(names, std::back_inserter(added),
                         [this](const auto &view) { return !m_known.contains(view); });
    m_known = QSet<QString>(names.begin(), names.end());
    readRecords(added);
    const auto asked = m_asked.uniqueKeys();
    for (const auto &view : asked) {
        if (!m_views.contains(view))
            tell(m_asked, errorOutcome(view, goneError(view)));
    }
    m_scheduler.setViews(m_definitions.views(), steady_clock::now());
    m_failedLooks = 0;
    m_nextLook.start(0);
}

void Service::indexViews()
{
    m_viewsOf.clear();
    for (const auto &view : std::as_const(m_views)) {
        m_viewsOf[view.spec.target].append(view.spec.name);
        for (const auto &source : view.shape.sources)
            m_viewsOf[source.table].append(view.spec.name);
    }
    m_heads.removeIf([&](const auto &entry) { return !m_viewsOf.contains(entry.key()); });
}

bool Service::stop(std::chrono::milliseconds grace)
{
    m_stopping = true;
    m_nextLook.stop();
    m_nextStart.stop();
    if (!m_workers)
        return true;
    m_workers->stop();
    m_aside->stop();
    const auto end = steady_clock::now() + grace;
    return m_workers->waitUntil(end) && m_aside->waitUntil(end) && givePlaceBack(end);
}

// In its time, as takePlaceAgain(). A place that is not given back runs out.
bool Service::givePlaceBack(Time end)
{
    std::promise<void> given;
    const auto isGiven = given.get_future();
    m_leaving = std::jthread([place = std::move(m_place), given = std::move(given)]() mutable {
        place.reset();
        given.set_value();
    });
    return isGiven.wait_until(end) == std::future_status::ready;
}

void Service::tellMetrics()
{
    const auto now = steady_clock::now();
    m_metrics.setQueue(m_scheduler.queued(now), m_scheduler.running());
    for (const auto &view : std::as_const(m_views)) {
        std::optional<std::chrono::duration<double>> target;
        if (view.spec.targetLag)
            target = *view.spec.targetLag;
        m_metrics.setLag(view.spec.name, lag(view.spec.name), target);
    }
}

const Service::ViewStatus &Service::status(const QString &view) const
{
    static const ViewStatus nothing;
    const auto known = m_statuses.constFind(view);
    return known == m_statuses.cend() ? nothing : *known;
}

Scheduler::Progress Service::progress(const QString &view) const
{
    return m_scheduler.progress(view, steady_clock::now());
}

Scheduler::Duration Service::lag(const QString &view) const
{
    const auto now = steady_clock::now();
    const auto due = m_scheduler.progress(view, now).dueSince;
    return due ? std::chrono::duration_cast<Scheduler::Duration>(now - *due) : 0ms;
}

Error Service::goneError(const QString &view)
{
    return notFoundError(QStringLiteral("view '%1' is no longer defined").arg(view));
}

}  // namespace ivm
