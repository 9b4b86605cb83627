#include "framework/host/metrics.h"

#include <QProcess>
#include <QStandardPaths>
#include <QTest>

using namespace ivm;
using namespace std::chrono_literals;

namespace {

const QDateTime kNow = QDateTime::fromMSecsSinceEpoch(1'700'000'000'500, Qt::UTC);

RefreshOutcome outcomeOf(const QString &view, Action action)
{
    RefreshOutcome outcome;
    outcome.view = view;
    outcome.action = action;
    outcome.seconds = 0.3;
    outcome.rowsRead = 7;
    outcome.rowsWritten = 3;
    outcome.rowsDeleted = 2;
    outcome.bytesRead = 100;
    outcome.targetSummary = {{QStringLiteral("total-records"), QStringLiteral("12")},
                             {QStringLiteral("total-data-files"), QStringLiteral("4")},
                             {QStringLiteral("total-position-deletes"), QStringLiteral("2")}};
    outcome.sourceSnapshots.insert(QStringLiteral("iceberg.main.t"), QStringLiteral("11"));
    return outcome;
}

// The value of a series; empty when there is none.
QString valueOf(const Metrics &metrics, const QString &series)
{
    const auto lines = QString::fromUtf8(metrics.text()).split(u'\n');
    for (const auto &line : lines) {
        if (line.startsWith(series + u' '))
            return line.sliced(series.size() + 1);
    }
    return {};
}

}  // namespace

class tst_Metrics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void countsRefreshesByType();
    void countsErrors();
    void tellsTheTablesSize();
    void tellsTheSourcesSnapshots();
    void endsTheSeriesOfRemovedViews();
    void escapesLabels();
    void tellsLagAndQueue();
    void isWhatPrometheusReads();
};

void tst_Metrics::countsRefreshesByType()
{
    Metrics metrics;
    const QString view = QStringLiteral("v");
    metrics.setViews({view});
    for (const auto action :
         {Action::None, Action::None, Action::Incremental, Action::Diff, Action::Rebuild})
        metrics.refreshed(outcomeOf(view, action), kNow);
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_refresh_total{type=\"skip\",view=\"v\"}")), u"2");
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_refresh_total{type=\"incremental\",view=\"v\"}")),
             u"1");
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_refresh_total{type=\"full\",view=\"v\"}")), u"2");
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_refresh_duration_seconds_count{view=\"v\"}")),
             u"5");
    QCOMPARE(valueOf(metrics,
                     QStringLiteral("mv_refresh_duration_seconds_bucket{view=\"v\",le=\"0.25\"}")),
             u"0");
    QCOMPARE(valueOf(metrics,
                     QStringLiteral("mv_refresh_duration_seconds_bucket{view=\"v\",le=\"0.5\"}")),
             u"5");
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_refresh_last_success_timestamp{view=\"v\"}")),
             u"1700000000.5");
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_refresh_rows_total{kind=\"read\",view=\"v\"}")),
             u"35");
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_refresh_bytes_read_total{view=\"v\"}")), u"500");
}

void tst_Metrics::tellsTheTablesSize()
{
    Metrics metrics;
    metrics.setViews({QStringLiteral("v")});
    metrics.refreshed(outcomeOf(QStringLiteral("v"), Action::Incremental), kNow);
    metrics.refreshed(outcomeOf(QStringLiteral("v"), Action::Incremental), kNow);
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_target_rows{view=\"v\"}")), u"10");
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_target_files{view=\"v\"}")), u"4");
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_target_snapshots_total{view=\"v\"}")), u"2");
}

void tst_Metrics::countsErrors()
{
    Metrics metrics;
    const QString view = QStringLiteral("v");
    metrics.setViews({view});
    metrics.refreshed(outcomeOf(view, Action::Error), kNow);
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_refresh_errors_total{view=\"v\"}")), u"1");
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_refresh_duration_seconds_count{view=\"v\"}")),
             u"1");
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_refresh_last_success_timestamp{view=\"v\"}")),
             QString());
}

