// PyIceberg and the embedded engine on one warehouse.
#include "tests/interop/iceberg/peer.h"
#include "tests/unit/duckdb/warehouse_fixture.h"

using namespace ivm;
using namespace ivm::duckdb;

class tst_InteropEnginePyiceberg : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void itReadsPartitions_data();
    void itReadsPartitions();
    void itReadsDeletes();
    void weReadItsVersion1();
    void weReadItsFixedBytes();

private:
    QJsonArray rows(const char *table)
    {
        const auto answer =
            m_peer.ask(QStringLiteral("look"),
                       {{QStringLiteral("table"),
                         QString(QStringLiteral("main.") + QString::fromLatin1(table))}});
        if (answer.contains(u"error"))
            return {answer.value(u"error")};
        return answer.value(u"rows").toArray();
    }

    WarehouseFixture m_warehouse;
    test::Peer m_peer;
};

void tst_InteropEnginePyiceberg::initTestCase()
{
    m_warehouse.run(QStringLiteral("CREATE TABLE first (a integer)"));
    const QString problem = m_peer.start(m_warehouse.folder());
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
}

void tst_InteropEnginePyiceberg::itReadsPartitions_data()
{
    QTest::addColumn<QString>("partitioning");
    for (const char *text : {"year(ts)", "month(ts)", "day(ts)", "hour(ts)", "bucket(id, 4)",
                             "truncate(part, 2)", "part", "truncate(id, 10)", "bucket(part, 5)"})
        QTest::newRow(text) << QString::fromLatin1(text);
}

void tst_InteropEnginePyiceberg::itReadsPartitions()
{
    QFETCH(QString, partitioning);
    m_warehouse.run(QStringLiteral("DROP TABLE IF EXISTS p"));
    m_warehouse.run(
        QStringLiteral("CREATE TABLE p (id bigint NOT NULL, ts timestamp(6), part varchar) WITH "
                       "(partitioning = ARRAY['%1'])")
            .arg(partitioning));
    m_warehouse.run(QStringLiteral(
        "INSERT INTO p VALUES (1, TIMESTAMP '1969-12-31 23:59:59.999999', 'a/b'), (-11, NULL, "
        "'Zürich'), (30, TIMESTAMP '2001-01-01 00:00:00', NULL), (4, TIMESTAMP '2001-01-01 "
        "01:00:00', '')"));
    const QJsonArray expected{
        QJsonArray{-11, QJsonValue(), QStringLiteral("Zürich")},
        QJsonArray{1, -1, QStringLiteral("a/b")},
        QJsonArray{30, qint64(978307200000000), QJsonValue()},
        QJsonArray{4, qint64(978310800000000), QString()},
    };
    QCOMPARE(rows("p"), expected);
    // By value, so that it prunes by our partitions and bounds.
    const auto found = m_peer.ask(
        QStringLiteral("count"),
        {{QStringLiteral("table"), QStringLiteral("main.p")},
         {QStringLiteral("filters"),
          QJsonArray{QStringLiteral("id = -11"), QStringLiteral("id = 30"),
                     QStringLiteral("part = 'Zürich'"), QStringLiteral("part is null"),
                     QStringLiteral("part = ''"), QStringLiteral("ts < '1970-01-01T00:00:00'"),
                     QStringLiteral("ts = '2001-01-01T01:00:00'"), QStringLiteral("ts is null")}}});
    QCOMPARE(found.value(u"counts").toArray(), (QJsonArray{1, 1, 1, 1, 1, 1, 1, 1}));
}

