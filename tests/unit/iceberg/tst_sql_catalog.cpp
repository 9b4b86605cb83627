#include "framework/iceberg/catalog.h"

#include <QFile>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <latch>
#include <thread>

using namespace ivm;
using namespace ivm::iceberg;

namespace {

TableName name(const QString &schema, const QString &table)
{
    return {QStringLiteral("iceberg"), schema, table};
}

const TableName kFlights = name(QStringLiteral("main"), QStringLiteral("flights"));

template <typename R>
QString problemOf(const R &result)
{
    return result
               ? QStringLiteral("fine")
               : errorKindName(result.error().kind) + QStringLiteral(": ") + result.error().message;
}

}  // namespace

class tst_SqlCatalog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void keepsTables();
    void listsInOrder();
    void refusesATableTwice();
    void refusesATableWithoutSchema();
    void swapsOnlyFromWhatIsThere();
    void renames();
    void dropsOnlyEmptySchemas();
    void hidesViewsAndOtherCatalogs();
    void worksOnTheOlderLayout();
    void readersMakeNothing();
    void readersSeeWhatIsCommitted();
    void refusesOtherFiles();
    void refusesDriversThatAreNotThere();
    void oneOfManyThreadsWins();
    void threadsComeAndGo();

private:
    QString file() const { return m_dir->filePath(QStringLiteral("catalog.db")); }
    std::unique_ptr<SqlCatalog> open(CatalogAccess access = CatalogAccess::ReadWrite)
    {
        auto catalog = SqlCatalog::open({.database = file(), .access = access});
        return catalog ? std::move(*catalog) : nullptr;
    }
    void execute(const QString &sql)
    {
        {
            auto database =
                QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("test"));
            database.setDatabaseName(file());
            QVERIFY(database.open());
            QSqlQuery query(database);
            QVERIFY(query.exec(sql));
        }
        QSqlDatabase::removeDatabase(QStringLiteral("test"));
    }

    std::unique_ptr<QTemporaryDir> m_dir;
};

void tst_SqlCatalog::init() { m_dir = std::make_unique<QTemporaryDir>(); }

void tst_SqlCatalog::keepsTables()
{
    auto catalog = open();
    QVERIFY(catalog);
    QVERIFY(catalog->createSchema(QStringLiteral("main")));
    QVERIFY(catalog->create(kFlights, QStringLiteral("file:///1")));
    QCOMPARE(catalog->load(kFlights).value_or(CatalogEntry{}),
             (CatalogEntry{kFlights, QStringLiteral("file:///1")}));
    catalog = open();
    QVERIFY(catalog->load(kFlights));
    QVERIFY(catalog->drop(kFlights));
    QCOMPARE(problemOf(catalog->load(kFlights)),
             QStringLiteral("not_found: there is no table iceberg.main.flights"));
    QCOMPARE(problemOf(catalog->drop(kFlights)),
             QStringLiteral("not_found: there is no table iceberg.main.flights"));
}

void tst_SqlCatalog::listsInOrder()
{
    auto catalog = open();
    QCOMPARE(catalog->list().value_or(QList<CatalogEntry>(1)).size(), 0);
    for (const char16_t *schema : {u"b", u"a"})
        QVERIFY(catalog->createSchema(QString::fromUtf16(schema)));
    for (const auto &table : {name(QStringLiteral("b"), QStringLiteral("x")),
                              name(QStringLiteral("a"), QStringLiteral("z")),
                              name(QStringLiteral("a"), QStringLiteral("y'\""))})
        QVERIFY(catalog->create(table, QStringLiteral("file:///") + table.table));
    QStringList names;
    const auto all = catalog->list();
    for (const auto &entry : all.value_or(QList<CatalogEntry>()))
        names.append(entry.name.text());
    QCOMPARE(names, QStringLiteral("iceberg.a.\"y'\"\"\" iceberg.a.z iceberg.b.x").split(u' '));
    QCOMPARE(catalog->list(QStringLiteral("b"))->size(), 1);
    QCOMPARE(catalog->schemas().value_or(QStringList()), QStringLiteral("a b").split(u' '));
}

void tst_SqlCatalog::refusesATableTwice()
{
    auto catalog = open();
    QVERIFY(catalog->createSchema(QStringLiteral("main")));
    QVERIFY(catalog->create(kFlights, QStringLiteral("file:///1")));
    QCOMPARE(problemOf(catalog->create(kFlights, QStringLiteral("file:///2"))),
             QStringLiteral("already_exists: table iceberg.main.flights is there already"));
    QCOMPARE(catalog->load(kFlights)->metadataLocation, QStringLiteral("file:///1"));
    QCOMPARE(problemOf(catalog->createSchema(QStringLiteral("main"))),
             QStringLiteral("already_exists: schema main is there already"));
}

