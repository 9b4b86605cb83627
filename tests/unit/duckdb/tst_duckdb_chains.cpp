#include "tests/unit/duckdb/warehouse_fixture.h"

using namespace ivm::duckdb;

// Operators of one kind in a row, far more of them than DuckDB lets lie in one another.
class tst_DuckdbChains : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsLongChains_data();
    void readsLongChains();
};

void tst_DuckdbChains::readsLongChains_data()
{
    QTest::addColumn<QString>("chain");
    QTest::addColumn<QString>("value");
    const QStringList texts(1'000, QStringLiteral("s"));
    const QString all = QString(1'000, u'x') + QString(1'000, u'y');
    QTest::newRow("||")
        << QStringLiteral("max(%1)").arg(
               (texts + QStringList(1'000, QStringLiteral("t"))).join(QStringLiteral(" || ")))
        << all;
    QTest::newRow("|| with NULL") << QStringLiteral("max(%1 || CAST(NULL AS varchar))")
                                         .arg(texts.join(QStringLiteral(" || ")))
                                  << QStringLiteral("NULL");
    QTest::newRow("concat()") << QStringLiteral("max(concat(%1, %2))")
                                     .arg(texts.join(u','),
                                          QStringList(1'000, QStringLiteral("t")).join(u','))
                              << all;
    QTest::newRow("OR")
        << QStringLiteral("bool_or(s = '' %1)").arg(QStringLiteral("OR s = 'x' ").repeated(2'000))
        << QStringLiteral("true");
    QTest::newRow("AND") << QStringLiteral("bool_or(s = 'x' %1 AND s = 'z')")
                                .arg(QStringLiteral("AND s = 'x' ").repeated(2'000))
                         << QStringLiteral("false");
}

void tst_DuckdbChains::readsLongChains()
{
    QFETCH(QString, chain);
    QFETCH(QString, value);
    WarehouseFixture warehouse;
    QCOMPARE(
        warehouse.rows(QStringLiteral("SELECT %1 FROM (VALUES ('x', 'y')) AS v(s, t)").arg(chain)),
        QStringList(value));
}

QTEST_GUILESS_MAIN(tst_DuckdbChains)
#include "tst_duckdb_chains.moc"