void tst_Metrics::tellsTheSourcesSnapshots()
{
    Metrics metrics;
    const QString view = QStringLiteral("v");
    metrics.setViews({view});
    auto outcome = outcomeOf(view, Action::Incremental);
    metrics.refreshed(outcome, kNow);
    outcome.sourceSnapshots.insert(QStringLiteral("iceberg.main.t"), QStringLiteral("12"));
    metrics.refreshed(outcome, kNow);
    const auto series = [](const char *id) {
        return QStringLiteral("mv_view_source_snapshot_info{snapshot=\"%1\",source=\"iceberg.main."
                              "t\",view=\"v\"}")
            .arg(QString::fromLatin1(id));
    };
    QCOMPARE(valueOf(metrics, series("11")), QString());
    QCOMPARE(valueOf(metrics, series("12")), u"1");
}

void tst_Metrics::endsTheSeriesOfRemovedViews()
{
    Metrics metrics;
    metrics.setViews({QStringLiteral("gone"), QStringLiteral("here")});
    for (const auto &view : {QStringLiteral("gone"), QStringLiteral("here")}) {
        metrics.refreshed(outcomeOf(view, Action::Incremental), kNow);
        metrics.setLag(view, 3s, 5s);
        metrics.verified(view, true, kNow);
    }
    metrics.setViews({QStringLiteral("here")});
    QVERIFY(!metrics.text().contains("gone"));
    QVERIFY(metrics.text().contains("here"));
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_views_configured")), u"1");
    // What was under way when it went says nothing any more.
    metrics.refreshed(outcomeOf(QStringLiteral("gone"), Action::Incremental), kNow);
    QVERIFY(!metrics.text().contains("gone"));
    // One that comes back counts from nothing.
    metrics.setViews({QStringLiteral("gone"), QStringLiteral("here")});
    metrics.refreshed(outcomeOf(QStringLiteral("gone"), Action::None), kNow);
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_refresh_total{type=\"skip\",view=\"gone\"}")),
             u"1");
    QCOMPARE(
        valueOf(metrics, QStringLiteral("mv_refresh_total{type=\"incremental\",view=\"gone\"}")),
        QString());
}

void tst_Metrics::escapesLabels()
{
    Metrics metrics;
    metrics.setViews({QStringLiteral("v")});
    auto outcome = outcomeOf(QStringLiteral("v"), Action::Incremental);
    outcome.sourceSnapshots = {{QStringLiteral("a\"b\\c\nd"), QStringLiteral("1")}};
    metrics.refreshed(outcome, kNow);
    QVERIFY(metrics.text().contains("source=\"a\\\"b\\\\c\\nd\""));
}

void tst_Metrics::tellsLagAndQueue()
{
    Metrics metrics;
    metrics.setViews({QStringLiteral("v")});
    metrics.setLag(QStringLiteral("v"), 1500ms, 2s);
    metrics.setQueue(3, 1);
    metrics.looked(20ms, true);
    metrics.setConfigurationGood(false);
    metrics.reloaded();
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_view_lag_seconds{view=\"v\"}")), u"1.5");
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_view_target_lag_seconds{view=\"v\"}")), u"2");
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_refresh_queue{state=\"waiting\"}")), u"3");
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_detection_errors_total")), u"1");
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_config_good")), u"0");
    QCOMPARE(valueOf(metrics, QStringLiteral("mv_config_reload_total")), u"1");
}

void tst_Metrics::isWhatPrometheusReads()
{
    const QString promtool = QStandardPaths::findExecutable(QStringLiteral("promtool"));
    if (promtool.isEmpty())
        QSKIP("promtool is not installed (Debian package prometheus)");
    Metrics metrics;
    metrics.setViews({QStringLiteral("v")});
    metrics.refreshed(outcomeOf(QStringLiteral("v"), Action::Incremental), kNow);
    metrics.refreshed(outcomeOf(QStringLiteral("v"), Action::Error), kNow);
    metrics.setLag(QStringLiteral("v"), 1s, 2s);
    metrics.verified(QStringLiteral("v"), true, kNow);
    QProcess check;
    check.setProcessChannelMode(QProcess::MergedChannels);
    check.start(promtool, {QStringLiteral("check"), QStringLiteral("metrics")});
    check.write(metrics.text());
    check.closeWriteChannel();
    QVERIFY(check.waitForFinished());
    const QByteArray said = check.readAll();
    QVERIFY2(check.exitCode() == 0, said.constData());
    QCOMPARE(said, QByteArray());
}

QTEST_GUILESS_MAIN(tst_Metrics)
#include "tst_metrics.moc"
