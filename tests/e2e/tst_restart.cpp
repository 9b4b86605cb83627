// The coordinator is killed while it works for a refresh, and comes back. By itself: nobody else's
// statements outlive that.
#include "tests/cases/ivmctl.h"
#include "tests/e2e/each_engine.h"
#include "tests/support/slow_query.h"

#include <QLoggingCategory>
#include <QProcess>

using namespace ivm;
using namespace ivm::test;

namespace {

const auto kView = QStringLiteral(
    "views:\n  - name: hourly\n    query: |\n      SELECT date_trunc('hour', ts) AS h, %1 AS n\n"
    "      FROM @.ev GROUP BY 1\n");
}  // namespace

class tst_Restart : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("ivm.*.info=false")); }
    void isDiffedAfterwards();

private:
    static bool restarts()
    {
        QProcess script;
        script.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        script.start(QStringLiteral(IVM_SOURCE_DIR "/tests/trino/restart"), {});
        return script.waitForFinished(240'000) && script.exitCode() == 0;
    }
};

void tst_Restart::isDiffedAfterwards()
{
    Scenario scenario(kEngine);
    scenario.run({QStringLiteral("CREATE TABLE @.ev (ts timestamp(6), x bigint)"),
                  QStringLiteral("INSERT INTO @.ev SELECT TIMESTAMP '2024-01-01 00:00:00', n FROM "
                                 "UNNEST(sequence(1, 2000)) AS s (n)")});
    const Ivmctl slow(scenario, kView.arg(slowMaximum(QStringLiteral("x"))));
    bool isBack = false;
    bool wasKilled = false;
    // Signal 0 is none: the refresh ends by itself.
    const auto ran =
        slow.interrupted({QStringLiteral("refresh"), QStringLiteral("--json")}, 0, [&] {
            if (!wasKilled && scenario.rows(QStringLiteral(
                                  "SELECT count(*) FROM system.runtime.queries WHERE query LIKE "
                                  "'MERGE INTO%@%' AND "
                                  "state = 'RUNNING'")) == QStringList(QStringLiteral("1"))) {
                wasKilled = true;
                isBack = restarts();
            }
            return wasKilled;
        });
    QVERIFY(wasKilled && isBack);
    QCOMPARE(ran.code, 1);
    const auto error = ran.json().value(u"views").toArray().at(0)[u"error"].toObject();
    QVERIFY2(!error.value(u"hint").toString().isEmpty(), qPrintable(ran.out));

    // Nobody can tell any more what the statement has done: all of the view is compared.
    const Ivmctl quick(scenario, kView.arg(QStringLiteral("count(*)")));
    QCOMPARE(quick.refresh(), QStringList(kDiff));
    QCOMPARE(scenario.rows(QStringLiteral("SELECT n FROM @.hourly")),
             QStringList(QStringLiteral("2000")));
    QCOMPARE(quick.refresh(), QStringList(kNone));
}

QTEST_GUILESS_MAIN(tst_Restart)
#include "tst_restart.moc"
