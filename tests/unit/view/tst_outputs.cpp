#include "framework/view/outputs.h"

#include "tests/support/views.h"

#include <QTest>

using namespace ivm;

Q_DECLARE_METATYPE(ivm::ColumnClass)

namespace {

Column column(const char *name, const char *type)
{
    return {.name = QString::fromUtf8(name), .type = *parseType(QString::fromUtf8(type))};
}

const QString kQuery =
    QStringLiteral("SELECT k, sum(x) AS s, avg(x) AS a, count(*) AS n FROM t GROUP BY 1");

}  // namespace

class tst_Outputs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void storesWithoutLoss_data();
    void storesWithoutLoss();
    void refusesWhatItWouldNarrow_data();
    void refusesWhatItWouldNarrow();
    void classesFollowTypes();
    void sortedArraysAreExactWhereEqualIsTheSame_data();
    void sortedArraysAreExactWhereEqualIsTheSame();
    void comparesTargets_data();
    void comparesTargets();
};

void tst_Outputs::storesWithoutLoss_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("stored");
    QTest::newRow("itself") << "decimal(38,2)" << "decimal(38,2)";
    QTest::newRow("small integers") << "tinyint" << "integer";
    QTest::newRow("bounded text") << "varchar(3)" << "varchar";
    QTest::newRow("milliseconds") << "timestamp(3) with time zone" << "timestamp(6) with time zone";
    QTest::newRow("inside") << "array(row(a varchar(2), b timestamp(0)))"
                            << "array(row(a varchar, b timestamp(6)))";
}

void tst_Outputs::storesWithoutLoss()
{
    QFETCH(QString, type);
    QFETCH(QString, stored);
    const auto result = storedType(*parseType(type));
    QVERIFY(result);
    QCOMPARE(result->text(), stored);
}

void tst_Outputs::refusesWhatItWouldNarrow_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("message");
    QTest::newRow("nanoseconds") << "timestamp(9)"
                                 << "an Iceberg table cannot hold timestamp(9) (it keeps "
                                    "microseconds, so distinct values would become equal)";
    QTest::newRow("padded text")
        << "char(3)" << "an Iceberg table cannot hold char(3) (trailing spaces would be lost)";
    QTest::newRow("json") << "json"
                          << "an Iceberg table cannot hold json (the format has no such type)";
    QTest::newRow("NULL alone") << "unknown"
                                << "an Iceberg table cannot hold unknown (the type of NULL alone)";
    QTest::newRow("nameless fields")
        << "row(bigint)"
        << "an Iceberg table cannot hold row(bigint) (a row's fields need names)";
    QTest::newRow("inside")
        << "map(varchar, interval day to second)"
        << "an Iceberg table cannot hold interval day to second (the format has no such type)";
}

void tst_Outputs::refusesWhatItWouldNarrow()
{
    QFETCH(QString, type);
    QFETCH(QString, message);
    const auto result = storedType(*parseType(type));
    QVERIFY(!result);
    QCOMPARE(result.error().message, message);
}

void tst_Outputs::classesFollowTypes()
{
    const auto view = test::viewOf(QStringLiteral("v"), kQuery);
    const auto whole = outputColumns(view.spec, view.shape,
                                     {column("k", "varchar"), column("s", "bigint"),
                                      column("a", "double"), column("n", "bigint")});
    QVERIFY(whole);
    QCOMPARE((*whole)[0].columnClass, ColumnClass::Key);
    QCOMPARE((*whole)[1].columnClass, ColumnClass::Exact);
    QCOMPARE((*whole)[2].columnClass, ColumnClass::Float);
    QCOMPARE((*whole)[3].columnClass, ColumnClass::Exact);
    const auto narrowed = outputColumns(view.spec, view.shape,
                                        {column("k", "timestamp(9)"), column("s", "bigint"),
                                         column("a", "double"), column("n", "bigint")});
    QVERIFY(!narrowed);
    QCOMPARE(narrowed.error().text(),
             QStringLiteral("views.yaml:4:14: view 'v': column 'k': an Iceberg table cannot hold "
                            "timestamp(9) (it keeps "
                            "microseconds, so distinct values would become equal). Cast it to a "
                            "type that an Iceberg "
                            "table holds"));
}

