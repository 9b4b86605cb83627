// Another reader of Iceberg, DuckDB's own extension, sees the rows that this engine sees; and
// row-level deletes of other writers are honoured by every statement.
#include "tests/unit/duckdb/warehouse_fixture.h"

#include "plugins/executor_duckdb/table/file_writer.h"

using namespace ivm;
using namespace ivm::duckdb;

class tst_EmbeddedReader : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void init();
    void agreesAfterEveryStatement();
    void honoursPositionDeletes();
    void rewritesFilesWithPositionDeletes();
    void compactsPositionDeletesAway();
    void replacesRowsBesidePositionDeletes();
    void refusesEqualityDeletesWithoutTheirColumn();

private:
    QStringList ours()
    {
        return m_warehouse->rows(QStringLiteral("SELECT * FROM t ORDER BY 1, 2"));
    }
    QStringList theirs();
    // Deletes the rows of a value as Trino does: in a file of positions beside the data.
    void deleteByPosition(const QString &condition,
                          iceberg::FileContent content = iceberg::FileContent::PositionDeletes);

    std::unique_ptr<Connection> m_reader;
    std::unique_ptr<WarehouseFixture> m_warehouse;
};

void tst_EmbeddedReader::initTestCase()
{
    auto database = Database::open({});
    QVERIFY(database);
    auto connection =
        Connection::open(*database, {QStringLiteral("SET TimeZone='UTC'"),
                                     QStringLiteral("LOAD '" IVM_AVRO_EXTENSION "'"),
                                     QStringLiteral("LOAD '" IVM_ICEBERG_EXTENSION "'")});
    QVERIFY2(connection, connection ? "" : qPrintable(connection.error().text()));
    m_reader = std::move(*connection);
}

void tst_EmbeddedReader::init()
{
    m_warehouse = std::make_unique<WarehouseFixture>();
    m_warehouse->run(QStringLiteral(
        "CREATE TABLE t (ts timestamp(6), k varchar) WITH (partitioning = ARRAY['day(ts)'])"));
    m_warehouse->run(QStringLiteral("INSERT INTO t VALUES (TIMESTAMP '2001-01-01 10:00:00', 'a'), "
                                    "(TIMESTAMP '2001-01-01 11:00:00', "
                                    "'b'), (TIMESTAMP '2001-01-02 10:00:00', 'a'), (TIMESTAMP "
                                    "'2001-01-02 11:00:00', NULL), (NULL, 'c')"));
}

QStringList tst_EmbeddedReader::theirs()
{
    const QString metadata = m_warehouse->info("t").head.token;
    const auto rows = m_reader->rows(
        QStringLiteral("SELECT * FROM iceberg_scan(%1) ORDER BY 1 NULLS LAST, 2 NULLS LAST")
            .arg(quotedLiteral(metadata)),
        {}, {});
    if (!rows) {
        QTest::qFail(qPrintable(rows.error().text()), __FILE__, __LINE__);
        return {};
    }
    QStringList lines;
    for (const auto &row : *rows)
        lines.append(row[0].text() + u'|' + row[1].text());
    return lines;
}

void tst_EmbeddedReader::deleteByPosition(const QString &condition, iceberg::FileContent content)
{
    const auto open = m_warehouse->executor().warehouse().writing();
    QVERIFY(open);
    const auto table = iceberg::loadTable(*open, m_warehouse->name("t"));
    QVERIFY(table);
    const auto live =
        iceberg::liveFiles(open->io, table->metadata, *table->metadata.currentSnapshot(), {}, {});
    QVERIFY(live);
    QList<iceberg::DataFile> deletes;
    for (const auto &file : live->data) {
        const auto path = localPath(file.file.path);
        QVERIFY(path);
        const QString select =
            QStringLiteral(
                "SELECT %1 AS file_path, file_row_number AS pos FROM read_parquet(%2) WHERE %3")
                .arg(quotedLiteral(file.file.path), quotedLiteral(*path), condition);
        const auto count =
            m_reader->rows(QStringLiteral("SELECT count(*) FROM (%1)").arg(select), {}, {});
        QVERIFY2(count, count ? "" : qPrintable(count.error().text()));
        if (std::get<qint64>(count->front().front().data) == 0)
            continue;
        iceberg::DataFile made = file.file;
        made.content = content;
        made.path = iceberg::newDataFileLocation(table->metadata);
        made.recordCount = std::get<qint64>(count->front().front().data);
        made.lowerBounds =
            made.upperBounds = {{iceberg::kDeleteFilePathId, file.file.path.toUtf8()}};
        made.columnSizes = made.valueCounts = made.nullValueCounts = {};
        if (content == iceberg::FileContent::EqualityDeletes)
            made.equalityIds = {2};
        QVERIFY(m_reader->execute(QStringLiteral("COPY (%1) TO %2 (FORMAT parquet, FIELD_IDS "
                                                 "{file_path: 2147483546, pos: 2147483545})")
                                      .arg(select, quotedLiteral(*localPath(made.path))),
                                  {}));
        made.sizeInBytes = QFileInfo(*localPath(made.path)).size();
        deletes.append(made);
    }
    QVERIFY(iceberg::commitSnapshot(
        *open, *table, {.operation = iceberg::Operation::Overwrite, .added = deletes}));
}

