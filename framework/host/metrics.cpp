#include "framework/host/metrics.h"

#include <QSet>

#include <mutex>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

namespace ivm {

namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::Counter;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Labels;

// Seconds. From a quiet embedded refresh to a rebuild of a large view.
const Histogram::BucketBoundaries kSeconds{0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1,
                                           2.5,  5,     10,   30,  60,   300, 1800};

// The series of one family that belong to views.
template <typename Metric>
class ViewFamily {
public:
    explicit ViewFamily(prometheus::Family<Metric> &family) : m_family(family) {}

    template <typename... Arguments>
    Metric &of(const QString &view, Labels labels, Arguments &&...arguments)
    {
        labels["view"] = view.toStdString();
        Metric &metric = m_family.Add(labels, std::forward<Arguments>(arguments)...);
        m_series[view].insert(&metric);
        return metric;
    }

    void remove(const QString &view, Metric &metric)
    {
        m_series[view].remove(&metric);
        m_family.Remove(&metric);
    }

    void remove(const QString &view)
    {
        const auto series = m_series.take(view);
        for (Metric *metric : series)
            m_family.Remove(metric);
    }

    void keepOnly(const QSet<QString> &views)
    {
        const auto known = m_series.keys();
        for (const auto &view : known) {
            if (!views.contains(view))
                remove(view);
        }
    }

private:
    prometheus::Family<Metric> &m_family;
    QHash<QString, QSet<Metric *>> m_series;
};

std::string typeOf(Action action)
{
    switch (action) {
    case Action::None: return "skip";
    case Action::Incremental: return "incremental";
    case Action::Diff:
    case Action::Rebuild: return "full";
    case Action::Error: return {};
    }
    Q_UNREACHABLE();
}

double seconds(const QDateTime &time) { return double(time.toMSecsSinceEpoch()) / 1000; }

}  // namespace

struct Metrics::Families {
    prometheus::Registry registry;
    std::mutex mutex;
    QSet<QString> views;

    prometheus::Family<Counter> &counter(const char *name, const char *help)
    {
        return BuildCounter().Name(name).Help(help).Register(registry);
    }
    prometheus::Family<Gauge> &gauge(const char *name, const char *help)
    {
        return BuildGauge().Name(name).Help(help).Register(registry);
    }
    prometheus::Family<Histogram> &histogram(const char *name, const char *help)
    {
        return BuildHistogram().Name(name).Help(help).Register(registry);
    }

    ViewFamily<Counter> refreshes{counter(
        "mv_refresh_total", "Refreshes that ended well, by type: full, incremental or skip.")};
    ViewFamily<Histogram> durations{
        histogram("mv_refresh_duration_seconds", "How long refreshes took, failed ones included.")};
    ViewFamily<Gauge> lastSuccess{gauge("mv_refresh_last_success_timestamp",
                                        "When a refresh ended well last, in Unix seconds.")};
    ViewFamily<Counter> errors{counter("mv_refresh_errors_total", "Refreshes that failed.")};
    Counter &reloads{
        counter("mv_config_reload_total", "Times that changed files were taken over.").Add({})};
    Gauge &configured{gauge("mv_views_configured", "Views that are configured.").Add({})};

    Gauge &configurationGood{
        gauge("mv_config_good", "1 when the files on disk are those in force, else 0.").Add({})};
    Histogram &looks{
        histogram("mv_detection_duration_seconds", "How long the looks at all tables' heads took.")
            .Add({}, kSeconds)};
    Counter &failedLooks{
        counter("mv_detection_errors_total", "Looks at all tables' heads that failed.").Add({})};
    prometheus::Family<Gauge> &queue{
        gauge("mv_refresh_queue", "Refreshes by state: waiting or running.")};
    Gauge &waiting{queue.Add({{"state", "waiting"}})};
    Gauge &running{queue.Add({{"state", "running"}})};
    ViewFamily<Gauge> refused{gauge(
        "mv_view_refused", "1 when the view's definition cannot be kept up to date, else 0.")};
    ViewFamily<Gauge> lags{gauge("mv_view_lag_seconds",
                                 "For how long the view has been out of date; 0 when it is "
                                 "not.")};
    ViewFamily<Gauge> lagTargets{
        gauge("mv_view_target_lag_seconds", "The target_lag of the view's definition.")};
    ViewFamily<Counter> rows{
        counter("mv_refresh_rows_total", "Rows by kind: read, written or deleted.")};
    ViewFamily<Counter> bytes{counter("mv_refresh_bytes_read_total", "Bytes that were read.")};
    ViewFamily<Gauge> sourceSnapshots{gauge(
        "mv_view_source_snapshot_info", "1, with the snapshot of each source that the view's rows "
                                        "are right for.")};
    ViewFamily<Gauge> verifiedAt{
        gauge("mv_verify_last_timestamp", "When the view was verified last, in Unix seconds.")};
    ViewFamily<Gauge> verifiedEqual{
        gauge("mv_verify_last_equal", "1 when the view equalled its query then, else 0.")};
    ViewFamily<Gauge> tableRows{
        gauge("mv_target_rows", "Rows of the view's table, after the last commit.")};
    ViewFamily<Gauge> tableFiles{
        gauge("mv_target_files", "Data files of the view's table, after the last commit.")};
    ViewFamily<Counter> tableSnapshots{
        counter("mv_target_snapshots_total", "Snapshots that refreshes made of the view's table.")};

    struct SourceSnapshot {
        QString id;
        Gauge *series = nullptr;
    };
    QHash<QString, QHash<QString, SourceSnapshot>> snapshots;  // by view and source

