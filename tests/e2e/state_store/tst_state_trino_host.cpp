// The real ivmctl on Trino with its state in tables there: killed, and several at once.
#include "tests/e2e/crash/scene.h"

#include <QCoreApplication>
#include <QTest>

using namespace ivm::test;

class tst_StateTrinoHost : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();

    void aKilledRefreshIsMadeGood_data();
    void aKilledRefreshIsMadeGood();
    void whatRacesIsDoneOnce();

private:
    QStringList expected() const
    {
        return {QStringLiteral("[\"hourly\",%1]").arg(m_commits),
                QStringLiteral("[\"per_kind\",%1]").arg(m_commits)};
    }

    QString m_schema;
    std::unique_ptr<Scene> m_scene;
    int m_commits = 2;  // Trino makes a snapshot for CREATE TABLE, too
};

void tst_StateTrinoHost::initTestCase()
{
    m_schema = QStringLiteral("state_%1").arg(QCoreApplication::applicationPid());
    m_scene = std::make_unique<Scene>(
        "executor: {plugin: trino, catalog: iceberg, schema: " + m_schema.toUtf8() +
        "}\nhistory: {plugin: sqlite}\n"
        "state: {plugin: iceberg, schema: " +
        m_schema.toUtf8() + "}\n");
    const QString url = qEnvironmentVariable("TRINO_URL");
    QVERIFY2(!url.isEmpty(), "TRINO_URL is not set: run tests/trino/up, and take its env file");
    for (const char *variable : {"TRINO_URL", "TRINO_USER"})
        m_scene->program().set(QString::fromLatin1(variable), qEnvironmentVariable(variable));
    QCOMPARE(m_scene->sql(QStringLiteral("CREATE SCHEMA ") + m_schema).code, 0);
    QCOMPARE(m_scene->makeSource(), QString());
    QCOMPARE(m_scene->recover(), QString());
    QCOMPARE(m_scene->commits(), expected());
}

void tst_StateTrinoHost::cleanupTestCase()
{
    QCOMPARE(m_scene->sql(QStringLiteral("DROP SCHEMA %1 CASCADE").arg(m_schema)).code, 0);
}

void tst_StateTrinoHost::aKilledRefreshIsMadeGood_data()
{
    QTest::addColumn<QString>("point");
    for (const char *point : {"refresh.statement_recorded", "refresh.committed"})
        QTest::newRow(point) << QString::fromLatin1(point);
}

void tst_StateTrinoHost::aKilledRefreshIsMadeGood()
{
    QFETCH(QString, point);
    QCOMPARE(m_scene->changeSource(++m_commits - 2), QString());
    QVERIFY(m_scene->refresh(point + QStringLiteral("=kill")).died);
    QCOMPARE(m_scene->recover(), QString());
    QCOMPARE(m_scene->commits(), expected());
}

void tst_StateTrinoHost::whatRacesIsDoneOnce()
{
    QCOMPARE(m_scene->changeSource(++m_commits - 2), QString());
    const auto all =
        m_scene->program().runAtOnce({QStringLiteral("refresh"), QStringLiteral("--json")}, 2);
    for (const auto &ran : all) {
        for (const auto &view : ran.json().value(u"views").toArray()) {
            const QString code = view[u"error"][u"code"].toString();
            QVERIFY2(code.isEmpty() || code == u"lease_held", qPrintable(ran.out));
        }
    }
    QCOMPARE(m_scene->recover(), QString());
    QCOMPARE(m_scene->commits(), expected());
}

QTEST_GUILESS_MAIN(tst_StateTrinoHost)
#include "tst_state_trino_host.moc"
