// Operations that are written into a file: reading the text gives the same operations.
#include "framework/migrate/operation_yaml.h"
#include "framework/migrate/operation_reader.h"
#include "framework/migrate/sort_text.h"

#include <QTest>

using namespace ivm;
using namespace ivm::migrate;

namespace {

const TableName kDefaults{QStringLiteral("iceberg"), QStringLiteral("main"), QString()};
const TableName kHere{QStringLiteral("iceberg"), QStringLiteral("main"), QStringLiteral("t")};
const TableName kElsewhere{QStringLiteral("other cat"), QStringLiteral("s.x"),
                           QStringLiteral("it's \"t\": #1")};

ViewSpec viewSpec(const QString &text)
{
    ViewSpec spec;
    spec.name = QStringLiteral("hourly");
    spec.query = QStringLiteral("SELECT a, count(*) AS n -- ") + QString(text).simplified() +
                 QStringLiteral("\n  FROM t\n\nWHERE b <> ") + quotedLiteral(text) +
                 QStringLiteral(" GROUP BY a");
    spec.target = {kDefaults.catalog, kDefaults.schema, spec.name};
    return spec;
}

ViewSpec everyOption(const QString &text)
{
    using namespace std::chrono_literals;
    ViewSpec spec = viewSpec(text);
    spec.target = {QStringLiteral("iceberg"), QStringLiteral("x y"), QStringLiteral("z\"")};
    spec.targetPartitioning = {{Transform::Bucket, QStringLiteral("a b"), 16},
                               {Transform::Day, QStringLiteral("h"), 0}};
    spec.sortedBy = {QStringLiteral("a DESC"), text.isEmpty() ? QStringLiteral("b") : text};
    spec.refreshInterval = 500ms;
    spec.targetLag = 90s;
    spec.fullRefreshChunk = QStringLiteral("month");
    spec.queryTimeout = 7s;
    spec.keys = {QStringLiteral("a"), QStringLiteral("true")};
    spec.incremental = Incremental::Required;
    spec.sessionProperties = {{QStringLiteral("query_max_run_time"), QStringLiteral("30m")},
                              {QStringLiteral("on"), QStringLiteral("true")}};
    spec.comment = text;
    spec.maintenance.interval = 60s;
    spec.maintenance.optimize = false;
    spec.maintenance.optimizeFileSizeThreshold = QStringLiteral("128MB");
    return spec;
}

TableSpec tableSpec(const QString &text)
{
    TableSpec spec;
    spec.name = kElsewhere;
    const char *types[] = {"boolean",
                           "integer",
                           "bigint",
                           "real",
                           "double",
                           "decimal(12,2)",
                           "varchar",
                           "varbinary",
                           "uuid",
                           "date",
                           "time(6)",
                           "timestamp(6)",
                           "timestamp(6) with time zone",
                           "array(integer)",
                           "map(varchar, array(double))",
                           "row(a bigint, \"b c\" row(\"D\" varchar, e timestamp(6)))"};
    for (const char *type : types)
        spec.columns.append({.name = QStringLiteral("c%1").arg(spec.columns.size()),
                             .type = *parseType(QString::fromLatin1(type)),
                             .comment = text});
    spec.columns.append({.name = text.isEmpty() ? QStringLiteral("x") : text.toLower(),
                         .type = {.kind = TypeKind::Bigint},
                         .nullable = false});
    spec.partitioning = {{Transform::Truncate, QStringLiteral("c6"), 3},
                         {Transform::Identity, QStringLiteral("c1"), 0}};
    spec.sortedBy = {QStringLiteral("c1 NULLS LAST")};
    spec.comment = text;
    return spec;
}

QList<Operation> operations(const QString &text)
{
    const QString name = text.isEmpty() ? QStringLiteral("empty") : text;
    const Properties properties{{QStringLiteral("a"), quotedLiteral(text)},
                                {QStringLiteral("b.c"), QStringLiteral("2")},
                                {QStringLiteral("d"), QStringLiteral("true")},
                                {QStringLiteral("e"), QStringLiteral("ARRAY['x', '''']")},
                                {QStringLiteral("f"), std::nullopt}};
    return {
        CreateView{viewSpec(text)},
        CreateView{everyOption(text)},
        ReplaceView{viewSpec(text), true},
        ReplaceView{everyOption(text), false},
        RestoreView{name},
        DropView{name, false},
        DropView{name, true},
        RenameView{name, QStringLiteral("b")},
        Backfill{name},
        CreateSchema{{QStringLiteral("iceberg"), QStringLiteral("s"), {}}},
        CreateSchema{{QStringLiteral("c d"), QStringLiteral("s.t"), {}}},
        DropSchema{{QStringLiteral("iceberg"), QStringLiteral("main"), {}}},
        CreateTable{{.name = kHere,
                     .columns = {{.name = QStringLiteral("a"), .type = {.kind = TypeKind::Date}}}},
                    {}},
        CreateTable{tableSpec(text), properties},
        DropTable{kHere},
        RenameTable{kHere, kElsewhere},
        AddColumn{kElsewhere,
                  {.name = name.toLower(),
                   .type = *parseType(u"row(a decimal(5,1))"),
                   .nullable = false,
                   .comment = text}},
        DropColumn{kHere, name.toLower()},
        RenameColumn{kHere, name.toLower(), QStringLiteral("b")},
        AlterColumn{kHere, name.toLower(), Type{.kind = TypeKind::Bigint}, std::nullopt, false},
        AlterColumn{kHere, QStringLiteral("a"), std::nullopt, text, true},
        AlterColumn{kHere, QStringLiteral("a"), std::nullopt, QString(), false},
        SetPartitioning{kHere, {}},
        SetPartitioning{kHere, {{Transform::Month, QStringLiteral("h"), 0}}},
        SetSortOrder{kHere, {}},
        SetSortOrder{kHere, {canonicalSort(name), QStringLiteral("b DESC")}},
        SetProperties{kElsewhere, properties},
        Sql{QStringLiteral("UPDATE t SET a = ") + quotedLiteral(text), QString()},
        Sql{QStringLiteral("UPDATE t\n  SET a = 1"),
            QStringLiteral("DELETE FROM t WHERE a = ") + quotedLiteral(text)},
    };
}

QString written(const Operation &operation)
{
    yaml::Node list = yaml::listNode({});
    list.items.push_back(stepNode(operation, kDefaults));
    return yaml::write(list) + u'\n';
}

// All that an operation is, but for what is written of it.
QString known(const Operation &operation)
{
    QString out = operationText(operation) + u'\n';
    if (const auto statements = statementsOf(operation))
        out += statements->join(u'\n');
    return out;
}

}  // namespace

