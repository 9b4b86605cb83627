// Views and migrations with a Trino that is reached through its JDBC driver, by the real ivmctl.
#include "tests/support/program.h"

#include <QDir>
#include <QJsonArray>
#include <QTest>
#include <QUrl>

using namespace ivm::test;

class tst_Jdbc : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();

    void migratesAndRefreshes();
    void theBridgeEndsWithItsHost();

private:
    QString ran(const QStringList &arguments)
    {
        const auto ran = m_program.run(arguments);
        return ran.code == 0 ? QString()
                             : QString(arguments.join(u' ') + u'\n' + ran.out + ran.err);
    }
    QString sql(const QString &text) { return ran({QStringLiteral("sql"), text}); }
    QString rows(const QString &text)
    {
        const auto ran = m_program.run({QStringLiteral("sql"), QStringLiteral("--json"), text});
        return QString::fromUtf8(
            QJsonDocument(ran.json().value(u"rows").toArray()).toJson(QJsonDocument::Compact));
    }

    QString m_schema;
    Program m_program{QStringLiteral(IVM_CTL)};
};

void tst_Jdbc::initTestCase()
{
    const QUrl url(qEnvironmentVariable("TRINO_URL"));
    QVERIFY2(!url.isEmpty(), "TRINO_URL is not set: run tests/trino/up, and take its env file");
    m_schema = QStringLiteral("jdbc_%1").arg(QCoreApplication::applicationPid());
    m_program.set(QStringLiteral("TRINO_USER"), qEnvironmentVariable("TRINO_USER"));
    m_program.set(QStringLiteral("PATH"), qEnvironmentVariable("PATH"));
    m_program.write(
        QStringLiteral("ivm.yaml"),
        QStringLiteral("executor: {plugin: jdbc, url: \"jdbc:trino://%1\", schema: %2}\n"
                       "history: {schema: %2_history}\n")
            .arg(url.authority(), m_schema)
            .toUtf8());
    QVERIFY(QDir(m_program.folder()).mkdir(QStringLiteral("migrations")));
    m_program.write(QStringLiteral("migrations/0001_per_kind.yaml"),
                    "about: How many of each kind\n"
                    "upgrade:\n"
                    "  - create_table:\n"
                    "      name: ev\n"
                    "      columns:\n"
                    "        - {name: kind, type: varchar}\n"
                    "        - {name: amount, type: bigint}\n"
                    "  - create_view:\n"
                    "      name: per_kind\n"
                    "      query: SELECT kind, count(*) AS n, sum(amount) AS s FROM ev GROUP BY 1\n"
                    "downgrade:\n"
                    "  - drop_view: {name: per_kind, drop_target: true}\n"
                    "  - drop_table: {name: ev}\n");
    QCOMPARE(sql(QStringLiteral("CREATE SCHEMA ") + m_schema), QString());
}

void tst_Jdbc::cleanupTestCase()
{
    for (const char *end : {"", "_history"})
        sql(QStringLiteral("DROP SCHEMA IF EXISTS %1%2 CASCADE")
                .arg(m_schema, QString::fromLatin1(end)));
}

void tst_Jdbc::migratesAndRefreshes()
{
    QCOMPARE(ran({QStringLiteral("migrate"), QStringLiteral("upgrade")}), QString());
    QCOMPARE(
        sql(QStringLiteral("INSERT INTO ev VALUES ('a', 1), ('a', 9007199254740993), (NULL, 2)")),
        QString());
    QCOMPARE(ran({QStringLiteral("refresh")}), QString());
    QCOMPARE(rows(QStringLiteral("SELECT kind, n, s FROM per_kind ORDER BY 1")),
             QStringLiteral("[[\"a\",2,9007199254740994],[null,1,2]]"));
    QCOMPARE(sql(QStringLiteral("DELETE FROM ev WHERE kind IS NULL")), QString());
    QCOMPARE(ran({QStringLiteral("refresh")}), QString());
    QCOMPARE(ran({QStringLiteral("verify")}), QString());
    QCOMPARE(ran({QStringLiteral("check"), QStringLiteral("--online")}), QString());
    QCOMPARE(ran({QStringLiteral("migrate"), QStringLiteral("downgrade"), QStringLiteral("0"),
                  QStringLiteral("--yes")}),
             QString());
    QCOMPARE(rows(QStringLiteral("SHOW TABLES")), QStringLiteral("[]"));
}

// kill -9: nothing of ours can tell it to end.
void tst_Jdbc::theBridgeEndsWithItsHost()
{
    QString bridge;
    const auto isThere = [&] {
        for (const auto &process : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
            QFile command(QStringLiteral("/proc/%1/cmdline").arg(process));
            QFile environment(QStringLiteral("/proc/%1/environ").arg(process));
            if (!command.open(QIODevice::ReadOnly) || !environment.open(QIODevice::ReadOnly))
                continue;
            if (command.readAll().contains("ivm-jdbc-bridge.jar") &&
                environment.readAll().contains(m_program.folder().toUtf8()))
                bridge = process;
        }
        return !bridge.isEmpty();
    };
    m_program.set(QStringLiteral("TMPDIR"), m_program.folder());
    const auto killed = m_program.interrupted(
        {QStringLiteral("sql"),
         QStringLiteral("SELECT count(*) FROM tpch.sf100.lineitem a CROSS JOIN tpch.sf1.orders b "
                        "WHERE a.comment < b.comment")},
        SIGKILL, isThere);
    QVERIFY(killed.died);
    QVERIFY(!bridge.isEmpty());
    QTRY_VERIFY(!QFile::exists(QStringLiteral("/proc/") + bridge));
}

QTEST_GUILESS_MAIN(tst_Jdbc)
#include "tst_jdbc.moc"
