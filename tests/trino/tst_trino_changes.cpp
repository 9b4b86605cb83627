#include "plugins/detector_trino/trino_detector.h"
#include "tests/trino/real_trino.h"

using namespace ivm;
using namespace ivm::trino;

namespace {

QString roleName(FileRole role)
{
    switch (role) {
    case FileRole::Added: return QStringLiteral("added");
    case FileRole::Removed: return QStringLiteral("removed");
    case FileRole::DeletedFrom: return QStringLiteral("deleted from");
    }
    Q_UNREACHABLE();
}

QString nullName(NullState state)
{
    switch (state) {
    case NullState::Never: return QStringLiteral("never");
    case NullState::Some: return QStringLiteral("some");
    case NullState::Always: return QStringLiteral("always");
    case NullState::Unknown: return QStringLiteral("unknown");
    }
    Q_UNREACHABLE();
}

// The files without their paths, sorted: "added 2 rows [1, 5] never".
QString shown(const Result<TableChanges> &changes)
{
    if (!changes)
        return changes.error().text();
    if (changes->unmeasurable)
        return *changes->unmeasurable;
    QStringList out;
    for (const auto &file : changes->files) {
        const auto bound = [](const std::optional<qint64> &value) {
            return value ? QString::number(*value) : QStringLiteral("?");
        };
        out.append(QStringLiteral("%1 %2 rows [%3, %4] %5")
                       .arg(roleName(file.role), QString::number(file.records),
                            bound(file.bounds.lower), bound(file.bounds.upper),
                            nullName(file.bounds.nullState)));
    }
    out.sort();
    return out.join(QStringLiteral("; "));
}

}  // namespace

class tst_TrinoChanges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void init();
    void tellsNothingForEqualEnds();
    void seesAppends();
    void seesRowLevelDeletes();
    void seesUpdatesThatMoveRows();
    void seesMerges();
    void seesDroppedFiles();
    void skipsCompactionThatOnlyMovesRows();
    void skipsCompactionsThatApplyDeletes();
    void undoesARollback();
    void refusesARecreatedTable();
    void refusesAReplacedTable();
    void refusesExpiredSnapshots();
    void comparesPathsAfterAColumnWasLost();
    void startsAtTheEmptyTable();
    void givesBoundsOfEveryTimeType_data();
    void givesBoundsOfEveryTimeType();
    void tellsTypesAndIdsOfColumns();
    void costsFourStatements();
    void seesChangesOfVersion1();

private:
    // Makes table `t` anew, with a few rows of three days and one without a time.
    QString makeTable(const QString &partitioning = QStringLiteral("ARRAY['day(ts)']"))
    {
        return m_trino.problem(
            {QStringLiteral("DROP TABLE IF EXISTS t"),
             QStringLiteral("CREATE TABLE t (id bigint, ts timestamp(6), \"Val:1\" double) WITH "
                            "(partitioning = %1)")
                 .arg(partitioning),
             QStringLiteral("INSERT INTO t VALUES (1, TIMESTAMP '1970-01-01 00:00:00.000001', 1), "
                            "(2, TIMESTAMP '1970-01-01 00:00:00.000002', 1), "
                            "(3, TIMESTAMP '1970-01-02 00:00:00', 1), (4, NULL, 1)")});
    }

    Result<TableChanges> changes(const TableHead &from, const TableHead &to,
                                 const QString &column = QStringLiteral("ts"))
    {
        return m_detector->changes({m_trino.table(QStringLiteral("t")), from, to, column, {}},
                                   Call{});
    }

    // What the statements make of `t`, in terms of changes.
    QString after(const QStringList &statements)
    {
        const TableHead from = m_trino.head(QStringLiteral("t"));
        if (const QString problem = m_trino.problem(statements); !problem.isEmpty())
            return problem;
        return shown(changes(from, m_trino.head(QStringLiteral("t"))));
    }

    RealTrino m_trino;
    std::unique_ptr<TrinoExecutor> m_executor;
    std::unique_ptr<TrinoDetector> m_detector;
};

void tst_TrinoChanges::initTestCase()
{
    QCOMPARE(m_trino.open(), QString());
    m_executor = std::make_unique<TrinoExecutor>(realOptions(m_trino.schema()));
    m_detector = std::make_unique<TrinoDetector>(
        [this]() -> Result<Executor *> { return m_executor.get(); });
}

void tst_TrinoChanges::cleanupTestCase() { m_trino.close(); }

void tst_TrinoChanges::init() { QCOMPARE(makeTable(), QString()); }

