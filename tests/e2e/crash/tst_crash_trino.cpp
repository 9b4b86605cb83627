#include "tests/e2e/crash/scene.h"

#include <QCoreApplication>
#include <QTest>
#include <QUrl>

using namespace ivm::test;

// The same as on the embedded engine, where a statement has a life of its own on the server.
class tst_CrashTrino : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();

    void aKilledFirstRefreshIsMadeGood_data();
    void aKilledFirstRefreshIsMadeGood();
    void aKilledRefreshIsMadeGood_data();
    void aKilledRefreshIsMadeGood();
    void aKilledSettlingIsMadeGood();
    void aMergeThatCommitsAfterItsClientDiedIsTaken();
    void aLostAnswerIsSettledInTheSameRun();
    void aFailedStepIsMadeGood_data();
    void aFailedStepIsMadeGood();

private:
    static void addRows(std::initializer_list<const char *> points)
    {
        QTest::addColumn<QString>("point");
        for (const char *point : points)
            QTest::newRow(point) << QString::fromLatin1(point);
    }

    static QString kill(const QString &point) { return point + QStringLiteral("=kill"); }

    // Changes the source, and says how many commits the views' tables will have seen after one
    // refresh.
    QStringList change()
    {
        if (const QString wrong = m_scene->changeSource(++m_round); !wrong.isEmpty())
            return {wrong};
        const auto &[hourly, perKind] = m_commits;
        m_commits = {hourly + 1, perKind + 1};
        return expected();
    }
    QStringList expected() const
    {
        return {QStringLiteral("[\"hourly\",%1]").arg(m_commits.first),
                QStringLiteral("[\"per_kind\",%1]").arg(m_commits.second)};
    }

    QString m_schema;
    std::unique_ptr<Scene> m_scene;
    std::pair<int, int> m_commits{2, 2};
    int m_round = 0;
};

void tst_CrashTrino::initTestCase()
{
    m_schema = QStringLiteral("crash_%1").arg(QCoreApplication::applicationPid());
    const QString url = qEnvironmentVariable("TRINO_URL");
    QVERIFY2(!url.isEmpty(), "TRINO_URL is not set: run tests/trino/up, and take its env file");
    const bool overJdbc = qEnvironmentVariable("IVM_TEST_EXECUTOR") == u"jdbc";
    m_scene =
        std::make_unique<Scene>(QByteArray("executor: {plugin: ") + (overJdbc ? "jdbc" : "trino") +
                                ", catalog: iceberg, schema: " + m_schema.toUtf8() + "}\n");
    m_scene->program().set(QStringLiteral("IVM_JDBC_URL"),
                           QString(QStringLiteral("jdbc:trino://") + QUrl(url).authority()));
    for (const char *variable : {"TRINO_URL", "TRINO_USER", "PATH"})
        m_scene->program().set(QString::fromLatin1(variable), qEnvironmentVariable(variable));
    QCOMPARE(m_scene->sql(QStringLiteral("CREATE SCHEMA ") + m_schema).code, 0);
}

void tst_CrashTrino::cleanupTestCase()
{
    QCOMPARE(m_scene->sql(QStringLiteral("DROP SCHEMA %1 CASCADE").arg(m_schema)).code, 0);
}

void tst_CrashTrino::aKilledFirstRefreshIsMadeGood_data()
{
    addRows({"refresh.target_made", "refresh.intent_saved", "trino.merge_running"});
}

void tst_CrashTrino::aKilledFirstRefreshIsMadeGood()
{
    QFETCH(QString, point);
    for (const char *table : {"ev", "hourly", "per_kind"})
        m_scene->sql(QStringLiteral("DROP TABLE IF EXISTS ") + QString::fromLatin1(table));
    QCOMPARE(m_scene->makeSource(), QString());
    QVERIFY(m_scene->refresh(kill(point)).died);
    QCOMPARE(m_scene->recover(), QString());
    // Trino makes a snapshot for CREATE TABLE, too.
    QCOMPARE(m_scene->commits(), expected());
}

void tst_CrashTrino::aKilledRefreshIsMadeGood_data()
{
    // Those that have nothing to do with the engine are met on the embedded one.
    addRows({"refresh.intent_saved", "trino.sent", "refresh.statement_recorded",
             "trino.merge_running", "trino.ended", "refresh.committed", "refresh.bookmark_saved"});
}

void tst_CrashTrino::aKilledRefreshIsMadeGood()
{
    QFETCH(QString, point);
    const QStringList commits = change();
    QVERIFY(m_scene->refresh(kill(point)).died);
    QCOMPARE(m_scene->recover(), QString());
    QCOMPARE(m_scene->commits(), commits);
}

void tst_CrashTrino::aKilledSettlingIsMadeGood()
{
    const QStringList commits = change();
    QVERIFY(m_scene->refresh(QStringLiteral("trino.ended=kill")).died);
    QVERIFY(m_scene->refresh(QStringLiteral("settle.known=kill")).died);
    QCOMPARE(m_scene->recover(), QString());
    QCOMPARE(m_scene->commits(), commits);
}

// Nobody follows the statement any more; the server finishes it all the same.
void tst_CrashTrino::aMergeThatCommitsAfterItsClientDiedIsTaken()
{
    const QStringList before = m_scene->commits();
    const QStringList commits = change();
    QVERIFY(m_scene->refresh(QStringLiteral("trino.merge_running=kill")).died);
    for (int look = 0; look < 600 && m_scene->commits() == before; ++look)
        ;
    QVERIFY(m_scene->commits() != before);
    QCOMPARE(m_scene->recover(), QString());
    QCOMPARE(m_scene->commits(), commits);
}

void tst_CrashTrino::aLostAnswerIsSettledInTheSameRun()
{
    const QStringList commits = change();
    const auto ran = m_scene->refresh(QStringLiteral("trino.merge_running=error"));
    QVERIFY2(ran.code == 0, qPrintable(ran.out + ran.err));
    QCOMPARE(m_scene->difference(), QString());
    QCOMPARE(m_scene->commits(), commits);
}

void tst_CrashTrino::aFailedStepIsMadeGood_data()
{
    addRows({"trino.sent", "refresh.statement_recorded", "refresh.committed"});
}

void tst_CrashTrino::aFailedStepIsMadeGood()
{
    QFETCH(QString, point);
    const QStringList commits = change();
    const auto failed = m_scene->refresh(point + QStringLiteral("=error"));
    QVERIFY2(failed.code == 1 || failed.code == 3, qPrintable(failed.err));
    QVERIFY2(failed.err.contains(QStringLiteral("fail point %1 was reached").arg(point)),
             qPrintable(failed.err));
    QCOMPARE(m_scene->recover(), QString());
    QCOMPARE(m_scene->commits(), commits);
}

QTEST_GUILESS_MAIN(tst_CrashTrino)
#include "tst_crash_trino.moc"