void tst_Outputs::sortedArraysAreExactWhereEqualIsTheSame_data()
{
    QTest::addColumn<QString>("measure");
    QTest::addColumn<QString>("type");
    QTest::addColumn<ColumnClass>("columnClass");
    const auto row = [](const char *measure, const char *type, ColumnClass columnClass) {
        QTest::addRow("%s, %s", measure, type)
            << QString::fromUtf8(measure) << QString::fromUtf8(type) << columnClass;
    };
    const auto open = ColumnClass::OrderDependent;
    row("array_agg(s ORDER BY s)", "array(varchar)", ColumnClass::Exact);
    row("array_agg(DISTINCT s ORDER BY s DESC)", "array(timestamp(3))", ColumnClass::Exact);
    row("array_agg(lower(s) ORDER BY k, lower(s) NULLS FIRST)", "array(varchar(3))",
        ColumnClass::Exact);
    row("array_agg(s ORDER BY s)", "array(double)", open);
    row("array_agg(s ORDER BY s)", "array(timestamp(6) with time zone)", open);
    row("array_agg(s ORDER BY s)", "array(row(a double))", open);
    row("array_agg(s ORDER BY k)", "array(varchar)", open);
    row("array_agg(s)", "array(varchar)", open);
    row("array_agg(lower(s) ORDER BY s)", "array(varchar)", open);
    // Of what is inside an expression the type is not known.
    row("array_join(array_agg(s ORDER BY s), ',')", "varchar", open);
    row("listagg(s, ',') WITHIN GROUP (ORDER BY s)", "varchar", ColumnClass::Exact);
    row("upper(listagg(s, ',') WITHIN GROUP (ORDER BY k, s))", "varchar", ColumnClass::Exact);
    row("listagg(s, ',') WITHIN GROUP (ORDER BY k)", "varchar", open);
}

void tst_Outputs::sortedArraysAreExactWhereEqualIsTheSame()
{
    QFETCH(QString, measure);
    QFETCH(QString, type);
    const auto view = test::viewOf(
        QStringLiteral("v"), QStringLiteral("SELECT d, %1 AS m FROM t GROUP BY 1").arg(measure));
    const auto outputs =
        outputColumns(view.spec, view.shape, {column("d", "date"), column("m", qPrintable(type))});
    QVERIFY(outputs);
    QTEST((*outputs)[1].columnClass, "columnClass");
}

void tst_Outputs::comparesTargets_data()
{
    QTest::addColumn<QStringList>("columns");
    QTest::addColumn<QString>("problem");
    const auto row = [](const char *name, QStringList columns, const char *problem) {
        QTest::newRow(name) << columns << QString::fromUtf8(problem);
    };
    row("the same", {QStringLiteral("k varchar"), QStringLiteral("N bigint")}, "");
    row("one less", {QStringLiteral("k varchar")}, "it has no 'n'");
    row("one more",
        {QStringLiteral("k varchar"), QStringLiteral("n bigint"), QStringLiteral("x double")},
        "it has 'x', which the view does not");
    row("another name", {QStringLiteral("j varchar"), QStringLiteral("n bigint")},
        "column 1 is 'j' instead of 'k'");
    row("another type", {QStringLiteral("k varchar"), QStringLiteral("n double")},
        "'n' is double instead of bigint");
}

void tst_Outputs::comparesTargets()
{
    QFETCH(QStringList, columns);
    QFETCH(QString, problem);
    const auto view = test::viewOf(QStringLiteral("v"),
                                   QStringLiteral("SELECT k, count(*) AS n FROM t GROUP BY 1"));
    const auto outputs =
        outputColumns(view.spec, view.shape, {column("k", "varchar"), column("n", "bigint")});
    TableInfo target;
    for (const auto &text : columns)
        target.columns.append(
            column(qPrintable(text.section(u' ', 0, 0)), qPrintable(text.section(u' ', 1))));
    const auto checked = checkTargetColumns(view.spec, *outputs, target);
    QCOMPARE(checked ? QString() : checked.error().message.section(QStringLiteral("columns: "), 1),
             problem);
}

QTEST_GUILESS_MAIN(tst_Outputs)
#include "tst_outputs.moc"