void tst_TrinoChanges::tellsNothingForEqualEnds()
{
    const TableHead head = m_trino.head(QStringLiteral("t"));
    const auto same = changes(head, head);
    QVERIFY2(same, qPrintable(same ? QString() : same.error().text()));
    QVERIFY(!same->unmeasurable && same->files.isEmpty());
    QCOMPARE(same->snapshots, 0);
    QCOMPARE(after({QStringLiteral("ALTER TABLE t ADD COLUMN more bigint")}), QString());
}

void tst_TrinoChanges::seesAppends()
{
    const TableHead from = m_trino.head(QStringLiteral("t"));
    QCOMPARE(
        m_trino.problem(
            {QStringLiteral("INSERT INTO t VALUES (5, TIMESTAMP '1969-12-31 23:59:59.999999', 1)"),
             QStringLiteral("INSERT INTO t VALUES (6, TIMESTAMP '1970-01-01 00:00:00.000009', 1), "
                            "(7, NULL, 1)")}),
        QString());
    const auto found = changes(from, m_trino.head(QStringLiteral("t")));
    QCOMPARE(
        shown(found),
        QStringLiteral(
            "added 1 rows [-1, -1] never; added 1 rows [9, 9] never; added 1 rows [?, ?] always"));
    QCOMPARE(found->snapshots, 2);
    QVERIFY(found->files[0].path.startsWith(u"file:///") && found->files[0].bytes > 0);
}

void tst_TrinoChanges::seesRowLevelDeletes()
{
    QCOMPARE(
        after({QStringLiteral("DELETE FROM t WHERE id = 1"),
               QStringLiteral("INSERT INTO t VALUES (9, TIMESTAMP '1970-01-03 00:00:00', 1)")}),
        QStringLiteral(
            "added 1 rows [172800000000, 172800000000] never; deleted from 2 rows [1, 2] never"));
}

void tst_TrinoChanges::seesUpdatesThatMoveRows()
{
    QCOMPARE(
        after({QStringLiteral("UPDATE t SET ts = TIMESTAMP '1970-01-05 00:00:00' WHERE id = 2")}),
        QStringLiteral(
            "added 1 rows [345600000000, 345600000000] never; deleted from 2 rows [1, 2] never"));
}

void tst_TrinoChanges::seesMerges()
{
    QCOMPARE(
        after({QStringLiteral("MERGE INTO t USING (VALUES 1, 4, 8) AS s (id) ON t.id = s.id WHEN "
                              "MATCHED AND s.id = 4 THEN DELETE "
                              "WHEN MATCHED THEN UPDATE SET \"Val:1\" = 2 "
                              "WHEN NOT MATCHED THEN INSERT (id, ts) VALUES (s.id, TIMESTAMP "
                              "'1970-01-02 00:00:01')")}),
        QStringLiteral("added 1 rows [1, 1] never; added 1 rows [86401000000, 86401000000] never; "
                       "deleted from 1 rows [?, ?] always; deleted from 2 rows [1, 2] never"));
}

void tst_TrinoChanges::seesDroppedFiles()
{
    QCOMPARE(after({QStringLiteral("DELETE FROM t WHERE ts >= TIMESTAMP '1970-01-02 00:00:00'")}),
             QStringLiteral("removed 1 rows [86400000000, 86400000000] never"));
    QCOMPARE(after({QStringLiteral("TRUNCATE TABLE t")}),
             QStringLiteral("removed 1 rows [?, ?] always; removed 2 rows [1, 2] never"));
}

void tst_TrinoChanges::skipsCompactionThatOnlyMovesRows()
{
    const TableHead from = m_trino.head(QStringLiteral("t"));
    QCOMPARE(m_trino.problem(QStringLiteral(
                 "INSERT INTO t VALUES (5, TIMESTAMP '1970-01-01 00:00:00.000003', 1)")),
             QString());
    const TableHead inserted = m_trino.head(QStringLiteral("t"));
    QCOMPARE(m_trino.problem(QStringLiteral("ALTER TABLE t EXECUTE optimize")), QString());
    const TableHead compacted = m_trino.head(QStringLiteral("t"));
    QVERIFY(compacted.snapshot != inserted.snapshot);
    const auto alone = changes(inserted, compacted);
    QCOMPARE(shown(alone), QString());
    QCOMPARE(alone->snapshots, 1);
    QCOMPARE(shown(changes(from, compacted)), QStringLiteral("added 1 rows [3, 3] never"));
}

void tst_TrinoChanges::skipsCompactionsThatApplyDeletes()
{
    QCOMPARE(m_trino.problem(QStringLiteral("DELETE FROM t WHERE id = 1")), QString());
    QCOMPARE(after({QStringLiteral("ALTER TABLE t EXECUTE optimize")}), QString());
}

