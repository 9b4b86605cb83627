// Several writers at once, in threads and in processes: every statement happens exactly once.
#include "tests/unit/duckdb/warehouse_fixture.h"

#include <QCoreApplication>
#include <QProcess>

#include <atomic>
#include <thread>

using namespace ivm;
using namespace ivm::duckdb;

namespace {

constexpr int kWriters = 3;
constexpr int kStatements = 6;

// Runs a statement several times in a session of its own; how many failed.
int repeat(EmbeddedExecutor &executor, const QString &sql)
{
    int failed = 0;
    EmbeddedSession session(executor);
    for (int i = 0; i < kStatements; ++i) {
        const auto result = execute(session, sql, {});
        if (!result) {
            ++failed;
            qWarning("%s", qPrintable(result.error().text()));
        }
    }
    return failed;
}

}  // namespace

class tst_EmbeddedWriters : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void insertsFromThreads();
    void updatesFromThreads();
    void insertsFromManyThreads();
    void insertsWhileColumnsChange();
    void writesFromProcesses_data();
    void writesFromProcesses();
    void letsOneOfTwoRefreshesWin();
    void readsOneStateWhileOthersWrite();

private:
    int inThreads(WarehouseFixture &warehouse, const QString &sql);
};

int tst_EmbeddedWriters::inThreads(WarehouseFixture &warehouse, const QString &sql)
{
    std::atomic<int> failed = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kWriters; ++i)
            threads.emplace_back([&] { failed += repeat(warehouse.executor(), sql); });
    }
    return failed;
}

void tst_EmbeddedWriters::insertsFromThreads()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (a integer)"));
    QCOMPARE(inThreads(warehouse, QStringLiteral("INSERT INTO t VALUES 1, 2")), 0);
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT count(*), sum(a) FROM t")),
             QStringList{QStringLiteral("%1|%2")
                             .arg(kWriters * kStatements * 2)
                             .arg(kWriters * kStatements * 3)});
}

void tst_EmbeddedWriters::updatesFromThreads()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t AS SELECT 0 AS n"));
    QCOMPARE(inThreads(warehouse, QStringLiteral("UPDATE t SET n = n + 1")), 0);
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT n FROM t")),
             QStringList{QString::number(kWriters * kStatements)});
}

void tst_EmbeddedWriters::insertsFromManyThreads()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (a integer)"));
    constexpr int kMany = 8;
    std::atomic<int> failed = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kMany; ++i) {
            threads.emplace_back([&] {
                EmbeddedSession session(warehouse.executor());
                failed += execute(session, QStringLiteral("INSERT INTO t VALUES 1"), {}) ? 0 : 1;
            });
        }
    }
    QCOMPARE(failed.load(), 0);
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT count(*) FROM t")),
             QStringList{QString::number(kMany)});
    // Rows are written once, however often they are put to the table.
    QCOMPARE(warehouse.filesOnDisk().filter(QStringLiteral(".parquet")).size(), kMany);
}

// A row that was written for other columns than the table has by then is written again.
void tst_EmbeddedWriters::insertsWhileColumnsChange()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t (a integer, b integer)"));
    std::atomic<int> failed = 0;
    std::jthread writer([&] {
        failed = repeat(warehouse.executor(), QStringLiteral("INSERT INTO t (a) VALUES 7"));
    });
    const auto open = warehouse.executor().warehouse().writing();
    for (int i = 0; i < kStatements; ++i) {
        const auto table = iceberg::loadTable(*open, warehouse.name("t"));
        auto next = table->metadata;
        auto schema = next.currentSchema();
        schema.fields[1].doc = QString::number(i);
        iceberg::setCurrentSchema(next, schema);
        const auto changed = iceberg::commitMetadata(*open, *table, next);
        QVERIFY(changed || changed.error().kind == ErrorKind::Conflict);
    }
    writer.join();
    QCOMPARE(failed.load(), 0);
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT count(*), sum(a) FROM t")),
             QStringList{QStringLiteral("%1|%2").arg(kStatements).arg(7 * kStatements)});
}

