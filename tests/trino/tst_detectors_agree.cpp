#include "plugins/detector_catalog/catalog_detector.h"
#include "plugins/detector_trino/trino_detector.h"
#include "plugins/executor_duckdb/executor.h"
#include "tests/conformance/checks.h"
#include "tests/trino/real_trino.h"

using namespace ivm;

namespace {

QString fileText(const FileChange &file)
{
    static const char *kRoles[] = {"added", "removed", "deleted from"};
    static const char *kNulls[] = {"never", "some", "always", "unknown"};
    const auto end = [](std::optional<qint64> value) {
        return value ? QString::number(*value) : QStringLiteral("?");
    };
    return QStringLiteral("%1 %2, %3 rows, %4 bytes, %5..%6, NULL %7")
        .arg(QString::fromLatin1(kRoles[int(file.role)]), file.path)
        .arg(file.records)
        .arg(file.bytes)
        .arg(end(file.bounds.lower), end(file.bounds.upper),
             QString::fromLatin1(kNulls[int(file.bounds.nullState)]));
}

// All that one says, line by line, but for the wording of a reason.
QStringList changesText(const Result<TableChanges> &changes)
{
    if (!changes)
        return {errorKindName(changes.error().kind)};
    QStringList lines{changes->unmeasurable
                          ? QStringLiteral("unmeasurable")
                          : QStringLiteral("%1 snapshots").arg(changes->snapshots),
                      changes->pinnable ? QStringLiteral("pinnable") : QStringLiteral("moved on")};
    for (const auto &column : changes->columns)
        lines.append(
            QStringLiteral("%1 %2 id %3").arg(column.name, column.type.text()).arg(column.fieldId));
    for (const auto &file : changes->files)
        lines.append(fileText(file));
    return changes->unmeasurable ? lines.mid(0, 1) : lines;
}

// The lines that one says and the other does not.
QStringList difference(const Result<TableChanges> &trino, const Result<TableChanges> &catalog)
{
    QStringList left = changesText(trino);
    QStringList right = changesText(catalog);
    QStringList out;
    for (const auto &line : std::as_const(left)) {
        if (!right.removeOne(line))
            out.append(QStringLiteral("only by Trino: ") + line);
    }
    for (const auto &line : std::as_const(right))
        out.append(QStringLiteral("only by the catalog: ") + line);
    return out;
}

}  // namespace

// One history, written by both engines in turn: both detectors find the same in it, from every
// state with rows to later ones.
class tst_DetectorsAgree : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void onOneHistory_data();
    void onOneHistory();

private:
    Status run(Executor &executor, const QString &statement)
    {
        IVM_TRY(const auto session, executor.openSession({}, Call{}));
        IVM_CHECK(execute(*session, statement, Call{}));
        return {};
    }
    Result<TableHead> headBy(Detector &detector, const TableName &table)
    {
        IVM_TRY(const auto heads, detector.heads({{.table = table}}, Call{}));
        return heads.front();
    }

    Result<TableChanges> changes(Detector &detector, qsizetype from, const TableHead &to)
    {
        return detector.changes(
            {.table = m_table,
             .from = m_heads[from],
             .to = to,
             .column = QStringLiteral("ts"),
             .columns = {QStringLiteral("id"), QStringLiteral("ts"), QStringLiteral("Val:1")}},
            Call{});
    }

    // What is live now: all, and what may be of one day.
    QStringList liveBy(Detector &detector, const TableHead &at)
    {
        const auto now = changes(detector, m_heads.size() - 1, at);
        if (!now || now->columns.size() < 2)
            return {QStringLiteral("no column")};
        const FileBounds firstOfMarch{.lower = 1'772'323'200'000'000,
                                      .upper = 1'772'409'599'999'999};
        QStringList out;
        for (const auto &within : {FileBounds{}, firstOfMarch}) {
            const auto live = detector.liveFiles(
                {.table = m_table, .at = at, .column = now->columns[1], .within = {within}},
                Call{});
            out.append(live ? fileText({.path = QString::number(live->files),
                                        .records = live->records,
                                        .bytes = live->bytes,
                                        .bounds = live->bounds})
                            : live.error().text());
        }
        return out;
    }

    QString m_schema = QStringLiteral("agree_%1").arg(QCoreApplication::applicationPid());
    TableName m_table{QStringLiteral("embedded"), m_schema, QStringLiteral("t")};
    std::unique_ptr<trino::TrinoExecutor> m_trino;
    std::unique_ptr<duckdb::EmbeddedExecutor> m_embedded;
    std::unique_ptr<catalog::CatalogDetector> m_catalogDetector;
    std::unique_ptr<trino::TrinoDetector> m_trinoDetector;
    QList<TableHead> m_heads;
};