void tst_TrinoChanges::undoesARollback()
{
    const TableHead base = m_trino.head(QStringLiteral("t"));
    QCOMPARE(
        m_trino.problem(
            {QStringLiteral("INSERT INTO t VALUES (5, TIMESTAMP '1970-01-01 00:00:00.000005', 1)"),
             QStringLiteral("DELETE FROM t WHERE id = 3")}),
        QString());
    const TableHead bookmark = m_trino.head(QStringLiteral("t"));
    QCOMPARE(
        m_trino.problem(
            {QStringLiteral("ALTER TABLE t EXECUTE rollback_to_snapshot(%1)").arg(*base.snapshot),
             QStringLiteral(
                 "INSERT INTO t VALUES (6, TIMESTAMP '1970-01-01 00:00:00.000006', 1)")}),
        QString());
    const auto found = changes(bookmark, m_trino.head(QStringLiteral("t")));
    QCOMPARE(shown(found),
             QStringLiteral("added 1 rows [6, 6] never; deleted from 1 rows [86400000000, "
                            "86400000000] never; removed 1 rows [5, 5] never"));
    QCOMPARE(found->snapshots, 3);
}

void tst_TrinoChanges::refusesARecreatedTable()
{
    const TableHead from = m_trino.head(QStringLiteral("t"));
    QCOMPARE(makeTable(), QString());
    QCOMPARE(shown(changes(from, m_trino.head(QStringLiteral("t")))),
             QStringLiteral("table iceberg.%1.t was dropped and made again").arg(m_trino.schema()));
}

void tst_TrinoChanges::refusesAReplacedTable()
{
    const TableHead from = m_trino.head(QStringLiteral("t"));
    QCOMPARE(m_trino.problem(QStringLiteral("CREATE OR REPLACE TABLE t AS SELECT id, ts FROM t")),
             QString());
    const TableHead to = m_trino.head(QStringLiteral("t"));
    QCOMPARE(to.tableId, from.tableId);
    QCOMPARE(shown(changes(from, to)),
             QStringLiteral("table iceberg.%1.t was replaced: snapshots %2 and %3 share no history")
                 .arg(m_trino.schema())
                 .arg(*from.snapshot)
                 .arg(*to.snapshot));
}

void tst_TrinoChanges::refusesExpiredSnapshots()
{
    const TableHead from = m_trino.head(QStringLiteral("t"));
    QCOMPARE(m_trino.problem(
                 {QStringLiteral("INSERT INTO t VALUES (5, NULL, 1)"),
                  QStringLiteral("INSERT INTO t VALUES (6, NULL, 1)"),
                  QStringLiteral(
                      "ALTER TABLE t EXECUTE expire_snapshots(retention_threshold => '0s')")}),
             QString());
    QCOMPARE(shown(changes(from, m_trino.head(QStringLiteral("t")))),
             QStringLiteral("snapshot %1 is no longer there").arg(*from.snapshot));
}

void tst_TrinoChanges::comparesPathsAfterAColumnWasLost()
{
    QCOMPARE(m_trino.problem(QStringLiteral("ALTER TABLE t DROP COLUMN \"Val:1\"")), QString());
    QCOMPARE(after({QStringLiteral("INSERT INTO t VALUES (5, NULL), (6, NULL)"),
                    QStringLiteral("DELETE FROM t WHERE ts >= TIMESTAMP '1970-01-02 00:00:00'")}),
             QStringLiteral("added 2 rows [?, ?] unknown; removed 1 rows [?, ?] unknown"));
    const QString told = after({QStringLiteral("DELETE FROM t WHERE id = 1")});
    QVERIFY2(told.contains(u"cannot be read"), qPrintable(told));
}

void tst_TrinoChanges::startsAtTheEmptyTable()
{
    TableHead from = m_trino.head(QStringLiteral("t"));
    from.snapshot.reset();
    QCOMPARE(shown(changes(from, m_trino.head(QStringLiteral("t")))),
             QStringLiteral("added 1 rows [86400000000, 86400000000] never; added 1 rows [?, ?] "
                            "always; added 2 rows [1, 2] never"));
}

