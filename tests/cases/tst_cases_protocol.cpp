// What others did to clusters: statements that nobody ends, texts that no planner takes, and gates
// that cannot be passed.
#include "tests/cases/case_test.h"
#include "tests/cases/ivmctl.h"
#include "tests/support/slow_query.h"

#include <QProcess>

using namespace ivm;
using namespace ivm::test;

namespace {

const QString kSlow = QStringLiteral("SELECT date_trunc('hour', ts) AS hr, ") +
                      slowMaximum(QStringLiteral("v")) +
                      QStringLiteral(" AS n FROM @.ev GROUP BY 1");

}  // namespace

class tst_CasesProtocol : public QObject, CaseTest {
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { end(); }

    void case_C058();
    void case_C058_signals_data();
    void case_C058_signals();
    void case_C059();
    void case_C061();

private:
    // Statements over this schema that have not ended, ours about them excepted.
    QStringList open()
    {
        return rows(QStringLiteral("SELECT state FROM system.runtime.queries WHERE query LIKE "
                                   "'%@%' AND query NOT LIKE '%system.runtime%' AND state NOT IN "
                                   "('FINISHED', 'FAILED') AND source = 'iceberg-ivm'"));
    }
    QString slowView(const QString &more) const
    {
        return QStringLiteral("views:\n  - name: slow\n    query: |\n      %1\n%2")
            .arg(kSlow, more);
    }
};

// PostHog/duckgres#1195, trinodb/trino#24446: clients that gave up left their statements running,
// which held all places of the cluster. What the host cancels is in tests/e2e/tst_ivmd_trino.
void tst_CasesProtocol::case_C058()
{
    begin();
    insert(10, QStringLiteral("a"), 2'000);
    const Ivmctl ivmctl(scenario(), slowView(QStringLiteral("    query_timeout_seconds: 4\n")));
    for (int i = 0; i < 2; ++i) {
        const auto ran = ivmctl.run({QStringLiteral("refresh"), QStringLiteral("--json")});
        QCOMPARE(ran.code, 1);
        const auto error = ran.json().value(u"views").toArray().at(0)[u"error"].toObject();
        QCOMPARE(error.value(u"code").toString(), QStringLiteral("timeout"));
        QVERIFY2(error.value(u"message").toString().contains(u"did not end within 4 s"),
                 qPrintable(ran.out));
        QTRY_COMPARE_WITH_TIMEOUT(open(), QStringList(), 20'000);
    }
}

void tst_CasesProtocol::case_C058_signals_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("Ctrl-C") << SIGINT;
    QTest::newRow("SIGTERM") << SIGTERM;
}

void tst_CasesProtocol::case_C058_signals()
{
    QFETCH(int, signal);
    begin();
    insert(10, QStringLiteral("a"), 2'000);
    const Ivmctl ivmctl(scenario(), slowView({}));
    const auto ran = ivmctl.interrupted({QStringLiteral("refresh")}, signal, [this] {
        return open().contains(QStringLiteral("RUNNING"));
    });
    QVERIFY(!ran.died);
    QVERIFY2(ran.code != 0 && ran.code != -1, qPrintable(ran.err));
    QTRY_COMPARE_WITH_TIMEOUT(open(), QStringList(), 20'000);
    // What a DELETE that comes too late leaves is for the next refresh, which settles it.
    run({QStringLiteral("DELETE FROM @.ev")});
    const Ivmctl quick(scenario(), QStringLiteral("views:\n  - name: slow\n    query: SELECT "
                                                  "date_trunc('hour', ts) AS hr, count(*) AS n "
                                                  "FROM @.ev GROUP BY 1\n"));
    QCOMPARE(quick.refresh().size(), 1);
    QCOMPARE(rows(QStringLiteral("SELECT count(*) FROM @.slow")), QStringList(QStringLiteral("0")));
}

// trinodb/trino#30709: very many conditions in one statement are more than planners or the limit of
// its text take. Keys never go into statements here, and at most 64 ranges do.
void tst_CasesProtocol::case_C059()
{
    begin();
    QCOMPARE(refreshed(), kRebuild);
    const QString hours = QStringLiteral(
        "INSERT INTO @.ev SELECT TIMESTAMP '2010-01-01 00:15:00 UTC' + n * INTERVAL '2' HOUR, "
        "rpad(CAST(n AS varchar), 200, 'x'), n FROM UNNEST(sequence(%1, %2)) AS s(n)");
    run({hours.arg(0).arg(9'999), hours.arg(10'000).arg(19'999)});
    const auto explained = scenario().explain(hourly());
    QVERIFY2(explained.statement.size() < 100'000,
             qPrintable(QString::number(explained.statement.size())));
    QCOMPARE(refreshed(), kIncremental);
    QCOMPARE(rows(QStringLiteral("SELECT count(*) FROM @.ev_hourly")),
             QStringList(QStringLiteral("20000")));
}

// trinodb/trino#4453, #23028: behind a gate the server named itself by the wrong scheme, host or
// path, and clients went there, or took their password there.
void tst_CasesProtocol::case_C061()
{
    begin();
    insert(10, QStringLiteral("a"));
    const QString tls = qEnvironmentVariable("IVM_TEST_TRINO_TLS");
    QProcess gate;
    gate.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    gate.start(QStringLiteral(IVM_SOURCE_DIR "/tests/trino/proxy.py"),
               {qEnvironmentVariable("IVM_TEST_TRINO_HTTPS"), tls + QStringLiteral("/server.pem"),
                tls + QStringLiteral("/ca.pem"), QStringLiteral("/trino")});
    QVERIFY(gate.waitForReadyRead());
    const QString port = QString::fromUtf8(gate.readLine().trimmed());

    Ivmctl ivmctl(scenario(), QStringLiteral("views:\n  - name: hourly\n    query: SELECT "
                                             "date_trunc('hour', ts) AS hr, count(*) AS n FROM "
                                             "@.ev GROUP BY 1\n"));
    QFile password(tls + QStringLiteral("/password"));
    QVERIFY(password.open(QIODevice::ReadOnly));
    ivmctl.set(QStringLiteral("TRINO_PASSWORD"), QString::fromUtf8(password.readAll()));
    ivmctl.set(QStringLiteral("TRINO_URL"),
               QStringLiteral("https://localhost:%1/trino/").arg(port));
    ivmctl.configure(QStringLiteral("executor: {plugin: trino, catalog: iceberg, schema: %1, "
                                    "ca_file: %2/ca.pem}\n")
                         .arg(scenario().schema(), tls));
    QCOMPARE(ivmctl.refresh(), QStringList(QStringLiteral("rebuild")));
    gate.closeWriteChannel();
    QVERIFY(gate.waitForFinished());
    const auto lines =
        QString::fromUtf8(gate.readAllStandardOutput()).split(u'\n', Qt::SkipEmptyParts);
    QVERIFY(lines.size() > 10);
    for (const auto &line : lines) {
        QVERIFY2(line.contains(u" /trino/v1/statement"), qPrintable(line));
        QVERIFY2(line.endsWith(u"with credentials") && !line.contains(u"without"),
                 qPrintable(line));
    }
}

QTEST_GUILESS_MAIN(tst_CasesProtocol)
#include "tst_cases_protocol.moc"