class tst_OperationYaml : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsBack_data();
    void readsBack();
    void looks_data();
    void looks();
    void thereIsOneOfEach();
};

void tst_OperationYaml::readsBack_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("nothing") << QString();
    QTest::newRow("a word") << QStringLiteral("word");
    QTest::newRow("quotes") << QStringLiteral("it's \"so\" \\ `x`");
    QTest::newRow("what YAML means something by")
        << QStringLiteral("- a: {b, c} # [d] &e *f !g |h >i %j @k");
    QTest::newRow("a comment's start") << QStringLiteral("# x");
    QTest::newRow("a document's end") << QStringLiteral("---");
    QTest::newRow("null") << QStringLiteral("null");
    QTest::newRow("true") << QStringLiteral("true");
    QTest::newRow("a number") << QStringLiteral("12");
    QTest::newRow("spaces") << QStringLiteral("a  b");
    QTest::newRow("lines") << QStringLiteral("a\n  b\n\n# c\n- d");
    QTest::newRow("line ends of Windows") << QStringLiteral("a\r\nb");
    QTest::newRow("control characters") << QStringLiteral("a\u0001\u001b[31m\u007fb");
    QTest::newRow("line ends of Unicode") << QStringLiteral("a\u2028b\u0085c\ufeffd");
    QTest::newRow("other scripts") << QStringLiteral("größe 漢字 😀");
    QTest::newRow("long") << QStringLiteral("word ").repeated(60).trimmed();
}

void tst_OperationYaml::readsBack()
{
    QFETCH(QString, text);
    for (const auto &operation : operations(text)) {
        const QString yaml = written(operation);
        const auto root = yaml::parse(yaml.toUtf8(), QStringLiteral("written"));
        QVERIFY2(root, qPrintable(root ? QString() : root.error().text() + u'\n' + yaml));
        QList<Error> problems;
        const auto steps = readSteps(*root, kDefaults, problems);
        QVERIFY2(
            problems.isEmpty(),
            qPrintable(problems.isEmpty() ? QString() : problems.first().text() + u'\n' + yaml));
        QCOMPARE(steps.size(), 1);
        QCOMPARE(known(steps.first().operation), known(operation));
        QCOMPARE(written(steps.first().operation), yaml);
    }
}

