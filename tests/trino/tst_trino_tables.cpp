#include "tests/trino/real_trino.h"

using namespace ivm;
using namespace ivm::trino;

namespace {

Type typeOf(const char *text) { return parseType(QString::fromUtf8(text)).value_or(Type()); }

}  // namespace

class tst_TrinoTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void makesAndDescribesATable();
    void makesTheSchemaToo();
    void tellsWhereATableStands();
    void saysWhatIsNotThere_data();
    void saysWhatIsNotThere();
    void refusesOtherRelations();
    void mapsErrors_data();
    void mapsErrors();
    void remembersSessionProperties();

private:
    RealTrino m_trino;
};

void tst_TrinoTables::initTestCase() { QCOMPARE(m_trino.open(), QString()); }

void tst_TrinoTables::cleanupTestCase() { m_trino.close(); }

void tst_TrinoTables::makesAndDescribesATable()
{
    const TableName name = m_trino.table(QStringLiteral("odd \"name"));
    const TableSpec spec{
        .name = name,
        .columns = {{.name = QStringLiteral("k:1"),
                     .type = typeOf("varchar(3)"),
                     .nullable = false,
                     .comment = QStringLiteral("it's")},
                    {.name = QStringLiteral("order"),
                     .type = typeOf("timestamp(3) with time zone")},
                    {.name = QStringLiteral("r"),
                     .type = typeOf("row(\"order\" smallint, x map(varchar, decimal(12,2)))")},
                    {.name = QStringLiteral("b"), .type = typeOf("varbinary")}},
        .partitioning = {{Transform::Day, QStringLiteral("order"), 0},
                         {Transform::Bucket, QStringLiteral("k:1"), 4}},
        .sortedBy = {QStringLiteral("\"k:1\" DESC")},
        .comment = QStringLiteral("WITH (\n'odd')")};
    const auto made = m_trino.session().createTable(spec, Call{});
    QVERIFY2(made, qPrintable(made ? QString() : made.error().text()));

    const auto info = m_trino.session().tableInfo(name, Call{});
    QVERIFY2(info, qPrintable(info ? QString() : info.error().text()));
    QStringList columns;
    for (const auto &column : info->columns)
        columns.append(column.name + u' ' + column.type.text() +
                       (column.nullable ? QString() : QStringLiteral(" NOT NULL")) + u' ' +
                       column.comment);
    QCOMPARE(columns,
             QStringList({QStringLiteral("k:1 varchar NOT NULL it's"),
                          QStringLiteral("order timestamp(6) with time zone "),
                          QStringLiteral("r row(order integer, x map(varchar, decimal(12,2))) "),
                          QStringLiteral("b varbinary ")}));
    QCOMPARE(info->partitioning, spec.partitioning);
    QCOMPARE(info->sortedBy, QStringList(QStringLiteral("\"k:1\" DESC NULLS LAST")));

    const auto again = m_trino.session().createTable(spec, Call{});
    QVERIFY(!again);
    QCOMPARE(again.error().kind, ErrorKind::AlreadyExists);
    QVERIFY(m_trino.session().dropTable(name, Call{}));
    const auto gone = m_trino.session().dropTable(name, Call{});
    QVERIFY(!gone);
    QCOMPARE(gone.error().kind, ErrorKind::NotFound);
    QCOMPARE(gone.error().message, QStringLiteral("table %1 does not exist").arg(name.text()));
}

void tst_TrinoTables::makesTheSchemaToo()
{
    const QString schema = m_trino.schema() + QStringLiteral("_more");
    const TableName name{QStringLiteral("iceberg"), schema, QStringLiteral("t")};
    const auto made = m_trino.session().createTable(
        {.name = name, .columns = {{.name = QStringLiteral("a"), .type = typeOf("bigint")}}},
        Call{});
    QVERIFY2(made, qPrintable(made ? QString() : made.error().text()));
    QVERIFY(m_trino.session().tableInfo(name, Call{}));
    QCOMPARE(m_trino.problem(QStringLiteral("DROP SCHEMA iceberg.%1 CASCADE").arg(schema)),
             QString());
}

void tst_TrinoTables::tellsWhereATableStands()
{
    QCOMPARE(m_trino.problem(QStringLiteral("CREATE TABLE stands (a bigint)")), QString());
    const TableHead made = m_trino.head(QStringLiteral("stands"));
    QVERIFY(made.token.startsWith(made.tableId + QStringLiteral("/metadata/00000-")));
    QCOMPARE(m_trino.problem(QStringLiteral("INSERT INTO stands VALUES 1")), QString());
    const auto info = m_trino.session().tableInfo(m_trino.table(QStringLiteral("stands")), Call{});
    QVERIFY(info);
    QCOMPARE(info->head.tableId, made.tableId);
    QVERIFY(info->head.token != made.token);
    QVERIFY(info->head.snapshot != made.snapshot);
    QCOMPARE(info->headSummary.value(QStringLiteral("added-records")), QStringLiteral("1"));
    // Twelve more commits: past the tenth, text and numbers would sort differently; the log keeps
    // them in the same second.
    for (int i = 0; i < 12; ++i)
        QCOMPARE(m_trino.problem(QStringLiteral("COMMENT ON TABLE stands IS '%1'").arg(i)),
                 QString());
    const TableHead commented = m_trino.head(QStringLiteral("stands"));
    QCOMPARE(commented.snapshot, info->head.snapshot);
    QVERIFY2(commented.token.contains(u"/metadata/00014-"), qPrintable(commented.token));
    QCOMPARE(m_trino.problem({QStringLiteral("DROP TABLE stands"),
                              QStringLiteral("CREATE TABLE stands (a bigint)")}),
             QString());
    QVERIFY(m_trino.head(QStringLiteral("stands")).tableId != made.tableId);
}

