// Keys of every type that the embedded engine groups by: what is equal, and that nothing of them is
// written twice or lost.
#include "tests/unit/duckdb/warehouse_fixture.h"

using namespace ivm;
using namespace ivm::duckdb;

namespace {

struct KeyType {
    const char *type;
    const char *first;
    const char *second;  // not equal to the first, and hard to tell from it or from NULL
};

constexpr KeyType kKeyTypes[] = {
    {"boolean", "true", "false"},
    {"integer", "0", "-1"},
    {"bigint", "9007199254740992", "9007199254740993"},
    {"decimal(12,2)", "DECIMAL '0.00'", "DECIMAL '-0.01'"},
    {"decimal(38,0)", "DECIMAL '99999999999999999999999999999999999999'",
     "DECIMAL '99999999999999999999999999999999999998'"},
    {"varchar", "''", "' '"},
    {"varchar", "'é'", "'e'"},
    {"varbinary", "X''", "X'00'"},
    {"date", "DATE '0001-01-01'", "DATE '1969-12-31'"},
    {"timestamp(6)", "TIMESTAMP '1969-12-31 23:59:59.999999'", "TIMESTAMP '1970-01-01 00:00:00'"},
    {"timestamp(6) with time zone", "TIMESTAMP '1970-01-01 00:00:00 UTC'",
     "TIMESTAMP '1970-01-01 00:00:00.000001 UTC'"},
    {"double", "nan()", "-infinity()"},
    {"double", "0e0", "4.9E-324"},
    {"real", "CAST(nan() AS real)", "REAL '0.1'"},
};

}  // namespace

class tst_DuckdbKeys : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_warehouse->run(QStringLiteral("DROP TABLE v")); }
    void endsExactForEveryType();
    void takesBothZerosForOneKey();
    void mendsCopies_data();
    void mendsCopies();
    void findsCopiesOfOneRow();
    void refusesTwoRowsOfOneKeyUnwritten();

private:
    Result<CommitResult> replace(const QString &query)
    {
        return m_warehouse->replaceAll(m_columns, query);
    }

    void makeTarget(const QString &type)
    {
        m_columns = {{QStringLiteral("k"), *parseType(type), ColumnClass::Key},
                     {QStringLiteral("n"), {.kind = TypeKind::Bigint}, ColumnClass::Exact}};
        m_warehouse->run(QStringLiteral("CREATE TABLE v (k %1, n bigint)").arg(type));
    }

    void makeTargetOfEveryType();
    QString everyKey(int from, qsizetype least) const;

    QStringList counts() { return m_warehouse->rows(QStringLiteral("SELECT n FROM v ORDER BY n")); }

    std::unique_ptr<WarehouseFixture> m_warehouse;
    QList<OutputColumn> m_columns;
};

#define COMMITTED(result)                                                                          \
    QVERIFY2(result, qPrintable((result) ? QString() : (result).error().text()))

// One warehouse for all: opening one takes longer than what is done in it.
void tst_DuckdbKeys::init()
{
    if (!m_warehouse)
        m_warehouse = std::make_unique<WarehouseFixture>();
}

// All types in one table: each value makes a key of its own beside the key that is NULL in every
// column. They are made, left alone, changed, and taken away but one.
void tst_DuckdbKeys::endsExactForEveryType()
{
    const qsizetype last = qsizetype(2 * std::size(kKeyTypes));
    makeTargetOfEveryType();
    const auto made = replace(everyKey(100, 0));
    COMMITTED(made);
    QCOMPARE(made->rowsWritten, last + 1);
    const auto same = replace(everyKey(100, 0));
    COMMITTED(same);
    QVERIFY(!same->committed);
    const auto changed = replace(everyKey(200, 0));
    COMMITTED(changed);
    QCOMPARE(changed->rowsWritten, last + 1);
    QCOMPARE(changed->rowsDeleted, 0);
    QCOMPARE(counts().first(), QStringLiteral("200"));
    QCOMPARE(counts().last(), QString::number(200 + last));
    const auto one = replace(everyKey(200, 200 + last));
    COMMITTED(one);
    QCOMPARE(one->rowsDeleted, last);
    QCOMPARE(one->rowsWritten, 0);
    QCOMPARE(counts(), QStringList(QString::number(200 + last)));
}

void tst_DuckdbKeys::makeTargetOfEveryType()
{
    m_columns.clear();
    QStringList definitions;
    for (const auto &one : kKeyTypes) {
        const QString name = QStringLiteral("k%1").arg(m_columns.size());
        const QString type = QString::fromUtf8(one.type);
        m_columns.append({name, *parseType(type), ColumnClass::Key});
        definitions.append(name + u' ' + type);
    }
    m_columns.append({QStringLiteral("n"), {.kind = TypeKind::Bigint}, ColumnClass::Exact});
    m_warehouse->run(QStringLiteral("CREATE TABLE v (%1, n bigint)")
                         .arg(definitions.join(QStringLiteral(", "))));
}

