// Programs whose state is in Iceberg tables of the warehouse that they refresh: killed anywhere,
// and several at once.
#include "tests/e2e/crash/saved_scene.h"
#include "tests/e2e/ivmd.h"

using namespace ivm::test;

namespace {

const QByteArray kConfig = "server: {port: 0}\n"
                           "state: {plugin: iceberg}\n"
                           "detector: {poll_interval_seconds: 0.1}\n";

// Steps of a refresh, and of the commits that it makes: the state's are among them.
const QStringList kPoints{
    QStringLiteral("refresh.leased:1"),           QStringLiteral("refresh.intent_saved:2"),
    QStringLiteral("refresh.committed:1"),        QStringLiteral("refresh.bookmark_saved:1"),
    QStringLiteral("refresh.release:2"),          QStringLiteral("iceberg.metadata_written:1"),
    QStringLiteral("iceberg.metadata_written:2"), QStringLiteral("iceberg.metadata_written:4"),
    QStringLiteral("iceberg.swapped:1"),          QStringLiteral("iceberg.swapped:2"),
    QStringLiteral("iceberg.swapped:3"),          QStringLiteral("iceberg.swapped:4"),
    QStringLiteral("iceberg.swapped:5"),          QStringLiteral("iceberg.swapped:6"),
    QStringLiteral("iceberg.swapped:7")};

}  // namespace

class tst_StateProcesses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();

    void keepsNoFileOfItsOwn();
    void aKilledRefreshIsMadeGood_data() { points({}); }
    void aKilledRefreshIsMadeGood();
    void aLostAnswerIsSettledAtOnce_data() { points(QStringLiteral("iceberg.swapped")); }
    void aLostAnswerIsSettledAtOnce();
    void whatRacesIsDoneOnce();
    void aLeaseOfAnotherMachineIsRespected();
    void aKilledHostIsFollowedByAnother();
    void aHostThatLostItsPlaceWaits();

private:
    static void points(const QString &start)
    {
        QTest::addColumn<QString>("point");
        for (const auto &point : kPoints) {
            if (point.startsWith(start))
                QTest::newRow(qPrintable(point)) << point;
        }
    }

    SavedScene m_scene{kConfig};
    QStringList m_commits;  // of an undisturbed refresh from "changed"
};

void tst_StateProcesses::initTestCase()
{
    QCOMPARE(m_scene.makeSource(), QString());
    QCOMPARE(m_scene.recover(), QString());
    QCOMPARE(m_scene.changeSource(), QString());
    m_scene.save(QStringLiteral("changed"));
    QCOMPARE(m_scene.recover(), QString());
    m_commits = m_scene.commits();
}

void tst_StateProcesses::keepsNoFileOfItsOwn()
{
    QVERIFY(!QFile::exists(m_scene.program().path(QStringLiteral("state.db"))));
    QVERIFY(!QFile::exists(m_scene.program().path(QStringLiteral("ivm-data/state.db"))));
    QCOMPARE(
        m_scene.rows(QStringLiteral("SELECT \"view\", \"intent\" FROM "
                                    "_iceberg_ivm.view_state")),
        (QStringList{QStringLiteral("[\"hourly\",null]"), QStringLiteral("[\"per_kind\",null]")}));
}

void tst_StateProcesses::aKilledRefreshIsMadeGood()
{
    QFETCH(QString, point);
    m_scene.restore(QStringLiteral("changed"));
    QVERIFY(m_scene.refresh(point + QStringLiteral("=kill")).died);
    QCOMPARE(m_scene.recover(), QString());
    QCOMPARE(m_scene.commits(), m_commits);
}

void tst_StateProcesses::aLostAnswerIsSettledAtOnce()
{
    QFETCH(QString, point);
    m_scene.restore(QStringLiteral("changed"));
    const auto refreshed = m_scene.refresh(point + QStringLiteral("=error"));
    QVERIFY2(refreshed.code == 0, qPrintable(refreshed.err));
    QCOMPARE(m_scene.commits(), m_commits);
    QCOMPARE(m_scene.recover(), QString());
    QCOMPARE(m_scene.commits(), m_commits);
}