void tst_TrinoTables::saysWhatIsNotThere_data()
{
    QTest::addColumn<TableName>("name");
    QTest::addColumn<QString>("message");
    const QString iceberg = QStringLiteral("iceberg");
    QTest::newRow("table") << TableName{iceberg, QStringLiteral("information_schema"),
                                        QStringLiteral("nope")}
                           << QStringLiteral(
                                  "table iceberg.information_schema.nope does not exist");
    QTest::newRow("schema") << TableName{iceberg, QStringLiteral("nope"), QStringLiteral("t")}
                            << QStringLiteral("table iceberg.nope.t does not exist");
    QTest::newRow("catalog") << TableName{QStringLiteral("nope"), QStringLiteral("s"),
                                          QStringLiteral("t")}
                             << QStringLiteral("table nope.s.t does not exist");
}

void tst_TrinoTables::saysWhatIsNotThere()
{
    QFETCH(TableName, name);
    QFETCH(QString, message);
    const auto info = m_trino.session().tableInfo(name, Call{});
    QVERIFY(!info);
    QCOMPARE(info.error().kind, ErrorKind::NotFound);
    QCOMPARE(info.error().message, message);
}

void tst_TrinoTables::refusesOtherRelations()
{
    QCOMPARE(m_trino.problem(QStringLiteral("CREATE VIEW seen AS SELECT 1 AS a")), QString());
    const auto view = m_trino.session().tableInfo(m_trino.table(QStringLiteral("seen")), Call{});
    QVERIFY(!view);
    QCOMPARE(view.error().kind, ErrorKind::Unsupported);
    QCOMPARE(view.error().message,
             QStringLiteral("iceberg.%1.seen is not an Iceberg table: Relation 'iceberg.%1.seen' "
                            "is a view, not a table")
                 .arg(m_trino.schema()));
    QCOMPARE(m_trino.problem(QStringLiteral("DROP VIEW seen")), QString());
    const auto other = m_trino.session().tableInfo(
        {QStringLiteral("tpch"), QStringLiteral("tiny"), QStringLiteral("nation")}, Call{});
    QVERIFY(!other);
    QCOMPARE(other.error().kind, ErrorKind::Unsupported);
    QCOMPARE(other.error().message, QStringLiteral("tpch.tiny.nation is not an Iceberg table"));
}

void tst_TrinoTables::mapsErrors_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<QString>("code");
    QTest::addColumn<Place>("place");
    const auto row = [](const char *sql, ErrorKind kind, const char *code, Place place) {
        QTest::newRow(sql) << QString::fromUtf8(sql) << kind << QString::fromUtf8(code) << place;
    };
    row("SELEC 1", ErrorKind::Invalid, "syntax_error", {{}, 1, 1});
    row("SELECT 1 AS a, b FROM tpch.tiny.nation", ErrorKind::Invalid, "column_not_found",
        {{}, 1, 16});
    row("SELECT 1 + 'a'", ErrorKind::Invalid, "type_mismatch", {{}, 1, 10});
    row("SELECT nope(1)", ErrorKind::Invalid, "function_not_found", {{}, 1, 8});
    row("SELECT 1 / 0", ErrorKind::Invalid, "division_by_zero", {});
    row("SELECT * FROM nope", ErrorKind::NotFound, "table_not_found", {{}, 1, 15});
    row("SELECT * FROM nope.nope", ErrorKind::NotFound, "schema_not_found", {{}, 1, 15});
    row("SELECT * FROM nope.nope.nope", ErrorKind::NotFound, "catalog_not_found", {{}, 1, 15});
    row("CREATE TABLE tpch.tiny.x (a bigint)", ErrorKind::Unsupported, "not_supported", {});
}

void tst_TrinoTables::mapsErrors()
{
    QFETCH(QString, sql);
    QFETCH(ErrorKind, kind);
    QFETCH(QString, code);
    QFETCH(Place, place);
    const auto result = execute(m_trino.session(), sql, Call{});
    QVERIFY(!result);
    QCOMPARE(errorKindName(result.error().kind), errorKindName(kind));
    QCOMPARE(result.error().code, code);
    QCOMPARE(result.error().place, place);
}

void tst_TrinoTables::remembersSessionProperties()
{
    const QString shown = QStringLiteral("SHOW SESSION LIKE 'query_max_run_time'");
    QCOMPARE(m_trino.problem(QStringLiteral("SET SESSION query_max_run_time = '7m'")), QString());
    QVERIFY(m_trino.rows(shown).value(0).startsWith(u"query_max_run_time|7m|"));
    QCOMPARE(m_trino.problem(QStringLiteral("RESET SESSION query_max_run_time")), QString());
    QVERIFY(!m_trino.rows(shown).value(0).startsWith(u"query_max_run_time|7m|"));
}

QTEST_GUILESS_MAIN(tst_TrinoTables)
#include "tst_trino_tables.moc"
