// Changes of tables on the embedded engine and on Trino: the same statements give the same tables,
// and each reads and changes what the other made.
#include "plugins/executor_duckdb/executor.h"
#include "plugins/executor_duckdb/session.h"
#include "tests/interop/iceberg/peer.h"
#include "tests/unit/iceberg/warehouse.h"

using namespace ivm;
using namespace ivm::iceberg;
using namespace ivm::test;

namespace {

const QString kOurs = QStringLiteral("ours");
const QString kTheirs = QStringLiteral("theirs");

QString fieldText(const Field &field)
{
    QStringList inside;
    for (const auto &part : field.type.fields)
        inside.append(fieldText(part));
    return QStringLiteral("%1:%2%3 %4%5")
        .arg(field.name)
        .arg(field.id)
        .arg(field.required ? u"!" : u"",
             inside.isEmpty() ? field.type.text()
                              : QStringLiteral("<%1>").arg(inside.join(QStringLiteral(", "))),
             field.doc.isEmpty() ? QString() : QStringLiteral(" '%1'").arg(field.doc));
}

// What the metadata say a table is, its snapshots and their times aside.
QString textOf(const TableMetadata &metadata)
{
    QStringList lines;
    for (const auto &field : metadata.currentSchema().fields)
        lines.append(fieldText(field));
    for (const auto &spec : metadata.specs) {
        QStringList fields;
        for (const auto &field : spec.fields)
            fields.append(QStringLiteral("%1:%2=%3(%4)")
                              .arg(field.name)
                              .arg(field.fieldId)
                              .arg(field.transform.text)
                              .arg(field.sourceId));
        lines.append(QStringLiteral("spec %1%2: %3")
                         .arg(spec.id)
                         .arg(spec.id == metadata.defaultSpecId ? u"*" : u"")
                         .arg(fields.join(u' ')));
    }
    lines.append(sortedByOf(metadata.defaultSortOrder(), metadata.currentSchema()).join(u','));
    lines.append(QStringLiteral("last column %1, last partition field %2, comment %3")
                     .arg(metadata.lastColumnId)
                     .arg(metadata.lastPartitionId)
                     .arg(metadata.properties.value(QStringLiteral("comment"))));
    return lines.join(u'\n');
}

}  // namespace

class tst_InteropDdl : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void cleanup();
    void theSameStatementsGiveTheSameTables_data();
    void theSameStatementsGiveTheSameTables();
    void itGoesOnWhereWeChanged();
    void itReadsWhatWeReplacedAndExpired();

private:
    // With @ for the table.
    QString ours(const QString &sql, const QString &table = kOurs)
    {
        duckdb::EmbeddedSession session(*m_executor);
        const auto rows = query(session, QString(sql).replace(u'@', m_schema + u'.' + table), {});
        if (!rows)
            return QStringLiteral("refused");
        QStringList lines;
        for (const auto &row : rows->rows) {
            QStringList values;
            for (const auto &value : row)
                values.append(value.isNull() ? QString() : value.text());
            lines.append(values.join(u'|'));
        }
        return lines.join(u' ');
    }
    QString theirs(const QString &sql, const QString &table = kTheirs)
    {
        const auto answer = m_peer.ask(
            QStringLiteral("sql"),
            {{QStringLiteral("text"), QString(sql).replace(u'@', m_schema + u'.' + table)}});
        if (answer.contains(u"error")) {
            m_error = answer.value(u"error").toString();
            return QStringLiteral("refused");
        }
        QStringList lines;
        const auto list = answer.value(u"rows").toArray();
        for (const auto &row : list) {
            QStringList values;
            const auto parts = row.toArray();
            for (const auto &value : parts)
                values.append(value.toVariant().toString());
            lines.append(values.join(u'|'));
        }
        return lines.join(u' ');
    }
    TableMetadata metadata(const QString &table)
    {
        const auto open = valueOf(m_executor->warehouse().reading());
        return valueOf(loadTable(open, {QStringLiteral("iceberg"), m_schema, table})).metadata;
    }

    QString m_folder = qEnvironmentVariable("IVM_TEST_EMBEDDED");
    QString m_schema = QStringLiteral("ddl_%1").arg(QCoreApplication::applicationPid());
    QString m_error;
    std::unique_ptr<duckdb::EmbeddedExecutor> m_executor;
    Peer m_peer;
};

