// What goes wrong on disk: an error that names the file, nothing left behind, and a table that can
// still be read.
#include "tests/unit/duckdb/warehouse_fixture.h"

#include <csignal>
#include <sys/resource.h>

using namespace ivm;
using namespace ivm::duckdb;

namespace {

// No file of this process may grow beyond the limit: what a full disk looks like to a writer.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes)
    {
        std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &m_before);
        rlimit limit = m_before;
        limit.rlim_cur = bytes;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &m_before); }

private:
    rlimit m_before{};
};

const QString kManyRows = QStringLiteral(
    "SELECT concat(CAST(a.n * 1000 + b.n AS varchar), 'some text to fill the disk with') AS s "
    "FROM TABLE(read_csv('%1')) AS a, TABLE(read_csv('%1')) AS b");

}  // namespace

class tst_EmbeddedFailures : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void namesAWarehouseThatCannotBeMade();
    void namesADataFolderThatCannotBeWritten();
    void namesTheFileThatDoesNotFit_data();
    void namesTheFileThatDoesNotFit();
    void namesADataFileThatIsMissing();
    void namesADataFileThatIsBroken();
    void namesAMetadataFileThatIsMissing();
    void namesACatalogThatIsNone();
    void leavesNothingWhenStopped();
    void findsNoOtherFileForAPattern();
    void removesWhatEndedProcessesSpilled();

private:
    QString dataFolder()
    {
        return m_warehouse->dataFiles("t").value(0).mid(7).section(u'/', 0, -2);
    }

    std::unique_ptr<WarehouseFixture> m_warehouse;
};

void tst_EmbeddedFailures::init()
{
    m_warehouse = std::make_unique<WarehouseFixture>();
    m_warehouse->run(QStringLiteral("CREATE TABLE t AS SELECT 'x' AS s"));
}