void tst_SqlCatalog::refusesATableWithoutSchema()
{
    auto catalog = open();
    QCOMPARE(problemOf(catalog->create(kFlights, QStringLiteral("file:///1"))),
             QStringLiteral("not_found: there is no schema main"));
}

void tst_SqlCatalog::swapsOnlyFromWhatIsThere()
{
    auto catalog = open();
    QVERIFY(catalog->createSchema(QStringLiteral("main")));
    QVERIFY(catalog->create(kFlights, QStringLiteral("file:///1")));
    QVERIFY(catalog->swap(kFlights, QStringLiteral("file:///1"), QStringLiteral("file:///2")));
    QCOMPARE(problemOf(
                 catalog->swap(kFlights, QStringLiteral("file:///1"), QStringLiteral("file:///3"))),
             QStringLiteral("conflict: table iceberg.main.flights was changed by somebody else: it "
                            "is now at file:///2, "
                            "not at file:///1"));
    QCOMPARE(catalog->load(kFlights)->metadataLocation, QStringLiteral("file:///2"));
    QVERIFY(catalog->drop(kFlights));
    QCOMPARE(problemOf(
                 catalog->swap(kFlights, QStringLiteral("file:///2"), QStringLiteral("file:///3"))),
             QStringLiteral(
                 "conflict: table iceberg.main.flights was changed by somebody else: it is gone, "
                 "not at file:///2"));
}

void tst_SqlCatalog::renames()
{
    auto catalog = open();
    const auto other = name(QStringLiteral("other"), QStringLiteral("f"));
    QVERIFY(catalog->createSchema(QStringLiteral("main")));
    QVERIFY(catalog->create(kFlights, QStringLiteral("file:///1")));
    QCOMPARE(problemOf(catalog->rename(kFlights, other)),
             QStringLiteral("not_found: there is no schema other"));
    QVERIFY(catalog->createSchema(QStringLiteral("other")));
    QVERIFY(catalog->rename(kFlights, other));
    QCOMPARE(catalog->load(other)->metadataLocation, QStringLiteral("file:///1"));
    QCOMPARE(problemOf(catalog->rename(kFlights, other)),
             QStringLiteral("not_found: there is no table iceberg.main.flights"));
    QVERIFY(catalog->create(kFlights, QStringLiteral("file:///2")));
    QCOMPARE(problemOf(catalog->rename(kFlights, other)),
             QStringLiteral("already_exists: table iceberg.other.f is there already"));
}

void tst_SqlCatalog::dropsOnlyEmptySchemas()
{
    auto catalog = open();
    QVERIFY(catalog->createSchema(QStringLiteral("main")));
    QVERIFY(catalog->create(kFlights, QStringLiteral("file:///1")));
    QCOMPARE(problemOf(catalog->dropSchema(QStringLiteral("main"))),
             QStringLiteral("conflict: schema main has 1 tables, iceberg.main.flights among them"));
    QVERIFY(catalog->drop(kFlights));
    QVERIFY(catalog->dropSchema(QStringLiteral("main")));
    QCOMPARE(problemOf(catalog->dropSchema(QStringLiteral("main"))),
             QStringLiteral("not_found: there is no schema main"));
}

void tst_SqlCatalog::hidesViewsAndOtherCatalogs()
{
    auto catalog = open();
    execute(QStringLiteral(
        "INSERT INTO iceberg_tables VALUES ('iceberg', 'main', 'v', 'file:///v', NULL, 'VIEW'), "
        "('other', 'main', 'o', 'file:///o', NULL, 'TABLE'), "
        "('iceberg', 'main', 'old', 'file:///old', NULL, NULL), "
        "('iceberg', 'main', 'empty', NULL, NULL, 'TABLE')"));
    const auto all = catalog->list().value_or(QList<CatalogEntry>());
    QCOMPARE(all.size(), 1);
    QCOMPARE(all[0].metadataLocation, QStringLiteral("file:///old"));
    QCOMPARE(problemOf(catalog->load(name(QStringLiteral("main"), QStringLiteral("v")))),
             QStringLiteral("not_found: iceberg.main.v is a view, not a table"));
    QCOMPARE(
        problemOf(catalog->load(name(QStringLiteral("main"), QStringLiteral("empty")))),
        QStringLiteral("corrupt: the catalog has no metadata file for table iceberg.main.empty"));
}