void tst_InteropDdl::initTestCase()
{
    QVERIFY2(!m_folder.isEmpty() && qEnvironmentVariableIsSet("TRINO_URL"),
             "TRINO_URL and IVM_TEST_EMBEDDED are not set: start a Trino with tests/trino/up and "
             "load the env file it names");
    m_executor = std::make_unique<duckdb::EmbeddedExecutor>(
        duckdb::ExecutorOptions{.warehouse = m_folder, .schema = m_schema});
    const QString problem = m_peer.start(m_folder);
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    QCOMPARE(ours(QStringLiteral("CREATE SCHEMA IF NOT EXISTS %1").arg(m_schema)), QString());
}

void tst_InteropDdl::cleanup()
{
    ours(QStringLiteral("DROP TABLE IF EXISTS @"));
    ours(QStringLiteral("DROP TABLE IF EXISTS @"), kTheirs);
}

void tst_InteropDdl::cleanupTestCase()
{
    if (m_executor)
        ours(QStringLiteral("DROP SCHEMA %1").arg(m_schema));
}

void tst_InteropDdl::theSameStatementsGiveTheSameTables_data()
{
    QTest::addColumn<QStringList>("statements");
    const auto row = [](const char *name, std::initializer_list<const char *> statements) {
        QStringList texts{QStringLiteral(
            "CREATE TABLE @ (id bigint NOT NULL, n integer, r real, d decimal(9,2), ts "
            "timestamp(6), s varchar, x row(a integer, b varchar), l array(row(e integer))) WITH "
            "(partitioning = ARRAY['day(ts)'], sorted_by = ARRAY['s'])")};
        texts.append(QStringLiteral("INSERT INTO @ (id, n, r, d, ts, s) VALUES (1, 2, REAL '1.5', "
                                    "DECIMAL '1.25', TIMESTAMP '2001-01-01 00:00:00', 'a')"));
        for (const char *statement : statements)
            texts.append(QString::fromUtf8(statement));
        QTest::newRow(name) << texts;
    };
    row("columns are added",
        {"ALTER TABLE @ ADD COLUMN c1 bigint COMMENT 'one'", "ALTER TABLE @ ADD COLUMN C1 bigint",
         "ALTER TABLE @ ADD COLUMN IF NOT EXISTS c1 varchar",
         "ALTER TABLE @ ADD COLUMN c2 tinyint FIRST",
         "ALTER TABLE @ ADD COLUMN c3 timestamp(3) AFTER n",
         "ALTER TABLE @ ADD COLUMN c4 varchar(3) LAST",
         "ALTER TABLE @ ADD COLUMN c5 bigint AFTER no",
         "ALTER TABLE @ ADD COLUMN c6 bigint NOT NULL", "ALTER TABLE @ ADD COLUMN c7 json",
         "ALTER TABLE @ ADD COLUMN c8 row(p bigint, q array(integer))",
         "ALTER TABLE @ ADD COLUMN \"C 9\" bigint", "ALTER TABLE @ ADD COLUMN ts_day integer"});
    row("fields are added",
        {"ALTER TABLE @ ADD COLUMN x.c bigint", "ALTER TABLE @ ADD COLUMN x.C bigint",
         "ALTER TABLE @ ADD COLUMN IF NOT EXISTS x.c bigint",
         "ALTER TABLE @ ADD COLUMN x.Big bigint", "ALTER TABLE @ ADD COLUMN x.d bigint FIRST",
         "ALTER TABLE @ ADD COLUMN no.d bigint", "ALTER TABLE @ ADD COLUMN x.no.d bigint",
         "ALTER TABLE @ ADD COLUMN n.d bigint", "ALTER TABLE @ ADD COLUMN l.d bigint",
         "ALTER TABLE @ ADD COLUMN l.element.d bigint"});
    row("columns are dropped",
        {"ALTER TABLE @ DROP COLUMN n", "ALTER TABLE @ DROP COLUMN n",
         "ALTER TABLE @ DROP COLUMN IF EXISTS n", "ALTER TABLE @ DROP COLUMN ts",
         "ALTER TABLE @ DROP COLUMN s", "ALTER TABLE @ DROP COLUMN x.a",
         "ALTER TABLE @ DROP COLUMN x.b", "ALTER TABLE @ DROP COLUMN x.no",
         "ALTER TABLE @ DROP COLUMN IF EXISTS x.no", "ALTER TABLE @ ADD COLUMN n varchar",
         "ALTER TABLE @ SET PROPERTIES sorted_by = DEFAULT", "ALTER TABLE @ DROP COLUMN s",
         "ALTER TABLE @ SET PROPERTIES partitioning = DEFAULT", "ALTER TABLE @ DROP COLUMN ts"});
    row("columns are renamed",
        {"ALTER TABLE @ RENAME COLUMN n TO Other", "ALTER TABLE @ RENAME COLUMN no TO m",
         "ALTER TABLE @ RENAME COLUMN IF EXISTS no TO m", "ALTER TABLE @ RENAME COLUMN other TO id",
         "ALTER TABLE @ RENAME COLUMN other TO OTHER", "ALTER TABLE @ RENAME COLUMN ts TO at",
         "ALTER TABLE @ RENAME COLUMN other TO ts_day", "ALTER TABLE @ RENAME COLUMN s TO ts"});
    row("types are widened",
        {"ALTER TABLE @ ALTER COLUMN n SET DATA TYPE bigint",
         "ALTER TABLE @ ALTER COLUMN n SET DATA TYPE integer",
         "ALTER TABLE @ ALTER COLUMN n SET DATA TYPE varchar",
         "ALTER TABLE @ ALTER COLUMN r SET DATA TYPE double",
         "ALTER TABLE @ ALTER COLUMN d SET DATA TYPE decimal(12,2)",
         "ALTER TABLE @ ALTER COLUMN d SET DATA TYPE decimal(12,3)",
         "ALTER TABLE @ ALTER COLUMN d SET DATA TYPE decimal(10,2)",
         "ALTER TABLE @ ALTER COLUMN s SET DATA TYPE varchar(5)",
         "ALTER TABLE @ ALTER COLUMN ts SET DATA TYPE timestamp(3)",
         "ALTER TABLE @ ALTER COLUMN ts SET DATA TYPE timestamp(6) with time zone",
         "ALTER TABLE @ ALTER COLUMN x.a SET DATA TYPE bigint",
         "ALTER TABLE @ ALTER COLUMN x.no SET DATA TYPE bigint",
         "ALTER TABLE @ ALTER COLUMN no SET DATA TYPE bigint"});
    row("NULL is allowed", {"ALTER TABLE @ ALTER COLUMN id DROP NOT NULL",
                            "ALTER TABLE @ ALTER COLUMN id DROP NOT NULL",
                            "ALTER TABLE @ ALTER COLUMN no DROP NOT NULL"});
    row("comments", {"COMMENT ON TABLE @ IS 'it''s'", "COMMENT ON COLUMN @.n IS 'en'",
                     "COMMENT ON COLUMN @.no IS 'en'", "COMMENT ON COLUMN @.n IS NULL",
                     "COMMENT ON COLUMN @.d IS 'dee'", "COMMENT ON TABLE @ IS 'other'"});
    row("partitioning",
        {"ALTER TABLE @ SET PROPERTIES partitioning = ARRAY['s', 'day(ts)']",
         "ALTER TABLE @ SET PROPERTIES partitioning = ARRAY['day(ts)', 's']",
         "INSERT INTO @ (id, ts, s) VALUES (2, TIMESTAMP '2001-01-02 00:00:00', 'b')",
         "ALTER TABLE @ SET PROPERTIES partitioning = ARRAY['n', 's']",
         "ALTER TABLE @ SET PROPERTIES partitioning = DEFAULT",
         "INSERT INTO @ (id, ts, s) VALUES (3, TIMESTAMP '2001-01-03 00:00:00', 'b')",
         "ALTER TABLE @ SET PROPERTIES partitioning = ARRAY['day(ts)']",
         "ALTER TABLE @ SET PROPERTIES partitioning = ARRAY['no']",
         "ALTER TABLE @ SET PROPERTIES partitioning = ARRAY['day(s)']",
         "ALTER TABLE @ SET PROPERTIES partitioning = ARRAY['s', 's']",
         "ALTER TABLE @ SET PROPERTIES partitioning = ARRAY['hour(ts)', 'day(ts)']",
         "ALTER TABLE @ SET PROPERTIES partitioning = 'x'"});
    row("sorting and other properties",
        {"ALTER TABLE @ SET PROPERTIES sorted_by = ARRAY['n DESC', 's']",
         "ALTER TABLE @ SET PROPERTIES sorted_by = ARRAY['no']",
         "ALTER TABLE @ SET PROPERTIES format_version = 3",
         "ALTER TABLE @ SET PROPERTIES max_commit_retry = 7",
         "ALTER TABLE @ SET PROPERTIES location = 'x'", "ALTER TABLE @ SET PROPERTIES nope = 1"});
    row("replaced",
        {"CREATE OR REPLACE TABLE @ (n bigint, id bigint, x row(b varchar, c bigint), y varchar)",
         "INSERT INTO @ (n, id, y) VALUES (1, 2, 'y')",
         "CREATE OR REPLACE TABLE @ COMMENT 'second' WITH (partitioning = ARRAY['id']) AS SELECT 1 "
         "AS id, 'q' AS y, 2 AS z",
         "CREATE OR REPLACE TABLE @ AS SELECT id + 1 AS id, y FROM @",
         "CREATE OR REPLACE TABLE @ AS SELECT 1 AS id, 2 AS id",
         "CREATE OR REPLACE TABLE @ (A, \"B c\") AS SELECT 1, 2 WITH NO DATA",
         "CREATE OR REPLACE TABLE @ (Id bigint, \"B c\" varchar, iD integer)",
         "CREATE OR REPLACE TABLE @ (Id bigint NOT NULL COMMENT 'x', \"B C\" varchar) WITH "
         "(partitioning = ARRAY['id'])",
         "CREATE OR REPLACE TABLE @ (N bigint NOT NULL COMMENT 'x', \"B C\" varchar) WITH "
         "(partitioning = ARRAY['n'], sorted_by = ARRAY['\"b c\"'])"});
}