void tst_StateProcesses::whatRacesIsDoneOnce()
{
    m_scene.restore(QStringLiteral("changed"));
    const auto all =
        m_scene.program().runAtOnce({QStringLiteral("refresh"), QStringLiteral("--json")}, 4);
    for (const auto &ran : all) {
        for (const auto &view : ran.json().value(u"views").toArray()) {
            const QString code = view[u"error"][u"code"].toString();
            QVERIFY2(code.isEmpty() || code == u"lease_held", qPrintable(ran.out));
        }
    }
    QCOMPARE(m_scene.recover(), QString());
    QCOMPARE(m_scene.commits(), m_commits);
}

void tst_StateProcesses::aLeaseOfAnotherMachineIsRespected()
{
    m_scene.restore(QStringLiteral("changed"));
    const auto before = m_scene.commits();
    const auto held = m_scene.sql(QStringLiteral(
        "MERGE INTO _iceberg_ivm.view_leases AS t USING (VALUES (1)) AS s(a) ON false "
        "WHEN NOT MATCHED THEN INSERT VALUES ('4c', '\"iceberg\".\"main\".\"hourly\"', 'x', "
        "'ivmd on elsewhere', 'elsewhere', 1, 1, current_timestamp(6), current_timestamp(6) + "
        "INTERVAL '1' HOUR)"));
    QVERIFY2(held.code == 0, qPrintable(held.err));
    const auto refused = m_scene.refresh();
    QVERIFY(refused.code != 0);
    QVERIFY2(refused.out.contains(u"is being refreshed by ivmd on elsewhere since"),
             qPrintable(refused.out));
    QCOMPARE(m_scene.commits(), before);
    QCOMPARE(m_scene.sql(QStringLiteral("DELETE FROM _iceberg_ivm.view_leases")).code, 0);
    QCOMPARE(m_scene.recover(), QString());
}

void tst_StateProcesses::aKilledHostIsFollowedByAnother()
{
    m_scene.restore(QStringLiteral("changed"));
    {
        Ivmd host(m_scene.program().folder());
        QVERIFY2(host.start(), qPrintable(host.log()));
        QTRY_COMPARE(m_scene.difference(), QString());
        Ivmd second(m_scene.program().folder());
        QVERIFY(!second.start());
        QVERIFY2(second.log().contains(u"another host runs on this state") &&
                     second.log().contains(u"state.schema"),
                 qPrintable(second.log()));
        QCOMPARE(m_scene.changeSource(1), QString());
        host.killAtOnce();
    }
    QCOMPARE(m_scene.recover(), QString());
    Ivmd host(m_scene.program().folder());
    QVERIFY2(host.start(), qPrintable(host.log()));
    QCOMPARE(m_scene.changeSource(2), QString());
    QTRY_COMPARE(m_scene.difference(), QString());
    host.signal(SIGTERM);
    QCOMPARE(host.ended(), 0);
    QCOMPARE(m_scene.rows(QStringLiteral("SELECT count(*) FROM _iceberg_ivm.view_leases")),
             QStringList{QStringLiteral("[0]")});
}

// As one that slept longer than its lease.
void tst_StateProcesses::aHostThatLostItsPlaceWaits()
{
    m_scene.restore(QStringLiteral("changed"));
    Ivmd host(m_scene.program().folder());
    QVERIFY2(host.start(), qPrintable(host.log()));
    QTRY_COMPARE(m_scene.difference(), QString());
    const auto taken = m_scene.sql(
        QStringLiteral("UPDATE _iceberg_ivm.view_leases SET token = 'x', owner = 'ivmd on "
                       "elsewhere', machine = 'elsewhere', \"until\" = current_timestamp(6) + "
                       "INTERVAL '1' HOUR"));
    QVERIFY2(taken.code == 0, qPrintable(taken.err));
    QTRY_VERIFY(host.log().contains(u"keeping this host's place: another host runs on this state: "
                                    u"ivmd on elsewhere"));
    QCOMPARE(m_scene.changeSource(1), QString());
    QVERIFY(m_scene.difference() != QString());
    QCOMPARE(m_scene.sql(QStringLiteral("DELETE FROM _iceberg_ivm.view_leases")).code, 0);
    QTRY_COMPARE(m_scene.difference(), QString());
}

QTEST_GUILESS_MAIN(tst_StateProcesses)
#include "tst_state_processes.moc"