    void setSnapshot(const QString &view, const QString &source, const QString &id)
    {
        SourceSnapshot &known = snapshots[view][source];
        if (known.series && known.id == id)
            return;
        if (known.series)
            sourceSnapshots.remove(view, *known.series);
        known.id = id;
        known.series = &sourceSnapshots.of(
            view, {{"source", source.toStdString()}, {"snapshot", id.toStdString()}});
        known.series->Set(1);
    }

    // Those that the view does not read any more end.
    void keepSources(const QString &view, const QMap<QString, QString> &sources)
    {
        snapshots[view].removeIf([&](const auto &entry) {
            const bool isGone = !sources.contains(entry.key());
            if (isGone && entry.value().series)
                sourceSnapshots.remove(view, *entry.value().series);
            return isGone;
        });
    }

    void keepViews()
    {
        snapshots.removeIf([&](const auto &entry) { return !views.contains(entry.key()); });
        const auto keep = [&](auto &...families) { (families.keepOnly(views), ...); };
        keep(refused, refreshes, durations, lastSuccess, errors, lags, lagTargets, rows, bytes,
             sourceSnapshots, verifiedAt, verifiedEqual, tableRows, tableFiles, tableSnapshots);
    }
};

Metrics::Metrics() : m_families(std::make_unique<Families>()) { setConfigurationGood(true); }

Metrics::~Metrics() = default;

void Metrics::setViews(const QStringList &names)
{
    auto &all = *m_families;
    const std::lock_guard lock(all.mutex);
    all.views = QSet<QString>(names.begin(), names.end());
    all.configured.Set(double(all.views.size()));
    all.keepViews();
}

void Metrics::reloaded() { m_families->reloads.Increment(); }

void Metrics::setConfigurationGood(bool good) { m_families->configurationGood.Set(good ? 1 : 0); }

void Metrics::looked(std::chrono::duration<double> took, bool failed)
{
    m_families->looks.Observe(took.count());
    if (failed)
        m_families->failedLooks.Increment();
}

void Metrics::setQueue(int waiting, int running)
{
    m_families->waiting.Set(waiting);
    m_families->running.Set(running);
}

void Metrics::setLag(const QString &view, std::chrono::duration<double> lag,
                     std::optional<std::chrono::duration<double>> target)
{
    auto &all = *m_families;
    const std::lock_guard lock(all.mutex);
    if (!all.views.contains(view))
        return;
    all.lags.of(view, {}).Set(lag.count());
    if (target)
        all.lagTargets.of(view, {}).Set(target->count());
    else
        all.lagTargets.remove(view);
}

void Metrics::setRefused(const QString &view, bool refused)
{
    auto &all = *m_families;
    const std::lock_guard lock(all.mutex);
    if (!all.views.contains(view))
        return;
    all.refused.of(view, {}).Set(refused ? 1 : 0);
    if (refused) {
        all.lags.remove(view);
        all.lagTargets.remove(view);
    }
}

void Metrics::refreshed(const RefreshOutcome &outcome, const QDateTime &now)
{
    auto &all = *m_families;
    const QString &view = outcome.view;
    const std::lock_guard lock(all.mutex);
    if (!all.views.contains(view))
        return;
    all.durations.of(view, {}, kSeconds).Observe(outcome.seconds);
    if (outcome.action == Action::Error)
        return all.errors.of(view, {}).Increment();
    all.refreshes.of(view, {{"type", typeOf(outcome.action)}}).Increment();
    all.lastSuccess.of(view, {}).Set(seconds(now));
    all.rows.of(view, {{"kind", "read"}}).Increment(double(outcome.rowsRead));
    all.rows.of(view, {{"kind", "written"}}).Increment(double(outcome.rowsWritten));
    all.rows.of(view, {{"kind", "deleted"}}).Increment(double(outcome.rowsDeleted));
    all.bytes.of(view, {}).Increment(double(outcome.bytesRead));
    if (!outcome.sourceSnapshots.isEmpty())
        all.keepSources(view, outcome.sourceSnapshots);
    for (auto id = outcome.sourceSnapshots.cbegin(); id != outcome.sourceSnapshots.cend(); ++id)
        all.setSnapshot(view, id.key(), id.value());
    if (outcome.targetSummary.isEmpty())
        return;
    const TableTotals totals = totalsOf(outcome.targetSummary);
    if (totals.rows)
        all.tableRows.of(view, {}).Set(double(*totals.rows));
    if (totals.files)
        all.tableFiles.of(view, {}).Set(double(*totals.files));
    all.tableSnapshots.of(view, {}).Increment();
}

void Metrics::succeededBefore(const QString &view, const QDateTime &when)
{
    auto &all = *m_families;
    const std::lock_guard lock(all.mutex);
    if (all.views.contains(view))
        all.lastSuccess.of(view, {}).Set(seconds(when));
}

void Metrics::verified(const QString &view, bool equal, const QDateTime &now)
{
    auto &all = *m_families;
    const std::lock_guard lock(all.mutex);
    if (!all.views.contains(view))
        return;
    all.verifiedAt.of(view, {}).Set(seconds(now));
    all.verifiedEqual.of(view, {}).Set(equal ? 1 : 0);
}

QByteArray Metrics::text() const
{
    // The registry is safe by itself, and this takes long where there are many views.
    const std::string text = prometheus::TextSerializer().Serialize(m_families->registry.Collect());
    return QByteArray::fromStdString(text);
}

}  // namespace ivm
