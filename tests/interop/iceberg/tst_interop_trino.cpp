#include "tests/interop/iceberg/shared_table.h"

using namespace ivm;
using namespace ivm::iceberg;
using namespace ivm::test;

namespace {

constexpr qint64 kDay = 86'400'000'000;

}  // namespace

// Trino and we on one warehouse, by the catalog `embedded` of tests/trino/up.
class tst_InteropTrino : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void itReadsWhatWeCommit();
    void itWritesToOurTables();
    void weReadItsPositionDeletes();
    void weFindWhatItChanged();
    void weReadItsTypes();
    void itRollsBackAndWeGoOn();

private:
    Warehouse all() { return {*m_catalog, m_io, m_clock}; }
    TableName name(const QString &table) const
    {
        return {QStringLiteral("embedded"), m_schema, table};
    }
    Table load(const QString &table) { return valueOf(loadTable(all(), name(table))); }
    Table make(const QString &table)
    {
        const auto schema = valueOf(makeSchema(
            {{.name = QStringLiteral("id"), .type = {.kind = TypeKind::Bigint}},
             {.name = QStringLiteral("ts"), .type = {.kind = TypeKind::Timestamp, .precision = 6}},
             {.name = QStringLiteral("part"), .type = {.kind = TypeKind::Varchar}}}));
        const auto spec = valueOf(makeSpec({{Transform::Day, QStringLiteral("ts"), 0}}, schema));
        return valueOf(
            createTable(all(), name(table),
                        makeMetadata({.location = newTableLocation(fileUri(m_folder), name(table)),
                                      .schema = schema,
                                      .spec = spec,
                                      .sortOrder = {}})));
    }
    Table commit(const Table &base, const SnapshotChange &change)
    {
        return valueOf(commitSnapshot(all(), base, change));
    }
    QStringList sql(const QString &text)
    {
        return m_peer.sql(QString(text).replace(u'@', m_schema));
    }
    LiveFiles liveOf(const Table &table)
    {
        return valueOf(liveFiles(m_io, table.metadata, *table.metadata.currentSnapshot(), {}, {}));
    }

    QString m_folder = qEnvironmentVariable("IVM_TEST_EMBEDDED");
    QString m_schema = QStringLiteral("interop_%1").arg(QCoreApplication::applicationPid());
    std::unique_ptr<SqlCatalog> m_catalog;
    LocalFileIO m_io;
    SystemClock m_clock;
    Peer m_peer;
};

void tst_InteropTrino::initTestCase()
{
    QVERIFY2(!m_folder.isEmpty() && qEnvironmentVariableIsSet("TRINO_URL"),
             "TRINO_URL and IVM_TEST_EMBEDDED are not set: start a Trino with tests/trino/up and "
             "load the env file it names");
    m_catalog =
        valueOf(SqlCatalog::open({.database = QString(m_folder + QStringLiteral("/catalog.db")),
                                  .access = CatalogAccess::ReadWrite}));
    const QString problem = m_peer.start(m_folder);
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    QVERIFY(m_catalog->createSchema(m_schema));
}

void tst_InteropTrino::cleanupTestCase()
{
    if (!m_catalog)
        return;
    for (const auto &entry : m_catalog->list(m_schema).value_or(QList<CatalogEntry>()))
        sql(QStringLiteral("DROP TABLE @.") + entry.name.table);
    QVERIFY(m_catalog->dropSchema(m_schema));
}

void tst_InteropTrino::itReadsWhatWeCommit()
{
    auto table = make(QStringLiteral("ours"));
    const auto first =
        writeFile(m_peer, table, {{1, 10, QStringLiteral("a")}, {2, 20, QStringLiteral("b")}});
    table = commit(table, {.added = {first, writeFile(m_peer, table,
                                                      {{3, kDay + 5, QStringLiteral("Zürich")}})}});
    const auto before = *table.metadata.currentSnapshotId;
    table = commit(table,
                   {.operation = Operation::Overwrite,
                    .added = {writeFile(m_peer, table, {{4, std::nullopt, QStringLiteral("a")}})},
                    .removed = {first.path}});
    QCOMPARE(sql(QStringLiteral("SELECT id, CAST(ts AS varchar), part FROM @.ours ORDER BY id")),
             (QStringList{QStringLiteral("3|1970-01-02 00:00:00.000005|Zürich"),
                          QStringLiteral("4||a")}));
    QCOMPARE(
        sql(QStringLiteral("SELECT id FROM @.ours FOR VERSION AS OF %1 ORDER BY 1").arg(before)),
        QStringLiteral("1 2 3").split(u' '));
    QCOMPARE(sql(QStringLiteral(
                 "SELECT count(*) FROM @.ours WHERE ts >= TIMESTAMP '1970-01-02 00:00:00'")),
             QStringList{QStringLiteral("1")});
    QCOMPARE(sql(QStringLiteral("SELECT partition.ts_day, record_count FROM @.\"ours$partitions\" "
                                "WHERE partition.ts_day IS NOT NULL")),
             QStringList{QStringLiteral("1970-01-02|1")});
    QCOMPARE(sql(QStringLiteral("SELECT operation, summary['total-records'] FROM "
                                "@.\"ours$snapshots\" ORDER BY committed_at")),
             QStringLiteral("append|3 overwrite|2").split(u' '));
    QCOMPARE(sql(QStringLiteral("SELECT status, data_file.record_count FROM @.\"ours$all_entries\" "
                                "WHERE snapshot_id = %1 ORDER BY 1, 2")
                     .arg(*table.metadata.currentSnapshotId)),
             QStringLiteral("1|1 2|2").split(u' '));
}