void tst_OperationYaml::looks_data()
{
    QTest::addColumn<QString>("yaml");
    const auto row = [](const char *name, const char *yaml) {
        QTest::newRow(name) << QString::fromUtf8(yaml);
    };
    row("create_view", "- create_view:\n"
                       "    name: hourly\n"
                       "    query: |\n"
                       "      SELECT a, count(*) AS n\n"
                       "      FROM t GROUP BY 1\n"
                       "    refresh_interval_seconds: 5\n"
                       "    target_partitioning: [day(h)]\n"
                       "    target_table: s.x\n");
    row("replace_view", "- replace_view:\n"
                        "    name: hourly\n"
                        "    query: |\n"
                        "      SELECT a, count(*) AS n FROM t GROUP BY 1\n"
                        "    verify: false\n");
    row("restore_view", "- restore_view: {name: hourly}\n");
    row("drop_view", "- drop_view: {name: hourly, drop_target: true}\n");
    row("rename_view", "- rename_view: {from: a, to: b}\n");
    row("backfill", "- backfill: {view: a}\n");
    row("create_schema", "- create_schema: {name: staging}\n");
    row("drop_schema", "- drop_schema: {name: other.staging}\n");
    row("create_table", "- create_table:\n"
                        "    name: staging.events\n"
                        "    columns:\n"
                        "      - {name: id, type: bigint, nullable: false, comment: the key}\n"
                        "      - {name: ts, type: timestamp(6) with time zone}\n"
                        "      - {name: r, type: \"row(a integer, b array(varchar))\"}\n"
                        "    partitioning: [day(ts), \"bucket(id, 16)\"]\n"
                        "    sorted_by: [id DESC]\n"
                        "    comment: \"it's what happened\"\n"
                        "    properties: {format_version: 2, x: [a, b], z: null}\n");
    row("drop_table", "- drop_table: {name: t}\n");
    row("rename_table", "- rename_table: {from: t, to: \"c.s.\\\"T 1\\\"\"}\n");
    row("add_column", "- add_column: {table: t, name: a, type: varchar, comment: \"1st\"}\n");
    row("drop_column", "- drop_column: {table: t, name: a}\n");
    row("rename_column", "- rename_column: {table: t, from: a, to: b}\n");
    row("alter_column", "- alter_column: {table: t, name: a, type: bigint, nullable: true}\n"
                        "- alter_column: {table: t, name: a, comment: \"\"}\n");
    row("set_partitioning", "- set_partitioning: {table: t, partitioning: [day(ts)]}\n"
                            "- set_partitioning: {table: t, partitioning: []}\n");
    row("set_sort_order", "- set_sort_order: {table: t, sorted_by: [a NULLS LAST, b DESC]}\n");
    row("set_properties", "- set_properties:\n"
                          "    table: t\n"
                          "    properties: {format: ORC}\n");
    row("sql", "- sql:\n"
               "    statement: |\n"
               "      COMMENT ON TABLE t IS 'a'\n"
               "    undo: |\n"
               "      COMMENT ON TABLE t IS NULL\n");
}

void tst_OperationYaml::looks()
{
    QFETCH(QString, yaml);
    const auto root = yaml::parse(yaml.toUtf8(), QStringLiteral("written"));
    QVERIFY(root);
    QList<Error> problems;
    const auto steps = readSteps(*root, kDefaults, problems);
    QCOMPARE(problems, QList<Error>());
    QString out;
    for (const auto &step : steps)
        out += written(step.operation);
    // Names are kept in lower case.
    QCOMPARE(out, yaml.replace(QStringLiteral("T 1"), QStringLiteral("t 1")));
}

void tst_OperationYaml::thereIsOneOfEach()
{
    QSet<QString> names;
    for (const auto &operation : operations(QString()))
        names.insert(operationName(operation));
    const QStringList all = operationNames();
    QCOMPARE(names, QSet<QString>(all.begin(), all.end()));
}

QTEST_GUILESS_MAIN(tst_OperationYaml)
#include "tst_operation_yaml.moc"