// Two rows a type and one of NULLs, numbered from `from`; those that are at least `least`.
QString tst_DuckdbKeys::everyKey(int from, qsizetype least) const
{
    const auto row = [&](size_t column, const char *value, qsizetype number) {
        QStringList values;
        for (size_t i = 0; i < std::size(kKeyTypes); ++i)
            values.append(QStringLiteral("CAST(%1 AS %2)")
                              .arg(QString::fromUtf8(i == column ? value : "NULL"),
                                   QString::fromUtf8(kKeyTypes[i].type)));
        return QStringLiteral("(%1, %2)").arg(values.join(u','), QString::number(number));
    };
    QStringList rows;
    for (size_t i = 0; i < std::size(kKeyTypes); ++i) {
        rows.append(row(i, kKeyTypes[i].first, from + rows.size()));
        rows.append(row(i, kKeyTypes[i].second, from + rows.size()));
    }
    rows.append(row(std::size(kKeyTypes), "NULL", from + rows.size()));
    QStringList names;
    for (const auto &column : m_columns)
        names.append(column.name);
    return QStringLiteral("SELECT %1 FROM (VALUES %2) AS s(%1) WHERE n >= %3")
        .arg(names.join(u','), rows.join(u','), QString::number(least));
}

void tst_DuckdbKeys::takesBothZerosForOneKey()
{
    makeTarget(QStringLiteral("double"));
    COMMITTED(replace(QStringLiteral("SELECT -0e0 AS k, BIGINT '1' AS n")));
    const auto other = replace(QStringLiteral("SELECT 0e0 AS k, BIGINT '1' AS n"));
    COMMITTED(other);
    QVERIFY(!other->committed);
    const auto both = replace(
        QStringLiteral("SELECT k, count(*) AS n FROM (VALUES 0e0, -0e0) AS s(k) GROUP BY k"));
    COMMITTED(both);
    QCOMPARE(both->rowsWritten, 1);
    QCOMPARE(counts(), QStringList(QStringLiteral("2")));
}

void tst_DuckdbKeys::mendsCopies_data()
{
    QTest::addColumn<QString>("stored");
    QTest::addColumn<QString>("wanted");
    QTest::newRow("equal copies") << "('a', 1), ('a', 1), ('b', 1)" << "('a', 1), ('b', 1)";
    QTest::newRow("one copy is right") << "('a', 1), ('a', 2), ('b', 1)" << "('a', 2), ('b', 1)";
    QTest::newRow("no copy is right") << "('a', 1), ('a', 2), ('b', 1)" << "('a', 3), ('b', 1)";
    QTest::newRow("the key vanishes") << "('a', 1), ('a', 1), ('b', 1)" << "('b', 1)";
    QTest::newRow("copies of NULL") << "(NULL, 1), (NULL, 1), ('b', 1)" << "(NULL, 1), ('b', 2)";
}

void tst_DuckdbKeys::mendsCopies()
{
    QFETCH(QString, stored);
    QFETCH(QString, wanted);
    makeTarget(QStringLiteral("varchar"));
    m_warehouse->run(QStringLiteral("INSERT INTO v VALUES ") + stored);
    const QString query =
        QStringLiteral("SELECT CAST(k AS varchar) AS k, CAST(n AS bigint) AS n FROM (VALUES %1) AS "
                       "s(k, n)")
            .arg(wanted);
    COMMITTED(replace(query));
    const QString order = QStringLiteral(" ORDER BY k, n");
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT k, n FROM v") + order),
             m_warehouse->rows(query + order));
    const auto again = replace(query);
    COMMITTED(again);
    QVERIFY(!again->committed);
}

// Nothing but keys: what DISTINCT gives.
void tst_DuckdbKeys::findsCopiesOfOneRow()
{
    m_columns = {{QStringLiteral("k"), {.kind = TypeKind::Varchar}, ColumnClass::Key}};
    m_warehouse->run(QStringLiteral("CREATE TABLE v (k varchar)"));
    m_warehouse->run(QStringLiteral("INSERT INTO v VALUES ('a'), ('a'), (NULL), (NULL), ('x')"));
    const QString query =
        QStringLiteral("SELECT DISTINCT k FROM (VALUES 'a', NULL, 'b', 'a') AS s(k)");
    const auto mended = replace(query);
    COMMITTED(mended);
    QCOMPARE(mended->rowsDeleted, 3);
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT k FROM v ORDER BY k")),
             m_warehouse->rows(query + QStringLiteral(" ORDER BY k")));
    QVERIFY(!replace(query)->committed);
}

void tst_DuckdbKeys::refusesTwoRowsOfOneKeyUnwritten()
{
    makeTarget(QStringLiteral("double"));
    for (const char *twice : {"nan()", "CAST(NULL AS double)", "0e0"}) {
        const auto head = m_warehouse->info("v").head;
        const auto refused = replace(
            QStringLiteral("SELECT k, CAST(1 AS bigint) AS n FROM (VALUES %1, %1, 1e0) AS s(k)")
                .arg(QLatin1StringView(twice)));
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, QStringLiteral("duplicate_key"));
        QCOMPARE(refused.error().message,
                 QStringLiteral("the query for iceberg.main.v gives more than one row for 1 of its "
                                "keys (\"k\")"));
        QCOMPARE(m_warehouse->info("v").head, head);
    }
}

QTEST_GUILESS_MAIN(tst_DuckdbKeys)
#include "tst_duckdb_keys.moc"