void tst_InteropTrino::itWritesToOurTables()
{
    auto table = make(QStringLiteral("shared"));
    table = commit(table, {.added = {writeFile(m_peer, table, {{1, 10, QStringLiteral("a")}})}});
    QCOMPARE(sql(QStringLiteral(
                 "INSERT INTO @.shared VALUES (2, TIMESTAMP '1970-01-03 00:00:01', 'x')")),
             QStringList{QStringLiteral("1")});
    table = load(QStringLiteral("shared"));
    QCOMPARE(table.metadata.snapshots.size(), 2);
    const auto files = liveOf(table).data;
    QCOMPARE(files.size(), size_t(2));
    for (const auto &file : files) {
        if (file.sequenceNumber != 2)
            continue;
        QCOMPARE(file.file.partition, QList<Literal>{Literal{qint64(2)}});
        QCOMPARE(fileBounds(file.file, 2, table.metadata),
                 (FileBounds{.lower = 2 * kDay + 1'000'000,
                             .upper = 2 * kDay + 1'000'000,
                             .nullState = NullState::Never}));
    }
    table = commit(table, {.operation = Operation::Delete,
                           .removed = {files[0].file.path, files[1].file.path}});
    QCOMPARE(sql(QStringLiteral("SELECT count(*) FROM @.shared")),
             QStringList{QStringLiteral("0")});
}

void tst_InteropTrino::weReadItsPositionDeletes()
{
    auto table = make(QStringLiteral("deleted"));
    table = commit(
        table,
        {.added = {
             writeFile(m_peer, table, {{1, 10, QStringLiteral("a")}, {2, 20, QStringLiteral("b")}}),
             writeFile(m_peer, table,
                       {{3, 30, QStringLiteral("c")}, {4, 40, QStringLiteral("d")}})}});
    QCOMPARE(sql(QStringLiteral("DELETE FROM @.deleted WHERE id = 3")),
             QStringList{QStringLiteral("1")});
    table = load(QStringLiteral("deleted"));
    const auto files = liveOf(table);
    QCOMPARE(files.data.size(), size_t(2));
    QCOMPARE(files.deletes.size(), size_t(1));
    QCOMPARE(files.deletes[0].file.content, FileContent::PositionDeletes);
    for (const auto &file : files.data)
        QCOMPARE(file.deletes.size(), fileBounds(file.file, 1, table.metadata).lower == 3 ? 1 : 0);
}

// Trino writes position deletes, and reads what the other writers wrote.
void tst_InteropTrino::weFindWhatItChanged()
{
    auto table = make(QStringLiteral("watched"));
    table = commit(
        table,
        {.added = {
             writeFile(m_peer, table, {{1, 10, QStringLiteral("a")}, {2, 20, QStringLiteral("b")}}),
             writeFile(m_peer, table, {{3, 30, QStringLiteral("c")}, {4, 40, QStringLiteral("d")}}),
             writeFile(m_peer, table, {{5, kDay, QStringLiteral("e")}})}});
    const auto changesOf = [&](const QString &statement) {
        const auto before = load(QStringLiteral("watched"));
        sql(statement);
        return changesBetween(m_folder + QStringLiteral("/catalog.db"), before,
                              load(QStringLiteral("watched")));
    };
    QCOMPARE(changesOf(QStringLiteral("DELETE FROM @.watched WHERE id = 3")),
             QStringList{QStringLiteral("deleted from 3..4")});
    QCOMPARE(changesOf(QStringLiteral("UPDATE @.watched SET id = 7 WHERE id = 2")),
             (QStringList{QStringLiteral("added 7..7"), QStringLiteral("deleted from 1..2")}));
    QCOMPARE(changesOf(QStringLiteral(
                 "INSERT INTO @.watched VALUES (8, TIMESTAMP '1970-01-05 00:00:00', 'x')")),
             QStringList{QStringLiteral("added 8..8")});
    // A whole partition goes without delete files.
    QCOMPARE(changesOf(QStringLiteral(
                 "DELETE FROM @.watched WHERE ts >= TIMESTAMP '1970-01-05 00:00:00'")),
             QStringList{QStringLiteral("removed 8..8")});
    // The files with deleted rows are written anew: as many rows fewer as were deleted.
    QCOMPARE(changesOf(QStringLiteral("ALTER TABLE @.watched EXECUTE optimize")), QStringList());
    // Back to before the compaction and the DELETE: only the second of them counts.
    const auto before = load(QStringLiteral("watched")).metadata;
    const auto *deletion = before.snapshot(*before.currentSnapshot()->parent);
    QCOMPARE(changesOf(QStringLiteral("ALTER TABLE @.watched EXECUTE rollback_to_snapshot(%1)")
                           .arg(*deletion->parent)),
             QStringList{QStringLiteral("added 8..8")});
    QCOMPARE(changesOf(QStringLiteral("ALTER TABLE @.watched ADD COLUMN n bigint")), QStringList());
    // A replaced table shares no snapshot with what it was: all of that is undone.
    QCOMPARE(
        changesOf(QStringLiteral("CREATE OR REPLACE TABLE @.watched AS SELECT BIGINT '9' AS id")),
        (QStringList{QStringLiteral("added 9..9"), QStringLiteral("deleted from 1..2"),
                     QStringLiteral("deleted from 3..4"), QStringLiteral("removed 1..2"),
                     QStringLiteral("removed 3..4"), QStringLiteral("removed 5..5"),
                     QStringLiteral("removed 7..7"), QStringLiteral("removed 8..8")}));
}