void tst_InteropEnginePyiceberg::itReadsDeletes()
{
    m_warehouse.run(QStringLiteral("CREATE TABLE d (id bigint, ts timestamp(6), part varchar)"));
    m_warehouse.run(QStringLiteral("INSERT INTO d VALUES (1, NULL, 'a'), (2, NULL, 'b'), (3, NULL, "
                                   "'c')"));
    const auto open = m_warehouse.executor().warehouse().writing();
    const auto table = iceberg::loadTable(*open, m_warehouse.name("d"));
    auto next = table->metadata;
    next.properties.insert(QStringLiteral("write.delete.mode"), QStringLiteral("merge-on-read"));
    QVERIFY(iceberg::commitMetadata(*open, *table, next));
    m_warehouse.run(QStringLiteral("DELETE FROM d WHERE id = 2"));
    m_warehouse.run(QStringLiteral("UPDATE d SET part = 'x' WHERE id = 3"));
    QCOMPARE(rows("d"), (QJsonArray{QJsonArray{1, QJsonValue(), QStringLiteral("a")},
                                    QJsonArray{3, QJsonValue(), QStringLiteral("x")}}));
    m_peer.ask(
        QStringLiteral("append"),
        {{QStringLiteral("table"), QStringLiteral("main.d")},
         {QStringLiteral("rows"), QJsonArray{QJsonArray{9, QJsonValue(), QStringLiteral("new")}}}});
    QCOMPARE(m_warehouse.rows(QStringLiteral("SELECT id, part FROM d ORDER BY id")),
             QStringLiteral("1|a 3|x 9|new").split(u' '));
}

void tst_InteropEnginePyiceberg::weReadItsVersion1()
{
    const auto made =
        m_peer.ask(QStringLiteral("create"), {{QStringLiteral("table"), QStringLiteral("main.one")},
                                              {QStringLiteral("days"), true},
                                              {QStringLiteral("version"), 1}});
    QVERIFY2(!made.contains(u"error"), qPrintable(made.value(u"error").toString()));
    for (int i = 1; i <= 2; ++i)
        m_peer.ask(QStringLiteral("append"),
                   {{QStringLiteral("table"), QStringLiteral("main.one")},
                    {QStringLiteral("rows"),
                     QJsonArray{QJsonArray{i, i * 1000, QStringLiteral("a")},
                                QJsonArray{i + 10, QJsonValue(), QStringLiteral("b")}}}});
    QCOMPARE(m_warehouse.rows(QStringLiteral("SELECT id FROM one ORDER BY id")),
             QStringLiteral("1 2 11 12").split(u' '));
    QCOMPARE(m_warehouse.rows(QStringLiteral("SELECT count(*) FROM one WHERE ts IS NULL")),
             QStringList{QStringLiteral("2")});
    const Error refused = m_warehouse.failure(QStringLiteral("INSERT INTO one VALUES (5, NULL, "
                                                             "'x')"));
    QVERIFY(refused.kind == ErrorKind::Unsupported);
    // A view over it: what a refresh would put.
    m_warehouse.run(QStringLiteral("CREATE TABLE v AS SELECT part, count(*) AS n FROM one GROUP BY "
                                   "part"));
    QCOMPARE(m_warehouse.rows(QStringLiteral("SELECT part, n FROM v ORDER BY part")),
             QStringLiteral("a|2 b|2").split(u' '));
}

void tst_InteropEnginePyiceberg::weReadItsFixedBytes()
{
    const auto made = m_peer.ask(QStringLiteral("create_fixed"),
                                 {{QStringLiteral("table"), QStringLiteral("main.fixed")}});
    QVERIFY2(!made.contains(u"error"), qPrintable(made.value(u"error").toString()));
    QCOMPARE(m_warehouse.rows(QStringLiteral("SELECT f FROM fixed ORDER BY f")),
             QStringLiteral("X'00FF00FF' X'61626364' NULL").split(u' '));
    const Error refused =
        m_warehouse.failure(QStringLiteral("INSERT INTO fixed VALUES X'00000000'"));
    QCOMPARE(refused.text(), QStringLiteral("column 'f' is of Iceberg type fixed[4], which this "
                                            "engine does not write"));
    // Taking whole files away writes none.
    m_warehouse.run(QStringLiteral("DELETE FROM fixed"));
    QCOMPARE(m_warehouse.rows(QStringLiteral("SELECT count(*) FROM fixed")),
             QStringList{QStringLiteral("0")});
}

QTEST_GUILESS_MAIN(tst_InteropEnginePyiceberg)
#include "tst_interop_engine_pyiceberg.moc"
