// Arrays, maps and rows as columns of a target: keys are equal whatever is NULL or NaN inside of
// them, measures bit by bit.
#include "tests/unit/duckdb/warehouse_fixture.h"

using namespace ivm;
using namespace ivm::duckdb;

namespace {

struct OneRow {
    const char *tags;   // array(double), a key
    const char *place;  // row(a integer, b array(varchar)), a key
    const char *spot;   // row(x double, y map(varchar, double)), a measure
};

// No key twice, though some are hard to tell apart.
constexpr OneRow kRows[] = {
    {"NULL", "NULL", "NULL"},
    {"NULL", "ROW(NULL, NULL)", "ROW(NULL, NULL)"},
    {"ARRAY[]", "NULL", "ROW(nan(), MAP())"},
    {"ARRAY[NULL]", "NULL", "ROW(0e0, MAP(ARRAY['a'], ARRAY[0e0]))"},
    {"ARRAY[nan(), NULL]", "ROW(1, ARRAY['x', NULL])", "ROW(-0e0, MAP(ARRAY['a'], ARRAY[-0e0]))"},
    {"ARRAY[nan()]", "ROW(1, ARRAY['x', NULL])", "ROW(1e0, MAP(ARRAY['a', 'b'], ARRAY[NULL, 1]))"},
    {"ARRAY[0e0]", "ROW(1, ARRAY['x'])", "ROW(NULL, MAP(ARRAY['-nan'], ARRAY[nan()]))"},
    {"ARRAY[0e0]", "ROW(NULL, ARRAY[])", "ROW(infinity(), MAP(ARRAY['b', 'a'], ARRAY[1, NULL]))"},
};

const QString kTags = QStringLiteral("array(double)");
const QString kPlace = QStringLiteral("row(a integer, b array(varchar))");
const QString kSpot = QStringLiteral("row(x double, y map(varchar, double))");

QString rowText(const OneRow &row)
{
    return QStringLiteral("(CAST(%1 AS %4), CAST(%2 AS %5), CAST(%3 AS %6))")
        .arg(QString::fromUtf8(row.tags), QString::fromUtf8(row.place), QString::fromUtf8(row.spot),
             kTags, kPlace, kSpot);
}

QString selected(const QStringList &rows)
{
    return QStringLiteral("SELECT tags, place, spot FROM (VALUES %1) AS s(tags, place, spot)")
        .arg(rows.join(QStringLiteral(", ")));
}

QStringList everyRow()
{
    QStringList rows;
    for (const auto &row : kRows)
        rows.append(rowText(row));
    return rows;
}

}  // namespace

class tst_DuckdbNested : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { m_warehouse->run(QStringLiteral("DROP TABLE v")); }
    void leavesEqualRowsAlone();
    void takesAwayOneByOne();
    void writesWhatDiffersInOneBit_data();
    void writesWhatDiffersInOneBit();
    void refusesTwoRowsOfOneKey();

private:
    Result<CommitResult> replace(const QString &query)
    {
        const QList<OutputColumn> columns{
            {QStringLiteral("tags"), *parseType(kTags), ColumnClass::Key},
            {QStringLiteral("place"), *parseType(kPlace), ColumnClass::Key},
            {QStringLiteral("spot"), *parseType(kSpot), ColumnClass::Exact}};
        return m_warehouse->replaceAll(columns, query);
    }

    std::unique_ptr<WarehouseFixture> m_warehouse;
};

#define COMMITTED(result)                                                                          \
    QVERIFY2(result, qPrintable((result) ? QString() : (result).error().text()))

void tst_DuckdbNested::init()
{
    if (!m_warehouse)
        m_warehouse = std::make_unique<WarehouseFixture>();
    m_warehouse->run(
        QStringLiteral("CREATE TABLE v (tags %1, place %2, spot %3)").arg(kTags, kPlace, kSpot));
    const auto made = replace(selected(everyRow()));
    COMMITTED(made);
    QCOMPARE(made->rowsWritten, qsizetype(std::size(kRows)));
}

void tst_DuckdbNested::leavesEqualRowsAlone()
{
    const auto same = replace(selected(everyRow()));
    COMMITTED(same);
    QVERIFY(!same->committed);
}

void tst_DuckdbNested::takesAwayOneByOne()
{
    QStringList rows = everyRow();
    while (rows.size() > 1) {
        rows.removeFirst();
        const auto result = replace(selected(rows));
        COMMITTED(result);
        QCOMPARE(result->rowsDeleted, 1);
        QCOMPARE(result->rowsWritten, 0);
    }
}

void tst_DuckdbNested::writesWhatDiffersInOneBit_data()
{
    QTest::addColumn<int>("index");
    QTest::addColumn<QString>("spot");
    QTest::newRow("NULL and a row of NULLs") << 0 << "ROW(NULL, NULL)";
    QTest::newRow("a row of NULLs and NULL") << 1 << "NULL";
    QTest::newRow("an empty map and NULL") << 2 << "ROW(nan(), NULL)";
    QTest::newRow("zeros in a row") << 3 << "ROW(-0e0, MAP(ARRAY['a'], ARRAY[0e0]))";
    QTest::newRow("zeros in a map") << 4 << "ROW(-0e0, MAP(ARRAY['a'], ARRAY[0e0]))";
    QTest::newRow("NULL in a map") << 5 << "ROW(1e0, MAP(ARRAY['a', 'b'], ARRAY[0, 1]))";
    QTest::newRow("a key of a map") << 6 << "ROW(NULL, MAP(ARRAY['nan'], ARRAY[nan()]))";
}

void tst_DuckdbNested::writesWhatDiffersInOneBit()
{
    QFETCH(int, index);
    QFETCH(QString, spot);
    QStringList rows = everyRow();
    const QByteArray text = spot.toUtf8();
    rows[index] = rowText({kRows[index].tags, kRows[index].place, text.constData()});
    const auto result = replace(selected(rows));
    COMMITTED(result);
    QCOMPARE(result->rowsWritten, 1);
    QCOMPARE(result->rowsDeleted, 0);
    const auto same = replace(selected(rows));
    COMMITTED(same);
    QVERIFY(!same->committed);
}

void tst_DuckdbNested::refusesTwoRowsOfOneKey()
{
    const QStringList rows = everyRow();
    for (const auto &row : rows) {
        const auto refused = replace(selected(rows + QStringList(row)));
        QVERIFY2(!refused, qPrintable(row));
        QCOMPARE(refused.error().code, QStringLiteral("duplicate_key"));
    }
}

QTEST_GUILESS_MAIN(tst_DuckdbNested)
#include "tst_duckdb_nested.moc"