void tst_InteropDdl::theSameStatementsGiveTheSameTables()
{
    QFETCH(QStringList, statements);
    for (const QString &statement : statements) {
        m_error.clear();
        const bool isRefusedHere = ours(statement) == u"refused";
        const bool isRefusedThere = theirs(statement) == u"refused";
        QVERIFY2(isRefusedHere == isRefusedThere, qPrintable(statement + u'\n' + m_error));
        QVERIFY2(
            textOf(metadata(kOurs)) == textOf(metadata(kTheirs)),
            qPrintable(QStringList({statement, QStringLiteral("here:"), textOf(metadata(kOurs)),
                                    QStringLiteral("there:"), textOf(metadata(kTheirs))})
                           .join(u'\n')));
        const QString rows = QStringLiteral("SELECT count(*), count(id) FROM @");
        if (metadata(kOurs).currentSchema().column(u"id")) {
            QCOMPARE(ours(rows), theirs(rows));
            QCOMPARE(theirs(rows, kOurs), theirs(rows));
            QCOMPARE(ours(rows, kTheirs), theirs(rows));
        }
    }
}

void tst_InteropDdl::itGoesOnWhereWeChanged()
{
    ours(QStringLiteral("CREATE TABLE @ WITH (partitioning = ARRAY['k']) AS SELECT 'x' AS k, 1 AS "
                        "n, 'gone' AS s"));
    ours(QStringLiteral("ALTER TABLE @ RENAME COLUMN n TO number"));
    ours(QStringLiteral("ALTER TABLE @ ALTER COLUMN number SET DATA TYPE bigint"));
    ours(QStringLiteral("ALTER TABLE @ DROP COLUMN s"));
    ours(QStringLiteral("ALTER TABLE @ ADD COLUMN s varchar"));
    ours(QStringLiteral("ALTER TABLE @ SET PROPERTIES partitioning = DEFAULT"));
    const QString all = QStringLiteral("SELECT k, number, s FROM @ ORDER BY number");
    QCOMPARE(theirs(all, kOurs), QStringLiteral("x|1|"));
    QCOMPARE(theirs(QStringLiteral("INSERT INTO @ VALUES ('y', 3000000000, 'new')"), kOurs),
             QStringLiteral("1"));
    QCOMPARE(theirs(QStringLiteral("UPDATE @ SET number = number + 1 WHERE k = 'x'"), kOurs),
             QStringLiteral("1"));
    QCOMPARE(ours(all), QStringLiteral("x|2| y|3000000000|new"));
    ours(QStringLiteral("ALTER TABLE @ RENAME TO theirs"));
    QCOMPARE(theirs(all), QStringLiteral("x|2| y|3000000000|new"));
    QCOMPARE(theirs(QStringLiteral("ALTER TABLE @ DROP COLUMN k")), QStringLiteral("refused"));
    QCOMPARE(theirs(QStringLiteral("ALTER TABLE @ ADD COLUMN more bigint")), QString());
    QCOMPARE(ours(QStringLiteral("SELECT * FROM @ WHERE number > 2"), kTheirs),
             QStringLiteral("y|3000000000|new|"));
}

