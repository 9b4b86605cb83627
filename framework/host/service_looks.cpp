// What the service sees: looks at the tables and at the history of migrations, what follows from
// them, and what people ask.
#include "framework/base/log.h"
#include "framework/host/service.h"

#include <algorithm>

namespace ivm {

namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr auto kLongestLook = 5min;
constexpr auto kLongestQuestion = 1min;

}  // namespace

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
    if (!hasPlace())
        return takePlaceAgain();
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
        const QStringList views = takeHead(head.key(), *head);
        touched.unite(QSet<QString>(views.begin(), views.end()));
    }
    if (!touched.isEmpty())
        m_measured.forget();
    for (const auto &view : std::as_const(touched)) {
        if (m_finished.value(view) <= begun)
            judge(view);
    }
}

// Gives the views of a table that is not as it was: whoever saw it first, all of them are to be
// judged, since no later look will find it moved.
QStringList Service::takeHead(const TableName &table, const Result<TableHead> &head)
{
    const auto known = m_heads.constFind(table);
    if (known != m_heads.cend() && sameHead(*known, head))
        return {};
    const QStringList views = m_viewsOf.value(table);
    // A table that can be looked at again is what its views have waited for.
    if (known != m_heads.cend() && !*known && head)
        std::ranges::for_each(views, [this](const auto &view) { m_scheduler.retry(view); });
    m_heads.insert(table, head);
    return views;
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

void Service::runAside(const Question &ask, const OnAnswered &done)
{
    m_aside->run([this, ask, done](const std::stop_token &stop) {
        const Call call{stop, steady_clock::now() + kLongestQuestion};
        post([answered = ask(call), done] { done(answered); });
    });
}

}  // namespace ivm