void tst_DetectorsAgree::initTestCase()
{
    const QString folder = qEnvironmentVariable("IVM_TEST_EMBEDDED");
    QVERIFY2(!folder.isEmpty() && qEnvironmentVariableIsSet("TRINO_URL"),
             "TRINO_URL and IVM_TEST_EMBEDDED are not set: start a Trino with tests/trino/up and "
             "load the env file it names");
    auto options = trino::realOptions(m_schema);
    options.catalog = m_table.catalog;
    options.sessionProperties = {
        {QStringLiteral("embedded.expire_snapshots_min_retention"), QStringLiteral("0s")}};
    m_trino = std::make_unique<trino::TrinoExecutor>(options);
    m_embedded = std::make_unique<duckdb::EmbeddedExecutor>(
        duckdb::ExecutorOptions{.warehouse = folder, .schema = m_schema});
    m_catalogDetector = std::make_unique<catalog::CatalogDetector>(
        iceberg::SqlCatalogOptions{.database = folder + QStringLiteral("/catalog.db")});
    m_trinoDetector = std::make_unique<trino::TrinoDetector>(
        [this]() -> Result<Executor *> { return m_trino.get(); });
    DO(run(*m_embedded,
           QStringLiteral("CREATE TABLE t (id bigint, ts timestamp(6), \"Val:1\" double) WITH "
                          "(partitioning = ARRAY['day(ts)'])")));
    m_heads = {*headBy(*m_trinoDetector, m_table)};
}

void tst_DetectorsAgree::cleanupTestCase()
{
    if (m_trino)
        DO(run(*m_trino, QStringLiteral("DROP SCHEMA %1 CASCADE").arg(m_schema)));
}

void tst_DetectorsAgree::onOneHistory_data()
{
    QTest::addColumn<QString>("writer");
    QTest::addColumn<QString>("statement");
    const auto row = [](const char *name, const char *writer, const char *statement) {
        QTest::newRow(name) << QString::fromLatin1(writer) << QString::fromLatin1(statement);
    };
    row("the first rows", "embedded",
        "INSERT INTO t VALUES (1, TIMESTAMP '1969-12-31 23:59:59.999999', 1e0), "
        "(2, TIMESTAMP '1970-01-01 00:00:00.000001', NULL), (3, NULL, 3e0)");
    row("more rows", "trino",
        "INSERT INTO t VALUES (4, TIMESTAMP '1970-01-01 12:00:00', 1e0), "
        "(5, TIMESTAMP '1970-01-01 13:00:00', 2e0), (6, TIMESTAMP '2026-03-01 00:00:00', 3e0), "
        "(7, NULL, 4e0), (8, NULL, 5e0)");
    row("one row goes", "trino", "DELETE FROM t WHERE id = 5");
    row("a row moves in time", "trino",
        "UPDATE t SET ts = TIMESTAMP '2026-03-02 01:00:00' WHERE id = 4");
    row("one row goes by the other engine", "embedded", "DELETE FROM t WHERE id = 2");
    row("rows are merged", "trino",
        "MERGE INTO t USING (VALUES (6, 9e0), (60, 1e0)) AS s(id, v) ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET \"Val:1\" = s.v "
        "WHEN NOT MATCHED THEN INSERT VALUES (s.id, TIMESTAMP '2026-03-01 05:00:00', s.v)");
    row("a compaction", "trino", "ALTER TABLE t EXECUTE optimize");
    row("a partition goes", "trino", "DELETE FROM t WHERE ts >= TIMESTAMP '2026-03-02 00:00:00'");
    row("a column comes", "trino", "ALTER TABLE t ADD COLUMN more bigint");
    row("rows of the new schema", "trino",
        "INSERT INTO t VALUES (10, TIMESTAMP '2026-03-05 00:00:00', 1e0, 1)");
    row("a column has another name", "trino", "ALTER TABLE t RENAME COLUMN more TO less");
    row("another partitioning", "trino",
        "ALTER TABLE t SET PROPERTIES partitioning = ARRAY['month(ts)']");
    row("rows of the new partitioning", "trino",
        "INSERT INTO t VALUES (11, TIMESTAMP '2026-03-06 00:00:00', 1e0, 1), "
        "(12, TIMESTAMP '2026-04-06 00:00:00', 1e0, 1)");
    row("back to an earlier state", "trino", "ALTER TABLE t EXECUTE rollback_to_snapshot({4})");
    row("and on from there", "trino",
        "INSERT INTO t VALUES (13, TIMESTAMP '2026-03-07 00:00:00', 1e0, 1)");
    row("all rows go", "trino", "DELETE FROM t");
    row("old snapshots go", "trino",
        "ALTER TABLE t EXECUTE expire_snapshots(retention_threshold => '0s')");
}

void tst_DetectorsAgree::onOneHistory()
{
    QFETCH(QString, writer);
    QFETCH(QString, statement);
    if (const qsizetype at = statement.indexOf(u'{'); at >= 0) {
        const int number = statement.mid(at + 1, 1).toInt();
        statement.replace(at, 3, QString::number(m_heads[number].snapshot.value_or(0)));
    }
    DO(run(writer == u"trino" ? static_cast<Executor &>(*m_trino) : *m_embedded, statement));
    TAKE(const auto head, headBy(*m_trinoDetector, m_table));
    TAKE(const auto same, headBy(*m_catalogDetector, m_table));
    QCOMPARE(same, head);
    QStringList differences;
    // Not from the empty table, where what is live now is all that counts, and the way is not.
    for (const qsizetype back : {1, 2, 4, 8}) {
        if (back < m_heads.size())
            differences += difference(changes(*m_trinoDetector, m_heads.size() - back, head),
                                      changes(*m_catalogDetector, m_heads.size() - back, head));
    }
    QCOMPARE(liveBy(*m_trinoDetector, head), liveBy(*m_catalogDetector, head));
    m_heads.append(head);
    QVERIFY2(differences.isEmpty(), qPrintable(differences.join(u'\n')));
}

QTEST_GUILESS_MAIN(tst_DetectorsAgree)
#include "tst_detectors_agree.moc"