void tst_TrinoChanges::givesBoundsOfEveryTimeType_data()
{
    QTest::addColumn<QString>("type");
    QTest::addColumn<QString>("least");
    QTest::addColumn<QString>("most");
    QTest::addColumn<QString>("file");
    const auto row = [](const char *type, const char *least, const char *most, const char *file) {
        QTest::newRow(type) << QString::fromUtf8(type) << QString::fromUtf8(least)
                            << QString::fromUtf8(most) << QString::fromUtf8(file);
    };
    row("date", "DATE '1969-12-31'", "DATE '2001-01-31'", "added 3 rows [-1, 11353] some");
    row("timestamp(6)", "TIMESTAMP '1969-12-31 23:59:59.999999'", "TIMESTAMP '2001-01-31 12:00:00'",
        "added 3 rows [-1, 980942400000000] some");
    row("timestamp(6) with time zone", "TIMESTAMP '1970-01-01 00:59:59.999999 +01:00'",
        "TIMESTAMP '2001-01-31 12:00:00 UTC'", "added 3 rows [-1, 980942400000000] some");
    row("bigint", "BIGINT '-9223372036854775808'", "9007199254740993",
        "added 3 rows [-9223372036854775808, 9007199254740993] some");
    row("integer", "-1", "7", "added 3 rows [-1, 7] some");
    row("varchar", "'a'", "'b'", "added 3 rows [?, ?] some");
}

void tst_TrinoChanges::givesBoundsOfEveryTimeType()
{
    QFETCH(QString, type);
    QFETCH(QString, least);
    QFETCH(QString, most);
    QFETCH(QString, file);
    QCOMPARE(m_trino.problem({QStringLiteral("DROP TABLE t"),
                              QStringLiteral("CREATE TABLE t (ts %1)").arg(type)}),
             QString());
    QCOMPARE(after({QStringLiteral("INSERT INTO t VALUES (%1), (%2), (NULL)").arg(least, most)}),
             file);
}

void tst_TrinoChanges::tellsTypesAndIdsOfColumns()
{
    QCOMPARE(
        m_trino.problem(
            {QStringLiteral("ALTER TABLE t DROP COLUMN id"),
             QStringLiteral("ALTER TABLE t ADD COLUMN id varchar"),
             QStringLiteral("ALTER TABLE t ADD COLUMN \"val\" row(a bigint, \"b:c\" varchar)")}),
        QString());
    const TableHead head = m_trino.head(QStringLiteral("t"));
    const auto found =
        m_detector->changes({m_trino.table(QStringLiteral("t")),
                             head,
                             head,
                             {},
                             {QStringLiteral("Val:1"), QStringLiteral("id"), QStringLiteral("gone"),
                              QStringLiteral("TS"), QStringLiteral("val")}},
                            Call{});
    QVERIFY2(found, qPrintable(found ? QString() : found.error().text()));
    QStringList columns;
    for (const auto &column : found->columns)
        columns.append(
            QStringLiteral("%1 %2 %3").arg(column.fieldId).arg(column.name, column.type.text()));
    QCOMPARE(columns, QStringList({QStringLiteral("3 Val:1 double"), QStringLiteral("4 id varchar"),
                                   QStringLiteral("2 TS timestamp(6)"),
                                   QStringLiteral("5 val row(a bigint, \"b:c\" varchar)")}));
}

void tst_TrinoChanges::costsFourStatements()
{
    const TableHead from = m_trino.head(QStringLiteral("t"));
    QCOMPARE(m_trino.problem(QStringLiteral("INSERT INTO t VALUES (5, NULL, 1)")), QString());
    const TableHead to = m_trino.head(QStringLiteral("t"));
    const QString before = m_trino.now();
    QVERIFY(changes(from, to));
    // The columns now and at the head's snapshot, the history, the entries.
    QCOMPARE(m_trino.statementsSince(before).size(), 4);
}

void tst_TrinoChanges::seesChangesOfVersion1()
{
    QCOMPARE(m_trino.problem({QStringLiteral("DROP TABLE t"),
                              QStringLiteral("CREATE TABLE t (id bigint, ts timestamp(6)) WITH "
                                             "(format_version = 1, partitioning = "
                                             "ARRAY['month(ts)'])"),
                              QStringLiteral("INSERT INTO t VALUES (1, TIMESTAMP '1970-01-01 "
                                             "00:00:00.000001')")}),
             QString());
    QCOMPARE(after({QStringLiteral("INSERT INTO t VALUES (2, TIMESTAMP '1970-02-01 00:00:00')"),
                    QStringLiteral("DELETE FROM t WHERE ts < TIMESTAMP '1970-02-01 00:00:00'")}),
             QStringLiteral("added 1 rows [2678400000000, 2678400000000] never; removed 1 rows "
                            "[1, 1] never"));
}

QTEST_GUILESS_MAIN(tst_TrinoChanges)
#include "tst_trino_changes.moc"