void tst_EmbeddedFailures::namesAWarehouseThatCannotBeMade()
{
    QFile file(m_warehouse->scratch() + QStringLiteral("/taken"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    EmbeddedExecutor executor({.warehouse = file.fileName() + QStringLiteral("/ivm-data")});
    EmbeddedSession session(executor);
    const auto result = execute(session, QStringLiteral("CREATE SCHEMA s"), {});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Unavailable);
    QCOMPARE(
        result.error().message,
        QStringLiteral("the warehouse folder %1/ivm-data could not be made").arg(file.fileName()));
}

void tst_EmbeddedFailures::namesADataFolderThatCannotBeWritten()
{
    m_warehouse->run(QStringLiteral("CREATE TABLE u (s varchar)"));
    const QString metadata = m_warehouse->info("u").head.token.mid(7);
    const QString folder = metadata.section(u'/', 0, -3) + QStringLiteral("/data");
    QFile inTheWay(folder);
    QVERIFY(inTheWay.open(QIODevice::WriteOnly));
    const Error error = m_warehouse->failure(QStringLiteral("INSERT INTO u VALUES 'y'"));
    QCOMPARE(error.kind, ErrorKind::Unavailable);
    QVERIFY2(error.message.startsWith(QStringLiteral("folder %1/").arg(folder)),
             qPrintable(error.message));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM u")), QStringList());
    QVERIFY(inTheWay.remove());
    m_warehouse->run(QStringLiteral("INSERT INTO u VALUES 'y'"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM u")),
             QStringList{QStringLiteral("y")});
}

void tst_EmbeddedFailures::namesTheFileThatDoesNotFit_data()
{
    QTest::addColumn<QString>("statement");
    QTest::newRow("insert") << QString(QStringLiteral("INSERT INTO t ") + kManyRows);
    QTest::newRow("make a table") << QString(QStringLiteral("CREATE TABLE u AS ") + kManyRows);
    QTest::newRow("update") << "UPDATE t SET s = concat(s, 'y') WHERE s <> 'x'";
    QTest::newRow("compact") << "ALTER TABLE t EXECUTE optimize";
}

void tst_EmbeddedFailures::namesTheFileThatDoesNotFit()
{
    QFETCH(QString, statement);
    QFile csv(m_warehouse->scratch() + QStringLiteral("/n.csv"));
    QVERIFY(csv.open(QIODevice::WriteOnly));
    csv.write("n\n");
    for (int i = 0; i < 700; ++i)
        csv.write(QByteArray::number(i) + '\n');
    csv.close();
    const auto withPath = [&](const QString &sql) {
        return sql.contains(u'%') ? sql.arg(csv.fileName()) : sql;
    };
    m_warehouse->run(withPath(QStringLiteral("INSERT INTO t ") + kManyRows));
    const QStringList before = m_warehouse->filesOnDisk();
    const TableHead head = m_warehouse->info("t").head;
    {
        const FileSizeLimit limit(300'000);
        const Error error = m_warehouse->failure(withPath(statement));
        QCOMPARE(error.kind, ErrorKind::Unavailable);
        QVERIFY2(error.message.contains(QStringLiteral("/data/.new-")), qPrintable(error.message));
    }
    QCOMPARE(m_warehouse->filesOnDisk(), before);
    QCOMPARE(m_warehouse->info("t").head, head);
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT count(*) FROM t")),
             QStringList{QStringLiteral("490001")});
    QCOMPARE(m_warehouse->rows(QStringLiteral("SHOW TABLES")), QStringList{QStringLiteral("t")});
    m_warehouse->run(withPath(statement));
}

void tst_EmbeddedFailures::namesADataFileThatIsMissing()
{
    const QString file = m_warehouse->dataFiles("t").value(0).mid(7);
    QVERIFY(QFile::remove(file));
    const Error error = m_warehouse->failure(QStringLiteral("SELECT * FROM t"));
    QCOMPARE(error.kind, ErrorKind::Corrupt);
    QVERIFY2(error.message.contains(file), qPrintable(error.message));
}

void tst_EmbeddedFailures::namesADataFileThatIsBroken()
{
    const QString path = m_warehouse->dataFiles("t").value(0).mid(7);
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
    file.write(QByteArray(200, 'x'));
    file.close();
    const Error error = m_warehouse->failure(QStringLiteral("SELECT * FROM t"));
    QVERIFY2(error.message.contains(path), qPrintable(error.message));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SHOW TABLES")), QStringList{QStringLiteral("t")});
}

void tst_EmbeddedFailures::namesAMetadataFileThatIsMissing()
{
    const QString metadata = m_warehouse->info("t").head.token.mid(7);
    QVERIFY(QFile::remove(metadata));
    const Error error = m_warehouse->failure(QStringLiteral("SELECT * FROM t"));
    QCOMPARE(error.kind, ErrorKind::Corrupt);
    QVERIFY2(error.message.contains(metadata), qPrintable(error.message));
    m_warehouse->run(QStringLiteral("DROP TABLE t"));
    QCOMPARE(m_warehouse->rows(QStringLiteral("SHOW TABLES")), QStringList());
}

void tst_EmbeddedFailures::namesACatalogThatIsNone()
{
    const QString folder = m_warehouse->scratch() + QStringLiteral("/other");
    QVERIFY(QDir().mkpath(folder));
    QFile file(folder + QStringLiteral("/catalog.db"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("this is no database, but text of some length that nobody can take for one");
    file.close();
    EmbeddedExecutor executor({.warehouse = folder});
    EmbeddedSession session(executor);
    const auto result = execute(session, QStringLiteral("SELECT * FROM t"), {});
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Corrupt);
    QVERIFY2(result.error().message.contains(file.fileName()), qPrintable(result.error().message));
}

void tst_EmbeddedFailures::leavesNothingWhenStopped()
{
    const QStringList before = m_warehouse->filesOnDisk();
    const Call call{.stop = {},
                    .deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(300)};
    QFile csv(m_warehouse->scratch() + QStringLiteral("/n.csv"));
    QVERIFY(csv.open(QIODevice::WriteOnly));
    csv.write("n\n");
    for (int i = 0; i < 20000; ++i)
        csv.write(QByteArray::number(i) + '\n');
    csv.close();
    const auto result = m_warehouse->attempt(
        QStringLiteral("INSERT INTO t ") + kManyRows.arg(csv.fileName()), call);
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Timeout);
    QCOMPARE(m_warehouse->filesOnDisk(), before);
    QCOMPARE(m_warehouse->rows(QStringLiteral("SELECT * FROM t")),
             QStringList{QStringLiteral("x")});
}

void tst_EmbeddedFailures::findsNoOtherFileForAPattern()
{
    // Names that the engine would take for patterns, beside one that such a pattern would match.
    WarehouseFixture odd(QStringLiteral("/[w]*?"));
    odd.run(QStringLiteral("CREATE TABLE t AS SELECT 1 AS a"));
    QCOMPARE(odd.rows(QStringLiteral("SELECT * FROM t")), QStringList{QStringLiteral("1")});
    const QString file = odd.dataFiles("t").value(0).mid(7);
    const QString other = QString(file).replace(QStringLiteral("[w]*?"), QStringLiteral("w1"));
    QVERIFY(QDir().mkpath(other.section(u'/', 0, -2)));
    QVERIFY(QFile::rename(file, other));
    const Error error = odd.failure(QStringLiteral("SELECT * FROM t"));
    QCOMPARE(error.kind, ErrorKind::Corrupt);
    QCOMPARE(error.message, QStringLiteral("data file %1 is missing").arg(file));
}

void tst_EmbeddedFailures::removesWhatEndedProcessesSpilled()
{
    const QString mine = m_warehouse->executor().warehouse().spillFolder();
    const QString prefix = mine.left(mine.lastIndexOf(u'-') + 1);
    // No process has this number: it is beyond what Linux gives.
    const QString left = prefix + QStringLiteral("2000000000");
    const QString running = prefix + QStringLiteral("1");
    for (const QString &folder : {left, running})
        QVERIFY(QDir().mkpath(folder));
    EmbeddedExecutor other({.warehouse = m_warehouse->folder()});
    QVERIFY(other.database());
    QVERIFY(!QFileInfo::exists(left));
    QVERIFY(QFileInfo::exists(running));
}

QTEST_GUILESS_MAIN(tst_EmbeddedFailures)
#include "tst_embedded_failures.moc"