void tst_EmbeddedWriters::writesFromProcesses_data()
{
    QTest::addColumn<QString>("statement");
    QTest::addColumn<int>("sum");  // of n, which is 0 in the one row at first
    const int all = kWriters * kStatements;
    QTest::newRow("UPDATE") << QStringLiteral("UPDATE t SET n = n + 1") << all;
    QTest::newRow("INSERT") << QStringLiteral("INSERT INTO t VALUES 1") << all;
    QTest::newRow("MERGE") << QStringLiteral(
                                  "MERGE INTO t USING (VALUES 0) AS s(k) ON t.n >= s.k WHEN "
                                  "MATCHED THEN UPDATE SET n = n + 1")
                           << all;
}

void tst_EmbeddedWriters::writesFromProcesses()
{
    QFETCH(QString, statement);
    QFETCH(int, sum);
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t AS SELECT 0 AS n"));
    std::vector<std::unique_ptr<QProcess>> processes;
    for (int i = 0; i < kWriters; ++i) {
        auto process = std::make_unique<QProcess>();
        process->setProcessChannelMode(QProcess::ForwardedChannels);
        process->start(QCoreApplication::applicationFilePath(),
                       {QStringLiteral("--write"), warehouse.folder(), statement});
        processes.push_back(std::move(process));
    }
    for (auto &process : processes) {
        QVERIFY(process->waitForFinished(60000));
        QCOMPARE(process->exitCode(), 0);
    }
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT sum(n) FROM t")),
             QStringList{QString::number(sum)});
}

void tst_EmbeddedWriters::letsOneOfTwoRefreshesWin()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE s AS SELECT 1 AS k"));
    warehouse.run(QStringLiteral("CREATE TABLE v (k integer, n bigint)"));
    const Type integer{.kind = TypeKind::Integer};
    const Type bigint{.kind = TypeKind::Bigint};
    const Change change =
        ReplaceAll{{.target = warehouse.name("v"),
                    .columns = {{QStringLiteral("k"), integer, ColumnClass::Key},
                                {QStringLiteral("n"), bigint, ColumnClass::Exact}},
                    .query = QStringLiteral("SELECT k, count(*) AS n FROM s GROUP BY k")}};
    const TableHead head = warehouse.info("v").head;
    std::atomic<int> won = 0;
    std::atomic<int> conflicts = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kWriters; ++i) {
            threads.emplace_back([&, i] {
                EmbeddedSession session(warehouse.executor());
                const Intent intent{.id = QString::number(i),
                                    .view = QStringLiteral("v"),
                                    .target = warehouse.name("v"),
                                    .targetHead = head,
                                    .statementId = {},
                                    .summary = {}};
                const auto result = session.commit(change, intent, {}, {});
                won += result ? 1 : 0;
                conflicts += !result && result.error().kind == ErrorKind::Conflict ? 1 : 0;
            });
        }
    }
    QCOMPARE(won.load(), 1);
    QCOMPARE(conflicts.load(), kWriters - 1);
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT * FROM v")), QStringList{QStringLiteral("1|1")});
    QCOMPARE(warehouse.filesOnDisk()
                 .filter(QStringLiteral("/v-"))
                 .filter(QStringLiteral(".parquet"))
                 .size(),
             1);
}

void tst_EmbeddedWriters::readsOneStateWhileOthersWrite()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t AS SELECT 0 AS n"));
    std::atomic<int> failed = 0;
    std::jthread writer([&] {
        failed =
            repeat(warehouse.executor(), QStringLiteral("INSERT INTO t SELECT max(n) + 1 FROM t"));
    });
    // Both mentions of the table are at the same state, whatever is committed between them.
    for (int i = 0; i < kStatements * 2; ++i) {
        QCOMPARE(warehouse.rows(
                     QStringLiteral("SELECT (SELECT count(*) FROM t) - (SELECT max(n) FROM t)")),
                 QStringList{QStringLiteral("1")});
    }
    writer.join();
    QCOMPARE(failed.load(), 0);
}

int main(int argc, char **argv)
{
    QCoreApplication app(argc, argv);
    const QStringList arguments = app.arguments();
    if (arguments.size() == 4 && arguments[1] == QStringLiteral("--write")) {
        EmbeddedExecutor executor({.warehouse = arguments[2]});
        return repeat(executor, arguments[3]);
    }
    tst_EmbeddedWriters test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_embedded_writers.moc"
