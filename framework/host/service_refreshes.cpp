// What the service does: refreshes and verifications, and what is known of a view after one.
#include "framework/base/log.h"
#include "framework/host/service.h"

#include <algorithm>

namespace ivm {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr size_t kRecordsShown = 20;

// When a refresh that ends now began.
QDateTime startOf(const RefreshOutcome &outcome, const QDateTime &now)
{
    return now.addMSecs(-qint64(outcome.seconds * 1000));
}

bool hasCommitted(Action action) { return action != Action::None && action != Action::Error; }

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

void Service::refresh(const QString &view, RefreshMode mode, const OnRefreshed &done)
{
    if (done)
        m_asked.insert(view, done);
    m_scheduler.ask(view, mode, steady_clock::now());
    startNext();
}

bool Service::cancel(const QString &view)
{
    const auto running = m_running.constFind(view);
    return running != m_running.cend() && running->stop->request_stop();
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

void Service::take(Done done)
{
    const QString view = done.outcome.view;
    ++m_events;
    const auto touched = takeHeads(done);
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
    for (const auto &other : touched) {
        if (other != view)
            judge(other);
    }
    Q_EMIT changed(view);
    tell(m_waiting, done.outcome);
    startNext();
}

// What the refresh has seen itself is newer than what a look saw meanwhile; what it was given is
// not.
QSet<QString> Service::takeHeads(const Done &done)
{
    QSet<QString> touched;
    for (auto head = done.heads.begin(); head != done.heads.end(); ++head) {
        const auto known = m_heads.constFind(head.key());
        const auto given = done.given.constFind(head.key());
        const bool isOlder = given != done.given.cend() && sameHead(*given, *head) &&
                             known != m_heads.cend() && !sameHead(*known, *given);
        if (isOlder)
            continue;
        m_seen.insert(head.key(), m_events);
        if (!m_viewsOf.contains(head.key()))
            continue;
        const QStringList views = takeHead(head.key(), *head);
        touched.unite(QSet<QString>(views.begin(), views.end()));
    }
    return touched;
}

// Whether a refresh runs by a definition that is none any more.
bool Service::isOutdated(const QString &view) const
{
    const auto running = m_running.constFind(view);
    const auto now = m_views.constFind(view);
    return running != m_running.cend() &&
           (now == m_views.cend() || now->spec.definitionHash() != running->definition);
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

// Aside: each is a statement of the engine where the state is in Iceberg tables.
void Service::readRecords(const QStringList &views)
{
    if (views.isEmpty())
        return;
    m_aside->run([this, views](const std::stop_token &stop) {
        for (const auto &view : views) {
            if (stop.stop_requested())
                return;
            post([this, view, records = m_services->store.records(view, kRecordsKept)] {
                take(view, records);
            });
        }
    });
}

void Service::take(const QString &view, const Result<QList<RefreshRecord>> &records)
{
    if (!records)
        qCWarning(logHost, "%s", qPrintable(records.error().text()));
    if (!records || !m_known.contains(view))
        return;
    ViewStatus &status = m_statuses[view];
    // Those of refreshes that have ended meanwhile are among them.
    for (const auto &record : records->mid(qsizetype(status.history.size()))) {
        if (status.history.size() >= kRecordsShown)
            break;
        status.history.push_back({record});
    }
    const auto success = std::ranges::find_if_not(
        *records, [](const RefreshRecord &record) { return record.action == u"error"; });
    if (success != records->end() && status.refreshes == status.errors)
        m_metrics.succeededBefore(view, success->started.addMSecs(qint64(success->seconds * 1000)));
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

}  // namespace ivm
