// Tables that change their columns, partitioning and name in one process while others write to
// them: every statement happens exactly once, and nothing is lost.
#include "tests/unit/duckdb/warehouse_fixture.h"

#include <QCoreApplication>
#include <QProcess>

using namespace ivm;
using namespace ivm::duckdb;

namespace {

constexpr int kRounds = 6;

// Runs the statements in turn, several times, in a session of its own; how many failed.
int repeat(const QString &folder, const QStringList &statements)
{
    EmbeddedExecutor executor({.warehouse = folder});
    EmbeddedSession session(executor);
    int failed = 0;
    for (int i = 0; i < kRounds; ++i) {
        for (const QString &sql : statements) {
            const auto result = execute(session, sql, {});
            if (!result) {
                ++failed;
                qWarning("%s: %s", qPrintable(sql), qPrintable(result.error().text()));
            }
        }
    }
    return failed;
}

}  // namespace

class tst_EmbeddedAlterations : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void columnsAndRows();
    void partitioningAndRows();
    void replacementsAndRows();
    void expiryAndRows();

private:
    // One process for each list of statements; how many statements failed.
    int atOnce(WarehouseFixture &warehouse, const QList<QStringList> &writers);
};

int tst_EmbeddedAlterations::atOnce(WarehouseFixture &warehouse, const QList<QStringList> &writers)
{
    std::vector<std::unique_ptr<QProcess>> processes;
    for (const auto &statements : writers) {
        auto process = std::make_unique<QProcess>();
        process->setProcessChannelMode(QProcess::ForwardedChannels);
        process->start(QCoreApplication::applicationFilePath(),
                       QStringList{QStringLiteral("--write"), warehouse.folder()} + statements);
        processes.push_back(std::move(process));
    }
    int failed = 0;
    for (auto &process : processes) {
        constexpr int kPatience = 60'000;
        failed += process->waitForFinished(kPatience) ? process->exitCode() : 1000;
    }
    return failed;
}

void tst_EmbeddedAlterations::columnsAndRows()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t AS SELECT 0 AS id, 0 AS n"));
    QCOMPARE(atOnce(warehouse, {{QStringLiteral("INSERT INTO t (id) VALUES 1")},
                                {QStringLiteral("UPDATE t SET n = n + 1 WHERE id = 0")},
                                {QStringLiteral("ALTER TABLE t ADD COLUMN added varchar"),
                                 QStringLiteral("INSERT INTO t (id, added) VALUES (2, 'x')"),
                                 QStringLiteral("ALTER TABLE t DROP COLUMN added")},
                                {QStringLiteral("COMMENT ON TABLE t IS 'one'"),
                                 QStringLiteral("COMMENT ON COLUMN t.id IS 'two'")}}),
             0);
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT id, count(*), sum(n) FROM t GROUP BY id ORDER "
                                           "BY id")),
             (QStringList{QStringLiteral("0|1|%1").arg(kRounds),
                          QStringLiteral("1|%1|NULL").arg(kRounds),
                          QStringLiteral("2|%1|NULL").arg(kRounds)}));
    QCOMPARE(warehouse.rows(QStringLiteral("DESCRIBE t")).join(u' '),
             QStringLiteral("id|integer||two n|integer||"));
}

void tst_EmbeddedAlterations::partitioningAndRows()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t AS SELECT 0 AS id, 'a' AS k"));
    QCOMPARE(atOnce(warehouse,
                    {{QStringLiteral("INSERT INTO t VALUES (1, 'a'), (1, 'b')")},
                     {QStringLiteral("ALTER TABLE t SET PROPERTIES partitioning = ARRAY['k']"),
                      QStringLiteral("ALTER TABLE t SET PROPERTIES partitioning = DEFAULT")},
                     {QStringLiteral("ALTER TABLE t EXECUTE optimize")}}),
             0);
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT k, count(*) FROM t GROUP BY k ORDER BY k")),
             (QStringList{QStringLiteral("a|%1").arg(kRounds + 1),
                          QStringLiteral("b|%1").arg(kRounds)}));
}

// An INSERT lands before or after a replacement, never across it.
void tst_EmbeddedAlterations::replacementsAndRows()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t AS SELECT 1 AS a"));
    atOnce(warehouse, {{QStringLiteral("INSERT INTO t (a) VALUES 2")},
                       {QStringLiteral("CREATE OR REPLACE TABLE t AS SELECT 'x' AS a, 1 AS b"),
                        QStringLiteral("CREATE OR REPLACE TABLE t AS SELECT 1 AS a")}});
    const QStringList rows = warehouse.rows(QStringLiteral("SELECT a FROM t ORDER BY a"));
    QCOMPARE(rows.count(QStringLiteral("1")), 1);
    QCOMPARE(rows.count(QStringLiteral("2")), rows.size() - 1);
    const auto open = warehouse.executor().warehouse().reading();
    QVERIFY(open);
    const auto table = iceberg::loadTable(*open, warehouse.name("t"));
    QVERIFY(table);
    // Every state that there was can be read.
    for (const auto &snapshot : table->metadata.snapshots)
        QVERIFY(
            !warehouse
                 .rows(
                     QStringLiteral("SELECT count(a) FROM t FOR VERSION AS OF %1").arg(snapshot.id))
                 .isEmpty());
}

void tst_EmbeddedAlterations::expiryAndRows()
{
    WarehouseFixture warehouse;
    warehouse.run(QStringLiteral("CREATE TABLE t AS SELECT 0 AS n"));
    QCOMPARE(atOnce(warehouse,
                    {{QStringLiteral("INSERT INTO t VALUES 1")},
                     {QStringLiteral("INSERT INTO t VALUES 1")},
                     {QStringLiteral(
                         "ALTER TABLE t EXECUTE expire_snapshots(retention_threshold => '0s')")}}),
             0);
    QCOMPARE(warehouse.rows(QStringLiteral("SELECT sum(n), count(*) FROM t")),
             QStringList{QStringLiteral("%1|%2").arg(2 * kRounds).arg(2 * kRounds + 1)});
}

int main(int argc, char **argv)
{
    QCoreApplication app(argc, argv);
    const QStringList arguments = app.arguments();
    if (arguments.size() > 3 && arguments[1] == QStringLiteral("--write"))
        return repeat(arguments[2], arguments.mid(3));
    tst_EmbeddedAlterations test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_embedded_alterations.moc"