void tst_InteropTrino::weReadItsTypes()
{
    QCOMPARE(sql(QStringLiteral("CREATE TABLE @.types (a boolean, b integer, c real, d "
                                "decimal(12,2), e date, f time(6), "
                                "g timestamp(6) with time zone, h uuid, i varbinary, j "
                                "array(bigint), k map(varchar, row(x integer, y double))) "
                                "WITH (partitioning = ARRAY['d', 'bucket(b, 4)', 'h'], sorted_by = "
                                "ARRAY['b', 'e DESC'])")),
             QStringList());
    sql(QStringLiteral(
        "INSERT INTO @.types (a, b, d, e, h) VALUES (true, 7, DECIMAL '-12.34', DATE '2001-01-31', "
        "UUID 'f79c3e09-677c-4bbd-a479-3f349cb785e7')"));
    const auto table = load(QStringLiteral("types"));
    QStringList types;
    for (const auto &column : columnsOf(table.metadata.currentSchema()))
        types.append(column.type.text());
    QCOMPARE(types.join(u' '),
             QStringLiteral(
                 "boolean integer real decimal(12,2) date time(6) timestamp(6) with time zone uuid "
                 "varbinary array(bigint) map(varchar, row(x integer, y double))"));
    const auto files = liveOf(table).data;
    QCOMPARE(files.size(), size_t(1));
    const auto &partition = files[0].file.partition;
    QCOMPARE(partition[0], valueOf(literalFromText(
                               {.id = TypeId::Decimal, .precision = 12, .scale = 2}, u"-12.34")));
    QCOMPARE(partition[1], valueOf(applyTransform(makeTransform(Transform::Bucket, 4),
                                                  {.id = TypeId::Int}, {qint64(7)})));
    QCOMPARE(partition[2].text(), QStringLiteral("f79c3e09677c4bbda4793f349cb785e7"));
    QCOMPARE(sortedByOf(table.metadata.defaultSortOrder(), table.metadata.currentSchema()),
             QStringLiteral("b,e DESC").split(u','));
    // What we write of it again, Trino still reads.
    const auto removed =
        commit(table, {.operation = Operation::Delete, .removed = {files[0].file.path}});
    auto again = files[0].file;
    again.path += QStringLiteral("-again");
    QVERIFY(QFile::copy(valueOf(localPath(files[0].file.path)), valueOf(localPath(again.path))));
    commit(removed, {.added = {again}});
    QCOMPARE(
        sql(QStringLiteral("SELECT b, CAST(d AS varchar) FROM @.types WHERE d = DECIMAL '-12.34'")),
        QStringList{QStringLiteral("7|-12.34")});
}

void tst_InteropTrino::itRollsBackAndWeGoOn()
{
    auto table = make(QStringLiteral("undone"));
    table = commit(table, {.added = {writeFile(m_peer, table, {{1, 10, QStringLiteral("a")}})}});
    const auto first = *table.metadata.currentSnapshotId;
    table = commit(table, {.added = {writeFile(m_peer, table, {{2, 20, QStringLiteral("b")}})}});
    QCOMPARE(
        sql(QStringLiteral("ALTER TABLE @.undone EXECUTE rollback_to_snapshot(%1)").arg(first)),
        QStringList());
    table = load(QStringLiteral("undone"));
    QCOMPARE(table.metadata.currentSnapshotId, std::optional(first));
    table = commit(table, {.added = {writeFile(m_peer, table, {{3, 30, QStringLiteral("c")}})}});
    QCOMPARE(table.metadata.currentSnapshot()->parent, std::optional(first));
    QCOMPARE(sql(QStringLiteral("SELECT id FROM @.undone ORDER BY 1")),
             QStringLiteral("1 3").split(u' '));
    table = valueOf(setCurrentSnapshot(all(), table, first));
    QCOMPARE(sql(QStringLiteral("SELECT id FROM @.undone")), QStringList{QStringLiteral("1")});
}

QTEST_GUILESS_MAIN(tst_InteropTrino)
#include "tst_interop_trino.moc"