// Before there were views the catalog had no column for the type.
void tst_SqlCatalog::worksOnTheOlderLayout()
{
    execute(QStringLiteral(
        "CREATE TABLE iceberg_tables (catalog_name TEXT NOT NULL, table_namespace TEXT NOT NULL, "
        "table_name TEXT NOT NULL, metadata_location TEXT, previous_metadata_location TEXT, "
        "PRIMARY KEY (catalog_name, table_namespace, table_name))"));
    auto catalog = open();
    QVERIFY(catalog->createSchema(QStringLiteral("main")));
    QVERIFY(catalog->create(kFlights, QStringLiteral("file:///1")));
    QCOMPARE(catalog->list()->size(), 1);
}

void tst_SqlCatalog::readersMakeNothing()
{
    const auto options = SqlCatalogOptions{.database = file()};
    QCOMPARE(problemOf(SqlCatalog::open(options)),
             QStringLiteral("not_found: there is no catalog %1").arg(file()));
    QVERIFY(!QFile::exists(file()));
    execute(QStringLiteral("CREATE TABLE something (a)"));
    QCOMPARE(problemOf(SqlCatalog::open(options)),
             QStringLiteral("not_found: %1 holds no catalog (no such table: iceberg_tables)")
                 .arg(file()));
    QVERIFY(open());
    auto reader = open(CatalogAccess::ReadOnly);
    QVERIFY(reader);
    QCOMPARE(problemOf(reader->createSchema(QStringLiteral("main"))),
             QStringLiteral("unavailable: catalog %1: attempt to write a readonly database")
                 .arg(file()));
}

void tst_SqlCatalog::readersSeeWhatIsCommitted()
{
    auto writer = open();
    auto reader = open(CatalogAccess::ReadOnly);
    QVERIFY(writer->createSchema(QStringLiteral("main")));
    QVERIFY(writer->create(kFlights, QStringLiteral("file:///1")));
    QCOMPARE(reader->load(kFlights)->metadataLocation, QStringLiteral("file:///1"));
    QVERIFY(writer->swap(kFlights, QStringLiteral("file:///1"), QStringLiteral("file:///2")));
    QCOMPARE(reader->load(kFlights)->metadataLocation, QStringLiteral("file:///2"));
}

void tst_SqlCatalog::refusesOtherFiles()
{
    QFile other(file());
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write(QByteArray(4096, 'x'));
    other.close();
    const auto opened = SqlCatalog::open({.database = file()});
    QCOMPARE(problemOf(opened),
             QStringLiteral("corrupt: catalog %1: file is not a database").arg(file()));
}

void tst_SqlCatalog::refusesDriversThatAreNotThere()
{
    const auto opened = SqlCatalog::open({.driver = QStringLiteral("QNOSUCH"), .database = file()});
    QCOMPARE(problemOf(opened),
             QStringLiteral("unsupported: Qt's database driver QNOSUCH is not installed"));
}

void tst_SqlCatalog::oneOfManyThreadsWins()
{
    constexpr int kThreads = 8;
    constexpr int kRounds = 5;
    auto catalog = open();
    QVERIFY(catalog->createSchema(QStringLiteral("main")));
    QVERIFY(catalog->create(kFlights, QStringLiteral("0")));
    for (int round = 0; round < kRounds; ++round) {
        std::atomic<int> winners = 0;
        std::atomic<int> conflicts = 0;
        std::latch start(kThreads);
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([&, i] {
                start.arrive_and_wait();
                const auto won = catalog->swap(kFlights, QString::number(round),
                                               i == 0 ? QString::number(round + 1)
                                                      : QStringLiteral("%1-%2").arg(round).arg(i));
                winners += won ? 1 : 0;
                conflicts += !won && won.error().kind == ErrorKind::Conflict ? 1 : 0;
            });
        }
        threads.clear();
        QCOMPARE(winners.load(), 1);
        QCOMPARE(conflicts.load(), kThreads - 1);
        const QString now = catalog->load(kFlights)->metadataLocation;
        if (now != QString::number(round + 1))
            QVERIFY(catalog->swap(kFlights, now, QString::number(round + 1)));
    }
}

void tst_SqlCatalog::threadsComeAndGo()
{
    auto catalog = open();
    const auto before = QSqlDatabase::connectionNames().size();
    for (int i = 0; i < 20; ++i)
        std::jthread([&] { QVERIFY(catalog->list()); });
    QCOMPARE(QSqlDatabase::connectionNames().size(), before);
    catalog.reset();
    QCOMPARE(QSqlDatabase::connectionNames().size(), before - 1);
}

QTEST_GUILESS_MAIN(tst_SqlCatalog)
#include "tst_sql_catalog.moc"
