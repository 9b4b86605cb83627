// ivmctl tables on Trino: by the same SQL as on the embedded engine, so the same is told.
#include "tests/support/program.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QTest>

using ivm::test::Program;
using ivm::test::Ran;

class tst_IvmctlTablesTrino : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void listsTablesAndNames();
    void tellsOneTable();
    void refusesAView();

private:
    Ran run(const QStringList &arguments) const { return m_program->run(arguments); }
    void sql(const QString &statement) const
    {
        const auto ran = run({QStringLiteral("sql"), QString(statement).replace(u'@', m_schema)});
        QVERIFY2(ran.code == 0, qPrintable(ran.err));
    }

    QString m_schema = QStringLiteral("tables_%1").arg(QCoreApplication::applicationPid());
    std::unique_ptr<Program> m_program;
};

void tst_IvmctlTablesTrino::initTestCase()
{
    QVERIFY2(qEnvironmentVariableIsSet("TRINO_URL"),
             "TRINO_URL is not set: start a Trino with tests/trino/up and load the env file it "
             "names");
    m_program = std::make_unique<Program>(QStringLiteral(IVM_CTL));
    for (const char *name : {"TRINO_URL", "TRINO_USER"})
        m_program->set(QString::fromLatin1(name), qEnvironmentVariable(name));
    QVERIFY(m_program->write(
        QStringLiteral("ivm.yaml"),
        "executor: {plugin: trino, catalog: iceberg, schema: " + m_schema.toUtf8() + "}\n"));
    sql(QStringLiteral("CREATE SCHEMA iceberg.@"));
    sql(QStringLiteral("CREATE TABLE ev (k varchar NOT NULL COMMENT 'the key', v bigint) WITH "
                       "(partitioning = ARRAY['k'], sorted_by = ARRAY['v DESC'])"));
    sql(QStringLiteral("INSERT INTO ev VALUES ('a', 1), ('a', 2), ('b', 3)"));
    sql(QStringLiteral("DELETE FROM ev WHERE v = 1"));
    sql(QStringLiteral("CREATE VIEW shown AS SELECT 1 AS one"));
}

void tst_IvmctlTablesTrino::cleanupTestCase()
{
    if (!m_program)
        return;
    sql(QStringLiteral("DROP VIEW shown"));
    sql(QStringLiteral("DROP TABLE ev"));
    sql(QStringLiteral("DROP SCHEMA iceberg.@"));
}

// Others' tables are there too, and may come and go meanwhile.
void tst_IvmctlTablesTrino::listsTablesAndNames()
{
    const auto ran = run({QStringLiteral("tables"), QStringLiteral("--json")});
    QHash<QString, QJsonObject> found;
    const auto all = ran.json().value(u"tables").toArray();
    for (const auto &value : all) {
        const auto table = value.toObject();
        if (table.value(u"schema") == m_schema)
            found.insert(table.value(u"name").toString(), table);
    }
    QCOMPARE(found.size(), 2);
    const auto ev = found.value(QStringLiteral("ev"));
    QCOMPARE(ev.value(u"rows").toInt(), 2);
    QCOMPARE(ev.value(u"files").toInt(), 2);
    QVERIFY(ev.value(u"last_change").toString().endsWith(u'Z'));
    QCOMPARE(found.value(QStringLiteral("shown")).value(u"error").toObject().value(u"code"),
             QJsonValue(QStringLiteral("unsupported")));
}

void tst_IvmctlTablesTrino::tellsOneTable()
{
    const auto one = run({QStringLiteral("tables"), QStringLiteral("ev"), QStringLiteral("--json"),
                          QStringLiteral("--snapshots"), QStringLiteral("--files")})
                         .json();
    QCOMPARE(one.value(u"partitioning").toArray(), QJsonArray{QStringLiteral("k")});
    QCOMPARE(one.value(u"sorted_by").toArray().size(), 1);
    const auto key = one.value(u"columns").toArray()[0].toObject();
    QCOMPARE(key.value(u"type").toString(), QStringLiteral("varchar"));
    QCOMPARE(key.value(u"comment").toString(), QStringLiteral("the key"));
    const auto snapshots = one.value(u"snapshots").toArray();
    QVERIFY(snapshots.size() >= 2);
    QCOMPARE(snapshots.last().toObject().value(u"id"), one.value(u"snapshot"));
    QStringList contents;
    const auto files = one.value(u"data_files").toArray();
    for (const auto &file : files)
        contents.append(file.toObject().value(u"content").toString());
    QCOMPARE(contents.join(u','), QStringLiteral("data,data,position deletes"));
}

void tst_IvmctlTablesTrino::refusesAView()
{
    const auto ran = run({QStringLiteral("tables"), QStringLiteral("shown")});
    QCOMPARE(ran.code, 1);
    QVERIFY2(ran.err.contains(QStringLiteral("is not an Iceberg table")), qPrintable(ran.err));
}

QTEST_GUILESS_MAIN(tst_IvmctlTablesTrino)
#include "tst_ivmctl_tables_trino.moc"