void tst_InteropDdl::itReadsWhatWeReplacedAndExpired()
{
    ours(QStringLiteral("CREATE TABLE @ AS SELECT 1 AS a, 'x' AS b"));
    const qint64 first = *metadata(kOurs).currentSnapshotId;
    ours(QStringLiteral("CREATE OR REPLACE TABLE @ AS SELECT 2 AS a, DATE '2001-02-03' AS c"));
    QCOMPARE(theirs(QStringLiteral("SELECT a, c FROM @"), kOurs), QStringLiteral("2|2001-02-03"));
    const QString old = QStringLiteral("SELECT * FROM @ FOR VERSION AS OF %1").arg(first);
    QCOMPARE(theirs(old, kOurs), QStringLiteral("1|x"));
    QCOMPARE(ours(old), QStringLiteral("1|x"));
    ours(QStringLiteral("ALTER TABLE @ EXECUTE expire_snapshots(retention_threshold => '0s')"));
    QCOMPARE(metadata(kOurs).snapshots.size(), 1);
    QCOMPARE(theirs(old, kOurs), QStringLiteral("refused"));
    QCOMPARE(theirs(QStringLiteral("INSERT INTO @ VALUES (3, NULL)"), kOurs), QStringLiteral("1"));
    QCOMPARE(ours(QStringLiteral("SELECT sum(a) FROM @")), QStringLiteral("5"));
}

QTEST_GUILESS_MAIN(tst_InteropDdl)
#include "tst_interop_ddl.moc"
