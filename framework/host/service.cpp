#include "framework/host/service.h"

#include "framework/base/log.h"
#include "framework/host/host_client.h"

#include <algorithm>

namespace ivm {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr size_t kRecordsShown = 20;
constexpr auto kLongestLook = 5min;
constexpr auto kLongestQuestion = 1min;

Scheduler::Limits limitsOf(const Config &config)
{
    return {.parallel = config.parallelRefreshes, .longestRetry = config.longestRetry};
}

// When a refresh that ends now began.
QDateTime startOf(const RefreshOutcome &outcome, const QDateTime &now)
{
    return now.addMSecs(-qint64(outcome.seconds * 1000));
}

bool hasCommitted(Action action) { return action != Action::None && action != Action::Error; }

// A lease's error names who holds it: "… by ivmd on somewhere (process 12) since …".
QString ownerIn(const QString &message)
{
    const QString by = QStringLiteral(" by ");
    const auto at = message.indexOf(by);
    return at < 0 ? message : message.sliced(at + by.size());
}

Error goneError(const QString &view)
{
    return notFoundError(QStringLiteral("view '%1' is no longer defined").arg(view));
}

// Somebody else is at work on the view, or on what it reads, and will be done.
bool isWaiting(const Error &error)
{
    return error.code == u"lease_held" || error.code == kSourceBeingBuilt;
}

// One line a refresh; nothing about those that found nothing to do.
void log(const RefreshOutcome &outcome)
{
    const QString name = outcome.view;
    if (outcome.error)
        qCWarning(logHost, "%s", qPrintable(outcome.error->text()));
    else if (outcome.action != Action::None)
        qCInfo(logHost, "view %s: %s, %lld rows read, %lld written, %lld deleted, %.3f s: %s",
               qPrintable(name), qPrintable(actionName(outcome.action)),
               qlonglong(outcome.rowsRead), qlonglong(outcome.rowsWritten),
               qlonglong(outcome.rowsDeleted), outcome.seconds, qPrintable(outcome.reason));
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

template <typename What>
void Service::post(What &&what)
{
    QMetaObject::invokeMethod(this, std::forward<What>(what), Qt::QueuedConnection);
}

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

Status Service::takePlace(const QString &owner)
{
    m_place.reset();
    auto place = Lease::acquire(m_services->store, {.target = hostPlace(), .owner = owner}, Call{});
    if (!place && place.error().code == u"lease_held")
        return fail(conflictError(QStringLiteral("another host runs on this state: %1")
                                      .arg(ownerIn(place.error().message)))
                        .withCode(u"second_host")
                        .withHint(u"One ivmd at a time: end the other, or give this one a "
                                  u"state.path of its own"));
    if (!place)
        return fail(std::move(place).error());
    m_place = *std::move(place);
    return {};
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
    for (const auto &view : std::as_const(names)) {
        if (!m_known.contains(view))
            readRecords(view);
    }
    m_known = QSet<QString>(names.begin(), names.end());
    const auto asked = m_asked.uniqueKeys();
    for (const auto &view : asked) {
        if (!m_views.contains(view))
            tell(m_asked, errorOutcome(view, goneError(view)));
    }
    m_scheduler.setViews(m_definitions.views(), steady_clock::now());
    m_failedLooks = 0;
    m_nextLook.start(0);
}

// Whether a refresh runs by a definition that is none any more.
bool Service::isOutdated(const QString &view) const
{
    const auto running = m_running.constFind(view);
    const auto now = m_views.constFind(view);
    return running != m_running.cend() &&
           (now == m_views.cend() || now->spec.definitionHash() != running->definition);
}

bool Service::cancel(const QString &view)
{
    const auto running = m_running.constFind(view);
    return running != m_running.cend() && running->stop->request_stop();
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

void Service::readRecords(const QString &view)
{
    const auto records = m_services->store.records(view, kRecordsKept);
    if (!records) {
        qCWarning(logHost, "%s", qPrintable(records.error().text()));
        return;
    }
    auto &history = m_statuses[view].history;
    for (const auto &record : records->first(std::min(records->size(), qsizetype(kRecordsShown))))
        history.push_back({record});
    const auto success = std::ranges::find_if_not(
        *records, [](const RefreshRecord &record) { return record.action == u"error"; });
    if (success != records->end())
        m_metrics.succeededBefore(view, success->started.addMSecs(qint64(success->seconds * 1000)));
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
    const bool ended = m_workers->waitUntil(end) && m_aside->waitUntil(end);
    if (ended)
        m_place.reset();
    return ended;
}

std::chrono::milliseconds Service::lookInterval() const
{
    std::chrono::milliseconds interval = m_host.config().pollInterval;
    for (const auto &view : m_views)
        interval = std::min(interval, view.spec.refreshInterval);
    return interval;
}

void Service::look()
{
    if (m_stopping)
        return;
    const auto watched = m_watch->toLookAt(steady_clock::now());
    const bool isOld = m_watch->isOld({}, steady_clock::now());
    if (m_views.isEmpty() && watched.isEmpty() && !isOld) {
        m_hasLooked = true;
        m_trouble.reset();
        // Views of migrations may come.
        m_nextLook.start(m_host.config().reloadInterval);
        return;
    }
    m_workers->run([this, views = m_definitions.views(), known = m_heads, watched,
                    begun = m_events](const std::stop_token &stop) {
        const auto start = steady_clock::now();
        const Call call{stop, start + kLongestLook};
        auto heads = Refresher(*m_services).look(views, known, call, watched);
        const auto took =
            std::chrono::duration_cast<Scheduler::Duration>(steady_clock::now() - start);
        post([this, look = Look{begun, std::move(heads), took}] { take(look); });
    });
}

void Service::readHistory(const Heads &heads)
{
    if (std::exchange(m_isReadingHistory, true))
        return;
    m_watch->beginReading(heads);
    m_aside->run([this](const std::stop_token &stop) {
        const Call call{stop, steady_clock::now() + kLongestQuestion};
        post([this, history = m_history->history(call)] { take(history); });
    });
}

void Service::take(const Result<MigrationHistory> &history)
{
    m_isReadingHistory = false;
    if (m_stopping)
        return;
    if (!history)
        return failed(history.error(), u"reading the history of migrations");
    m_watch->endReading(steady_clock::now());
    Q_EMIT migrated(history->views);
    m_nextLook.start(0);
    startNext();
}

// Nothing can be known now: it is tried again.
void Service::failed(const Error &error, QStringView what)
{
    if (!m_trouble || m_trouble->text() != error.text())
        qCWarning(logHost, "%s: %s", qPrintable(what.toString()), qPrintable(error.text()));
    m_trouble = error;
    ++m_failedLooks;
    m_nextLook.start(std::max(backOff(), lookInterval()));
}

std::chrono::milliseconds Service::backOff() const
{
    return std::min(std::chrono::milliseconds(m_host.config().longestRetry),
                    1000ms * (1 << std::min(m_failedLooks, 20)));
}

void Service::take(Look look)
{
    if (m_stopping)
        return;
    m_metrics.looked(look.took, !look.heads);
    if (!look.heads) {
        failed(look.heads.error(), u"looking at the tables");
        return startNext();
    }
    if (m_watch->isOld(*look.heads, steady_clock::now()))
        return readHistory(*look.heads);
    if (m_trouble)
        qCInfo(logHost, "the tables can be looked at again");
    m_trouble.reset();
    m_failedLooks = 0;
    m_hasLooked = true;
    take(*std::move(look.heads), look.begun);
    // A look that took long is not made up for.
    m_nextLook.start(std::max(0ms, lookInterval() - look.took));
    startNext();
}

void Service::take(Heads heads, quint64 begun)
{
    QSet<QString> touched;
    for (auto head = heads.begin(); head != heads.end(); ++head) {
        if (m_seen.value(head.key()) > begun)
            continue;
        const auto known = m_heads.constFind(head.key());
        if (known != m_heads.cend() && sameHead(*known, *head))
            continue;
        const QStringList views = m_viewsOf.value(head.key());
        // A table that can be looked at again is what its views have waited for.
        if (known != m_heads.cend() && !*known && *head)
            std::ranges::for_each(views, [this](const auto &view) { m_scheduler.retry(view); });
        m_heads.insert(head.key(), *head);
        touched.unite(QSet<QString>(views.begin(), views.end()));
    }
    if (!touched.isEmpty())
        m_measured.forget();
    for (const auto &view : std::as_const(touched)) {
        if (m_finished.value(view) <= begun)
            judge(view);
    }
}

// Whether the view is out of date, by what was seen last.
void Service::judge(const QString &view)
{
    const auto known = m_views.constFind(view);
    if (known == m_views.cend())
        return;
    const auto &bookmark = status(view).bookmark;
    if (isCurrent(*known, bookmark, m_heads))
        return;
    // One that cannot be read at one state is diffed for as long as its source moves meanwhile.
    const bool isInexact = bookmark && !std::ranges::all_of(bookmark->sources, &SourceMark::exact);
    m_scheduler.setDue(view, steady_clock::now(), isInexact ? lookInterval() : 0ms);
}

Status Service::checkSourcesBuilt(const View &view) const
{
    QList<Bookmark> bookmarks;
    for (const auto &source : view.shape.sources) {
        const QStringList others = m_viewsOf.value(source.table);
        for (const auto &other : others) {
            const auto &bookmark = status(other).bookmark;
            if (bookmark && bookmark->target == source.table)
                bookmarks.append(*bookmark);
        }
    }
    return ivm::checkSourcesBuilt(view, bookmarks);
}

void Service::startNext()
{
    if (m_stopping || !m_hasLooked || m_isReadingHistory)
        return;
    verifyNext();
    const auto now = steady_clock::now();
    while (const auto start = m_scheduler.next(now))
        run(*start);
    if (const auto wake = m_scheduler.wakeAt(now))
        m_nextStart.start(std::chrono::ceil<std::chrono::milliseconds>(*wake - now));
}

// One at a time. A refresh of the same view would find its target taken, and the other way round.
void Service::verifyNext()
{
    const auto next = std::ranges::find_if(m_toVerify, [this](const Verification &asked) {
        return !m_scheduler.isRunning(asked.view);
    });
    if (m_isVerifying || next == m_toVerify.end())
        return;
    const auto [name, done] = std::move(*next);
    m_toVerify.erase(next);
    m_isVerifying = true;
    m_scheduler.hold(name);
    const auto view = m_views.constFind(name);
    if (view == m_views.cend())
        return post([this, name, done] { take(name, fail(goneError(name)), done); });
    m_aside->run([this, view = *view, done](const std::stop_token &stop) {
        post([this, name = view.spec.name, done,
              outcome = verifyView(*m_services, view, {}, Call{stop, {}})] {
            take(name, outcome, done);
        });
    });
}

void Service::take(const QString &view, const Result<VerifyOutcome> &outcome,
                   const OnVerified &done)
{
    m_isVerifying = false;
    m_scheduler.release(view);
    const auto status = m_statuses.find(view);
    if (outcome && status != m_statuses.end()) {
        const QDateTime now = m_services->clock.now();
        status->verified = {now, outcome->equal, outcome->missing, outcome->extra};
        m_metrics.verified(view, outcome->equal, now);
        if (!outcome->equal)
            qCWarning(logHost, "view '%s' differs from its query: %lld rows missing, %lld extra",
                      qPrintable(view), qlonglong(outcome->missing), qlonglong(outcome->extra));
    }
    Q_EMIT changed(view);
    done(outcome);
    startNext();
}

void Service::run(const Scheduler::Start &start)
{
    const View view = m_views.value(start.view);
    const auto asked = m_asked.values(start.view);
    m_asked.remove(start.view);
    for (const auto &done : asked)
        m_waiting.insert(start.view, done);
    Heads heads;
    // Who asks for a refresh may know of a change that no look has seen yet; nor has one seen the
    // tables of a view that is new.
    bool looksAgain = !asked.isEmpty();
    const auto add = [&](const TableName &table) {
        looksAgain = looksAgain || !m_heads.contains(table);
        heads.insert(table, m_heads.value(table, fail(notFoundError(table.text()))));
    };
    add(view.spec.target);
    for (const auto &source : view.shape.sources)
        add(source.table);
    if (auto built = checkSourcesBuilt(view); !built)
        return post([this, done = Done{errorOutcome(view.spec.name, built.error()), heads, heads,
                                       m_statuses.value(start.view).bookmark}] { take(done); });
    const auto stopper = std::make_shared<std::stop_source>();
    m_running.insert(start.view, {stopper, view.spec.definitionHash()});
    m_workers->run([this, view, stopper, mode = start.mode, given = heads, heads,
                    known = m_statuses.value(start.view).bookmark,
                    looksAgain](const std::stop_token &stop) mutable {
        const std::stop_callback whenAllStops(stop, [&] { stopper->request_stop(); });
        const Call call{stopper->get_token(), {}};
        Refresher refresher(*m_services);
        auto found = looksAgain ? refresher.look({view}, heads, call) : Result<Heads>(heads);
        if (found)
            heads = *std::move(found);
        RefreshOutcome outcome =
            found ? refresher.refreshOne(view, mode, known, heads, m_measured, call)
                  : errorOutcome(view.spec.name, found.error());
        auto bookmark = m_services->store.bookmark(view.spec.name);
        post([this, done = Done{std::move(outcome), std::move(given), std::move(heads),
                                std::move(bookmark)}] { take(done); });
    });
}

void Service::take(Done done)
{
    const QString view = done.outcome.view;
    ++m_events;
    takeHeads(done);
    m_finished.insert(view, m_events);
    const auto now = steady_clock::now();
    const auto &error = done.outcome.error;
    // A failure by another definition says nothing about this one.
    const bool isOld = isOutdated(view);
    m_running.remove(view);
    m_scheduler.finished(view,
                         {.committed = hasCommitted(done.outcome.action),
                          .failed = error && !isOld,
                          .transient = error && isWaiting(*error)},
                         now);
    if (m_views.contains(view)) {
        if (done.bookmark)
            m_statuses[view].bookmark = *done.bookmark;
        if (!error || !isOld)
            note(done.outcome);
        // Its sources may have moved on meanwhile.
        if (!error)
            judge(view);
    }
    Q_EMIT changed(view);
    tell(m_waiting, done.outcome);
    startNext();
}

// What the refresh has seen itself is newer than what a look saw meanwhile; what it was given is
// not.
void Service::takeHeads(const Done &done)
{
    for (auto head = done.heads.begin(); head != done.heads.end(); ++head) {
        const auto known = m_heads.constFind(head.key());
        const auto given = done.given.constFind(head.key());
        const bool isOlder = given != done.given.cend() && sameHead(*given, *head) &&
                             known != m_heads.cend() && !sameHead(*known, *given);
        if (isOlder)
            continue;
        m_seen.insert(head.key(), m_events);
        if (m_viewsOf.contains(head.key()))
            m_heads.insert(head.key(), *head);
    }
}

void Service::tell(QMultiHash<QString, OnRefreshed> &who, const RefreshOutcome &outcome)
{
    const auto waiting = who.values(outcome.view);
    who.remove(outcome.view);
    for (const auto &told : waiting)
        told(outcome);
}

void Service::note(const RefreshOutcome &outcome)
{
    const QDateTime now = m_services->clock.now();
    if (outcome.error && isWaiting(*outcome.error))
        return;
    log(outcome);
    m_metrics.refreshed(outcome, now);
    ViewStatus &status = m_statuses[outcome.view];
    ++status.refreshes;
    status.error = outcome.error;
    if (outcome.error)
        ++status.errors;
    const bool endsAnError =
        !status.history.empty() && status.history.front().record.action == u"error";
    if (outcome.action == Action::None && !endsAnError)
        return;
    status.history.push_front(
        {recordOf(outcome, startOf(outcome, now)), outcome.ranges, outcome.nullBucket});
    if (status.history.size() > kRecordsShown)
        status.history.pop_back();
}

void Service::runAside(const Question &ask, const OnAnswered &done)
{
    m_aside->run([this, ask, done](const std::stop_token &stop) {
        const Call call{stop, steady_clock::now() + kLongestQuestion};
        post([answered = ask(call), done] { done(answered); });
    });
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

void Service::refresh(const QString &view, RefreshMode mode, const OnRefreshed &done)
{
    if (done)
        m_asked.insert(view, done);
    m_scheduler.ask(view, mode, steady_clock::now());
    startNext();
}

void Service::verify(const QString &view, const OnVerified &done)
{
    // Who asks for one that waits already gets its outcome.
    const auto same = std::ranges::find(m_toVerify, view, &Verification::view);
    if (same != m_toVerify.end()) {
        same->done = [first = same->done, done](const Result<VerifyOutcome> &outcome) {
            first(outcome);
            done(outcome);
        };
        return;
    }
    m_toVerify.push_back({view, done});
    startNext();
}

}  // namespace ivm
