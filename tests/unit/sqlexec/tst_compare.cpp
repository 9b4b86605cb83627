#include "framework/sqlexec/compare.h"

#include <QTest>

using namespace ivm;

namespace {

Type typeOf(const QString &text)
{
    const auto type = parseType(text);
    return type ? *type : Type();
}

}  // namespace

class tst_Compare : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void joinsKeysByHash_data();
    void joinsKeysByHash();
    void decidesByClass_data();
    void decidesByClass();
    void neverDecidesOnKeys();
    void keepsNamesWithPercentSigns();
};

void tst_Compare::joinsKeysByHash_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("sql");
    const auto row = [](const char *name, const char *type, const char *sql) {
        QTest::newRow(name) << QString::fromUtf8(type) << QString::fromUtf8(sql);
    };
    row("boolean", "boolean",
        "(a IS NULL) = (b IS NULL) AND coalesce(a, FALSE) = coalesce(b, FALSE)");
    row("bigint", "bigint", "(a IS NULL) = (b IS NULL) AND coalesce(a, 0) = coalesce(b, 0)");
    row("decimal", "decimal(12,2)",
        "(a IS NULL) = (b IS NULL) AND coalesce(a, CAST(0 AS decimal(12,2))) = coalesce(b, CAST(0 "
        "AS decimal(12,2)))");
    row("varchar", "varchar", "(a IS NULL) = (b IS NULL) AND coalesce(a, '') = coalesce(b, '')");
    row("timestamp", "timestamp(6)",
        "(a IS NULL) = (b IS NULL) AND coalesce(a, TIMESTAMP '1970-01-01 00:00:00') = "
        "coalesce(b, TIMESTAMP '1970-01-01 00:00:00')");
    row("double: one NaN, one zero", "double",
        "coalesce(to_ieee754_64(CASE WHEN is_nan(a) THEN nan() ELSE CAST(a AS double) + 0E0 END), "
        "X'') = "
        "coalesce(to_ieee754_64(CASE WHEN is_nan(b) THEN nan() ELSE CAST(b AS double) + 0E0 END), "
        "X'')");
    row("row: field by field", "row(x bigint, y varchar)",
        "(a IS NULL) = (b IS NULL) AND (a[1] IS NULL) = (b[1] IS NULL) AND coalesce(a[1], 0) = "
        "coalesce(b[1], 0) "
        "AND (a[2] IS NULL) = (b[2] IS NULL) AND coalesce(a[2], '') = coalesce(b[2], '')");
    row("array: candidates by length", "array(double)",
        "coalesce(cardinality(a), -1) = coalesce(cardinality(b), -1) AND "
        "coalesce(a IS NOT DISTINCT FROM b, FALSE)");
}

void tst_Compare::joinsKeysByHash()
{
    QFETCH(QString, type);
    QFETCH(QString, sql);
    QCOMPARE(sameKeySql(typeOf(type), QStringLiteral("a"), QStringLiteral("b")), sql);
}

void tst_Compare::decidesByClass_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<ColumnClass>("columnClass");
    QTest::addColumn<QString>("sql");
    const auto row = [](const char *name, const char *type, ColumnClass columnClass,
                        const char *sql) {
        QTest::newRow(name) << QString::fromUtf8(type) << columnClass << QString::fromUtf8(sql);
    };
    row("exact", "bigint", ColumnClass::Exact, "a IS DISTINCT FROM b");
    row("approximate", "bigint", ColumnClass::Approximate, "a IS DISTINCT FROM b");
    row("order-dependent", "varchar", ColumnClass::OrderDependent, "a IS DISTINCT FROM b");
    row("exact double: bit by bit, one NaN", "double", ColumnClass::Exact,
        "CASE WHEN is_nan(a) THEN X'' ELSE to_ieee754_64(CAST(a AS double)) END IS DISTINCT FROM "
        "CASE WHEN is_nan(b) THEN X'' ELSE to_ieee754_64(CAST(b AS double)) END");
    row("doubles in an array", "array(real)", ColumnClass::Exact,
        "transform(a, x1 -> CASE WHEN is_nan(x1) THEN X'' ELSE to_ieee754_64(CAST(x1 AS double)) "
        "END) "
        "IS DISTINCT FROM "
        "transform(b, x1 -> CASE WHEN is_nan(x1) THEN X'' ELSE to_ieee754_64(CAST(x1 AS double)) "
        "END)");
    row("doubles in a row in a map", "map(varchar, row(x double, y date))", ColumnClass::Exact,
        "transform_values(a, (k1, x1) -> CASE WHEN x1 IS NOT NULL THEN ROW(CASE WHEN is_nan(x1[1]) "
        "THEN X'' ELSE "
        "to_ieee754_64(CAST(x1[1] AS double)) END, x1[2]) END) IS DISTINCT FROM "
        "transform_values(b, (k1, x1) -> CASE WHEN x1 IS NOT NULL THEN ROW(CASE WHEN is_nan(x1[1]) "
        "THEN X'' ELSE "
        "to_ieee754_64(CAST(x1[1] AS double)) END, x1[2]) END)");
    row("float: within the tolerance", "double", ColumnClass::Float,
        "(CAST(a AS double) IS DISTINCT FROM CAST(b AS double) AND NOT coalesce(is_finite(CAST(a "
        "AS double)) AND "
        "is_finite(CAST(b AS double)) AND abs(CAST(a AS double) - CAST(b AS double)) <= 1E-9 * "
        "greatest(abs(CAST(a AS double)), abs(CAST(b AS double)), 1E-300), FALSE))");
    row("float class of another type is exact", "decimal(10,2)", ColumnClass::Float,
        "a IS DISTINCT FROM b");
}

void tst_Compare::decidesByClass()
{
    QFETCH(QString, type);
    QFETCH(ColumnClass, columnClass);
    QFETCH(QString, sql);
    const OutputColumn column{QStringLiteral("v"), typeOf(type), columnClass};
    const auto differs = differsSql(column, QStringLiteral("a"), QStringLiteral("b"));
    QVERIFY(differs);
    QCOMPARE(*differs, sql);
}

void tst_Compare::neverDecidesOnKeys()
{
    const OutputColumn column{QStringLiteral("v"), typeOf(QStringLiteral("double")),
                              ColumnClass::Key};
    QVERIFY(!differsSql(column, QStringLiteral("a"), QStringLiteral("b")));
}

void tst_Compare::keepsNamesWithPercentSigns()
{
    const QString left = QStringLiteral("t.\"%2 %1\"");
    const QString sql =
        sameKeySql(typeOf(QStringLiteral("map(double, double)")), left, QStringLiteral("s.c0"));
    QCOMPARE(sql, QStringLiteral(
                      "coalesce(cardinality(t.\"%2 %1\"), -1) = coalesce(cardinality(s.c0), -1) "
                      "AND coalesce(t.\"%2 %1\" IS NOT DISTINCT FROM s.c0, FALSE)"));
}

QTEST_GUILESS_MAIN(tst_Compare)
#include "tst_compare.moc"
