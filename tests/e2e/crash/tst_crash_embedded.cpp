#include "tests/e2e/crash/saved_scene.h"

#include <QTest>

using namespace ivm::test;

namespace {

// What a refresh of a view whose table exists goes through, in order.
const QStringList kPoints{QStringLiteral("refresh.leased"),
                          QStringLiteral("refresh.settled"),
                          QStringLiteral("refresh.intent_saved"),
                          QStringLiteral("duckdb.files_staged"),
                          QStringLiteral("duckdb.files_written"),
                          QStringLiteral("iceberg.manifests_written"),
                          QStringLiteral("iceberg.manifest_list_written"),
                          QStringLiteral("iceberg.metadata_written"),
                          QStringLiteral("iceberg.swapped"),
                          QStringLiteral("refresh.committed"),
                          QStringLiteral("refresh.bookmark_saved"),
                          QStringLiteral("refresh.release")};

// And one that makes its table, before all that follows.
const QStringList kPointsOfMaking{QStringLiteral("iceberg.new_table_written"),
                                  QStringLiteral("refresh.target_made")};

QString nth(const QString &point, int times, const char *what)
{
    return QStringLiteral("%1:%2=%3").arg(point).arg(times).arg(QString::fromLatin1(what));
}

}  // namespace

// Each test leaves off a refresh at one point and goes on as if nothing had been: the views are
// exact, nothing was done twice, nobody had to help.
class tst_CrashEmbedded : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();

    void aKilledRefreshIsMadeGood_data();
    void aKilledRefreshIsMadeGood();
    void aKilledFirstRefreshIsMadeGood_data();
    void aKilledFirstRefreshIsMadeGood();
    void aKilledSettlingIsMadeGood_data();
    void aKilledSettlingIsMadeGood();
    void aFailedStepIsMadeGood_data();
    void aFailedStepIsMadeGood();
    void aLostAnswerIsSettledAtOnce_data();
    void aLostAnswerIsSettledAtOnce();

private:
    void addRows(const QStringList &points, int views)
    {
        QTest::addColumn<QString>("point");
        QTest::addColumn<int>("times");
        for (int times = 1; times <= views; ++times) {
            for (const auto &point : points)
                QTest::addRow("%s, view %d", qPrintable(point), times) << point << times;
        }
    }

    SavedScene m_scene;
    QStringList m_commits;       // of an undisturbed refresh from "changed"
    QStringList m_firstCommits;  // the same from "new"
};

void tst_CrashEmbedded::initTestCase()
{
    QCOMPARE(m_scene.makeSource(), QString());
    m_scene.save(QStringLiteral("new"));
    QCOMPARE(m_scene.recover(), QString());
    m_firstCommits = m_scene.commits();
    QCOMPARE(m_scene.changeSource(), QString());
    m_scene.save(QStringLiteral("changed"));
    QCOMPARE(m_scene.recover(), QString());
    m_commits = m_scene.commits();
    QVERIFY(m_commits != m_firstCommits);
}

void tst_CrashEmbedded::aKilledRefreshIsMadeGood_data() { addRows(kPoints, 2); }

void tst_CrashEmbedded::aKilledRefreshIsMadeGood()
{
    QFETCH(QString, point);
    QFETCH(int, times);
    m_scene.restore(QStringLiteral("changed"));
    QVERIFY(m_scene.refresh(nth(point, times, "kill")).died);
    QCOMPARE(m_scene.recover(), QString());
    QCOMPARE(m_scene.commits(), m_commits);
}

void tst_CrashEmbedded::aKilledFirstRefreshIsMadeGood_data()
{
    addRows(kPointsOfMaking + kPoints, 1);
}

void tst_CrashEmbedded::aKilledFirstRefreshIsMadeGood()
{
    QFETCH(QString, point);
    QFETCH(int, times);
    m_scene.restore(QStringLiteral("new"));
    QVERIFY(m_scene.refresh(nth(point, times, "kill")).died);
    QCOMPARE(m_scene.recover(), QString());
    QCOMPARE(m_scene.commits(), m_firstCommits);
}

void tst_CrashEmbedded::aKilledSettlingIsMadeGood_data()
{
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("second");
    for (const char *first : {"refresh.intent_saved", "iceberg.metadata_written", "iceberg.swapped",
                              "refresh.committed"}) {
        for (const char *second : {"settle.known", "refresh.settled"})
            QTest::addRow("%s, then %s", first, second)
                << QString::fromLatin1(first) << QString::fromLatin1(second);
    }
}

void tst_CrashEmbedded::aKilledSettlingIsMadeGood()
{
    QFETCH(QString, first);
    QFETCH(QString, second);
    m_scene.restore(QStringLiteral("changed"));
    QVERIFY(m_scene.refresh(nth(first, 1, "kill")).died);
    QVERIFY(m_scene.refresh(nth(second, 1, "kill")).died);
    QCOMPARE(m_scene.recover(), QString());
    QCOMPARE(m_scene.commits(), m_commits);
}

void tst_CrashEmbedded::aFailedStepIsMadeGood_data()
{
    // A commit whose answer is lost is settled, and nothing has failed.
    QStringList points = kPoints;
    points.removeAll(QStringLiteral("iceberg.swapped"));
    addRows(points, 1);
}

void tst_CrashEmbedded::aFailedStepIsMadeGood()
{
    QFETCH(QString, point);
    QFETCH(int, times);
    m_scene.restore(QStringLiteral("changed"));
    const auto failed = m_scene.refresh(nth(point, times, "error"));
    QVERIFY2(failed.code == 1 || failed.code == 3, qPrintable(failed.err));
    QVERIFY2(failed.err.contains(QStringLiteral("fail point %1 was reached").arg(point)),
             qPrintable(failed.err));
    QCOMPARE(m_scene.recover(), QString());
    QCOMPARE(m_scene.commits(), m_commits);
}

void tst_CrashEmbedded::aLostAnswerIsSettledAtOnce_data()
{
    addRows({QStringLiteral("iceberg.swapped")}, 2);
}

void tst_CrashEmbedded::aLostAnswerIsSettledAtOnce()
{
    QFETCH(QString, point);
    QFETCH(int, times);
    m_scene.restore(QStringLiteral("changed"));
    const auto refreshed = m_scene.refresh(nth(point, times, "error"));
    QVERIFY2(refreshed.code == 0, qPrintable(refreshed.err));
    QCOMPARE(m_scene.commits(), m_commits);
    QCOMPARE(m_scene.recover(), QString());
    QCOMPARE(m_scene.commits(), m_commits);
}

QTEST_GUILESS_MAIN(tst_CrashEmbedded)
#include "tst_crash_embedded.moc"