void tst_EmbeddedReader::agreesAfterEveryStatement()
{
    for (const auto *statement :
         {"INSERT INTO t VALUES (TIMESTAMP '1969-12-31 23:59:59.999999', 'é''')",
          "UPDATE t SET ts = TIMESTAMP '2001-01-03 00:00:00' WHERE k = 'b'",
          "DELETE FROM t WHERE k IS NULL", "ALTER TABLE t EXECUTE optimize",
          "INSERT INTO t SELECT ts, 'z' FROM t",
          "DELETE FROM t WHERE ts < TIMESTAMP '2001-01-02 00:00:00'",
          "ALTER TABLE t EXECUTE optimize"}) {
        m_warehouse->run(QString::fromUtf8(statement));
        QCOMPARE(theirs(), ours());
    }
    QVERIFY(!ours().isEmpty());
}

void tst_EmbeddedReader::honoursPositionDeletes()
{
    deleteByPosition(QStringLiteral("k = 'a'"));
    QCOMPARE(ours(), theirs());
    QCOMPARE(ours().size(), 3);
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT count(*) FROM t WHERE k = 'a'")),
             QStringList{QStringLiteral("0")});
    // Rows that come later are not touched by older deletes.
    m_warehouse->run(QStringLiteral("INSERT INTO t VALUES (TIMESTAMP '2001-01-01 10:00:00', 'a')"));
    QCOMPARE(ours().size(), 4);
    QCOMPARE(ours(), theirs());
}

void tst_EmbeddedReader::rewritesFilesWithPositionDeletes()
{
    deleteByPosition(QStringLiteral("k = 'a'"));
    QCOMPARE(m_warehouse->run(QStringLiteral("DELETE FROM t WHERE k = 'a'")), qint64(0));
    QCOMPARE(m_warehouse->run(QStringLiteral("UPDATE t SET k = 'new' WHERE k = 'b'")), qint64(1));
    QCOMPARE(ours(), (QStringList{QStringLiteral("2001-01-01 11:00:00.000000|new"),
                                  QStringLiteral("2001-01-02 11:00:00.000000|NULL"),
                                  QStringLiteral("NULL|c")}));
    QCOMPARE(ours(), theirs());
    QCOMPARE(m_warehouse->run(QStringLiteral("DELETE FROM t")), qint64(3));
    QCOMPARE(ours(), QStringList());
}

void tst_EmbeddedReader::compactsPositionDeletesAway()
{
    deleteByPosition(QStringLiteral("k = 'a' OR k = 'c'"));
    const QStringList before = ours();
    m_warehouse->run(QStringLiteral("ALTER TABLE t EXECUTE optimize"));
    QCOMPARE(ours(), before);
    QCOMPARE(ours(), theirs());
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT DISTINCT content FROM \"t$files\"")),
             QStringList{QStringLiteral("0")});
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT sum(record_count) FROM \"t$files\"")),
             QStringList{QStringLiteral("2")});
}

void tst_EmbeddedReader::replacesRowsBesidePositionDeletes()
{
    deleteByPosition(QStringLiteral("k = 'a'"));
    const Intent intent{.id = QStringLiteral("i"),
                        .view = QStringLiteral("t"),
                        .target = m_warehouse->name("t"),
                        .targetHead = m_warehouse->info("t").head,
                        .statementId = {},
                        .summary = {}};
    const ReplaceAll change{
        {.target = intent.target,
         .columns = {{QStringLiteral("ts"),
                      {.kind = TypeKind::Timestamp, .precision = 6},
                      ColumnClass::Key},
                     {QStringLiteral("k"), {.kind = TypeKind::Varchar}, ColumnClass::Exact}},
         .query = QStringLiteral("SELECT ts, k FROM (VALUES (TIMESTAMP '2001-01-01 10:00:00', "
                                 "'a'), (TIMESTAMP '2001-01-01 "
                                 "11:00:00', 'b'), (NULL, 'c')) AS v(ts, k)")}};
    const auto result = m_warehouse->session().commit(change, intent, {}, {});
    QVERIFY2(result, result ? "" : qPrintable(result.error().text()));
    QCOMPARE(result->rowsWritten, qint64(1));
    QCOMPARE(result->rowsDeleted, qint64(1));
    QCOMPARE(ours(), (QStringList{QStringLiteral("2001-01-01 10:00:00.000000|a"),
                                  QStringLiteral("2001-01-01 11:00:00.000000|b"),
                                  QStringLiteral("NULL|c")}));
    QCOMPARE(ours(), theirs());
}

void tst_EmbeddedReader::refusesEqualityDeletesWithoutTheirColumn()
{
    deleteByPosition(QStringLiteral("k = 'a'"), iceberg::FileContent::EqualityDeletes);
    const Error error = m_warehouse->failure(QStringLiteral("SELECT * FROM t"));
    QCOMPARE(error.kind, ErrorKind::Corrupt);
    QVERIFY2(
        error.message.contains(QStringLiteral("deletes rows by column 2, which it does not have")),
        qPrintable(error.message));
}

QTEST_GUILESS_MAIN(tst_EmbeddedReader)
#include "tst_embedded_reader.moc"
