#include "plugins/store_sqlite/schema.h"
#include "plugins/store_sqlite/sqlite_store.h"
#include "tests/conformance/store_suite.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QSqlError>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ivm;
using sqlite::Database;
using sqlite::SqliteStore;

namespace {

const TableName kTarget{QStringLiteral("iceberg"), QStringLiteral("main"),
                        QStringLiteral("hourly")};

QByteArray contentsOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

void write(const QString &path, const QByteArray &bytes)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(bytes), bytes.size());
}

}  // namespace

class tst_SqliteStore : public test::StoreSuite {
    Q_OBJECT

public:
    std::unique_ptr<StateStore> openEmpty(const Clock &clock) override
    {
        m_dir = std::make_unique<QTemporaryDir>();
        return openAgain(clock);
    }
    std::unique_ptr<StateStore> openAgain(const Clock &clock) override
    {
        auto store = SqliteStore::open(path(), clock);
        return store ? std::move(*store) : nullptr;
    }
    bool mayFork() const override { return true; }

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void keepsAllWhenOpenedAgain();
    void isMadeOnceByManyAtOnce();
    void usesWriteAheadLogging();
    void doesNotWriteWhenOpeningAFileThatIsUpToDate();
    void aFailedTransactionLeavesNothing();
    void connectionsOfEndedThreadsAreClosed();

    void aDeadProcessLosesItsLeaseAtOnce();
    void aReusedProcessIdDoesNotKeepALease();
    void aKilledWriterLeavesAWholeStore();
    void aProcessOfAnotherMachineKeepsItsLeaseUntilItRunsOut();

    void upgradesStepByStep();
    void aFailedUpgradeLeavesTheOldVersion();
    void refusesANewerVersion();

    void saysWhatIsWrongWithAPath_data();
    void saysWhatIsWrongWithAPath();
    void saysThatAFileIsDamaged();
    void passesOverABookmarkThatIsDamaged();
    void saysThatAnIntentIsDamaged();
    void saysWhoseDatabaseItIsNot();

private:
    RefreshRecord recordWith(const QString &reason) const
    {
        RefreshRecord record;
        record.view = QStringLiteral("hourly");
        record.reason = reason;
        record.started = m_clock.now();
        return record;
    }
    QString path() const { return m_dir->filePath(QStringLiteral("state.db")); }
    void openAs(const ProcessIdentity &process, std::unique_ptr<SqliteStore> &out);

    std::unique_ptr<QTemporaryDir> m_dir;
    test::FakeClock m_clock;
};

void tst_SqliteStore::openAs(const ProcessIdentity &process, std::unique_ptr<SqliteStore> &out)
{
    auto store = SqliteStore::open(path(), m_clock, process);
    QVERIFY2(store, qPrintable(store ? QString() : store.error().text()));
    out = std::move(*store);
}

void tst_SqliteStore::keepsAllWhenOpenedAgain()
{
    QVERIFY(openAgain(m_clock)->addRecord(recordWith(QStringLiteral("no change"))));
    const auto records = openAgain(m_clock)->records(QStringLiteral("hourly"), 10);
    QVERIFY(records);
    QCOMPARE(records->size(), 1);
}

void tst_SqliteStore::isMadeOnceByManyAtOnce()
{
    constexpr int kOpeners = 6;
    QStringList problems(kOpeners);
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kOpeners; ++i) {
            threads.emplace_back([this, problem = &problems[i]] {
                if (const auto store = SqliteStore::open(path(), m_clock); !store)
                    *problem = store.error().text();
            });
        }
    }
    QCOMPARE(problems, QStringList(kOpeners));
}

void tst_SqliteStore::usesWriteAheadLogging()
{
    QVERIFY(openAgain(m_clock));
    Database database(path());
    auto mode = database.run(QStringLiteral("PRAGMA journal_mode"));
    QVERIFY(mode && mode->next());
    QCOMPARE(mode->value(0).toString(), u"wal");
}

void tst_SqliteStore::doesNotWriteWhenOpeningAFileThatIsUpToDate()
{
    QVERIFY(openAgain(m_clock));
    const QByteArray before = contentsOf(path());
    const auto store = openAgain(m_clock);
    QVERIFY(store->bookmarks());
    QCOMPARE(contentsOf(path()), before);
    QCOMPARE(QFile(path() + QStringLiteral("-wal")).size(), 0);
}

void tst_SqliteStore::aFailedTransactionLeavesNothing()
{
    QVERIFY(openAgain(m_clock));
    Database database(path());
    const auto status = database.write(sqlite::Durability::Crash, [&]() -> Status {
        IVM_CHECK(database.run(QStringLiteral("INSERT INTO intents VALUES ('a', 'b')")));
        return fail(unavailableError(QStringLiteral("no")));
    });
    QVERIFY(!status);
    auto rows = database.run(QStringLiteral("SELECT * FROM intents"));
    QVERIFY(rows && !rows->next());
}

void tst_SqliteStore::connectionsOfEndedThreadsAreClosed()
{
    const auto store = openAgain(m_clock);
    const auto before = QSqlDatabase::connectionNames().size();
    std::jthread([&] { QVERIFY(store->bookmarks()); }).join();
    QCOMPARE(QSqlDatabase::connectionNames().size(), before);
}

void tst_SqliteStore::aDeadProcessLosesItsLeaseAtOnce()
{
    QProcess process;
    process.start(QStringLiteral("/bin/cat"), QStringList());
    QVERIFY(process.waitForStarted());
    ProcessIdentity dying = thisProcess();
    dying.pid = process.processId();
    dying.started =
        contentsOf(QStringLiteral("/proc/%1/stat").arg(dying.pid)).split(' ').at(21).toLongLong();

    std::unique_ptr<SqliteStore> first;
    openAs(dying, first);
    const LeaseRequest request{.target = kTarget, .owner = QStringLiteral("ivmctl")};
    QVERIFY(first->acquireLease(request));
    std::unique_ptr<SqliteStore> second;
    openAs(thisProcess(), second);
    QVERIFY(!second->acquireLease(request));

    process.closeWriteChannel();
    QVERIFY(process.waitForFinished());
    QVERIFY(second->acquireLease(request));
}

void tst_SqliteStore::aReusedProcessIdDoesNotKeepALease()
{
    ProcessIdentity earlier = thisProcess();
    --earlier.started;
    std::unique_ptr<SqliteStore> first;
    openAs(earlier, first);
    const LeaseRequest request{.target = kTarget, .owner = QStringLiteral("ivmctl")};
    QVERIFY(first->acquireLease(request));
    std::unique_ptr<SqliteStore> second;
    openAs(thisProcess(), second);
    QVERIFY(second->acquireLease(request));
}

// Writes until it is killed. Runs in a process of its own, which ends here.
[[noreturn]] void writeForEver(const QString &path)
{
    const SystemClock clock;
    auto store = SqliteStore::open(path, clock);
    if (!store || !(*store)->acquireLease({.target = kTarget, .owner = QStringLiteral("victim")}))
        _exit(1);
    Bookmark bookmark;
    bookmark.view = QStringLiteral("hourly");
    Intent intent;
    intent.view = bookmark.view;
    for (int i = 1;; ++i) {
        intent.id = bookmark.resumeFrom = QString::number(i);
        if (!(*store)->saveIntent(intent) || !(*store)->saveBookmark(bookmark))
            _exit(1);
    }
}

void tst_SqliteStore::aKilledWriterLeavesAWholeStore()
{
    const SystemClock clock;
    for (int round = 1; round <= 5; ++round) {
        const pid_t child = fork();
        if (child == 0)
            writeForEver(path());
        // Once it has written something in this round, it may die at any point.
        const QString view = QStringLiteral("hourly");
        QString before;
        for (int written = 0; written < round;) {
            const auto store = SqliteStore::open(path(), clock);
            const auto read = store ? (*store)->bookmark(view) : Result<std::optional<Bookmark>>();
            if (read && *read && (*read)->resumeFrom != before) {
                before = (*read)->resumeFrom;
                ++written;
            }
        }
        QCOMPARE(kill(child, SIGKILL), 0);
        QCOMPARE(waitpid(child, nullptr, 0), child);

        const auto store = SqliteStore::open(path(), clock);
        QVERIFY(store);
        QVERIFY((*store)->bookmark(view)->has_value());
        const auto lease =
            (*store)->acquireLease({.target = kTarget, .owner = QStringLiteral("next")});
        QVERIFY2(lease, qPrintable(lease ? QString() : lease.error().text()));
        QVERIFY((*store)->releaseLease(*lease));
        Database database(path());
        auto check = database.run(QStringLiteral("PRAGMA integrity_check"));
        QVERIFY(check && check->next());
        QCOMPARE(check->value(0).toString(), u"ok");
    }
}

void tst_SqliteStore::aProcessOfAnotherMachineKeepsItsLeaseUntilItRunsOut()
{
    std::unique_ptr<SqliteStore> first;
    openAs({QStringLiteral("elsewhere"), 1, 1}, first);
    const LeaseRequest request{.target = kTarget,
                               .owner = QStringLiteral("ivmd on elsewhere (process 1)")};
    QVERIFY(first->acquireLease(request));
    std::unique_ptr<SqliteStore> second;
    openAs(thisProcess(), second);
    const auto refused = second->acquireLease(request);
    QVERIFY(!refused);
    QCOMPARE(refused.error().text(),
             u"iceberg.main.hourly is being refreshed by ivmd on elsewhere (process 1) since "
             "2026-03-01T12:00:00Z. Wait for it to end; without a sign of life its lease runs out "
             "at 2026-03-01T12:01:00Z");
}

void tst_SqliteStore::upgradesStepByStep()
{
    const sqlite::UpgradeSteps old{
        {QStringLiteral("CREATE TABLE t (a)"), QStringLiteral("INSERT INTO t VALUES (1)")}};
    auto now = old;
    now.append(
        {QStringLiteral("ALTER TABLE t ADD COLUMN b"), QStringLiteral("UPDATE t SET b = a + 1")});
    Database database(path());
    QVERIFY(bringUpToDate(database, old));
    QVERIFY(bringUpToDate(database, now));
    auto rows = database.run(QStringLiteral("SELECT a, b FROM t"));
    QVERIFY(rows && rows->next());
    QCOMPARE(rows->value(1).toInt(), 2);
    QVERIFY(!rows->next());
}

void tst_SqliteStore::aFailedUpgradeLeavesTheOldVersion()
{
    const sqlite::UpgradeSteps old{{QStringLiteral("CREATE TABLE t (a)")}};
    auto now = old;
    now.append({QStringLiteral("CREATE TABLE u (a)"),
                QStringLiteral("INSERT INTO no_such_table VALUES (1)")});
    Database database(path());
    QVERIFY(bringUpToDate(database, old));
    QVERIFY(!bringUpToDate(database, now));
    auto version = database.run(QStringLiteral("PRAGMA user_version"));
    QVERIFY(version && version->next());
    QCOMPARE(version->value(0).toInt(), 1);
    QVERIFY(!database.run(QStringLiteral("SELECT * FROM u")));
}

void tst_SqliteStore::refusesANewerVersion()
{
    QVERIFY(openAgain(m_clock));
    {
        Database database(path());
        QVERIFY(database.run(QStringLiteral("PRAGMA user_version = 7")));
    }
    const auto refused = SqliteStore::open(path(), m_clock);
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::Unsupported);
    QCOMPARE(
        refused.error().text(),
        QStringLiteral("state store %1: it has schema version 7, this program knows versions up "
                       "to 2. Use the newer program that wrote it, or set state.path in the "
                       "configuration to another file")
            .arg(path()));
}

void tst_SqliteStore::saysWhatIsWrongWithAPath_data()
{
    QTest::addColumn<QString>("path");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<QString>("problem");
    QTest::newRow("its folder is missing")
        << QStringLiteral("DIR/no/state.db") << ErrorKind::Unavailable
        << QStringLiteral("the folder DIR/no does not exist. Create it, or set state.path in the "
                          "configuration to another file");
    QTest::newRow("it is a folder")
        << QStringLiteral("DIR") << ErrorKind::Invalid
        << QStringLiteral("this is a folder, expected a file. Set state.path in the configuration "
                          "to a file");
    QTest::newRow("its folder cannot be written")
        << QStringLiteral("/proc/state.db") << ErrorKind::Unavailable
        << QStringLiteral("cannot be opened for writing: unable to open database file. Let this "
                          "user write to the file and its folder, or set state.path in the "
                          "configuration to another file");
    QTest::newRow("it is not a database")
        << QStringLiteral("DIR/notes.txt") << ErrorKind::Corrupt
        << QStringLiteral("this is not an SQLite database. Is it the right file? If not, set "
                          "state.path in the configuration to another file");
    QTest::newRow("the disk is full")
        << QStringLiteral("/dev/full") << ErrorKind::Unavailable
        << QStringLiteral("the disk is full. Make room, or set state.path in the configuration to "
                          "another file");
}

void tst_SqliteStore::saysWhatIsWrongWithAPath()
{
    QFETCH(QString, path);
    QFETCH(ErrorKind, kind);
    QFETCH(QString, problem);
    write(m_dir->filePath(QStringLiteral("notes.txt")), QByteArray(1000, 'x'));
    path.replace(QStringLiteral("DIR"), m_dir->path());
    problem.replace(QStringLiteral("DIR"), m_dir->path());
    const auto refused = SqliteStore::open(path, m_clock);
    QVERIFY(!refused);
    QCOMPARE(refused.error().text(), u"state store " + path + u": " + problem);
    QCOMPARE(refused.error().kind, kind);
}

void tst_SqliteStore::saysThatAFileIsDamaged()
{
    {
        const auto store = openAgain(m_clock);
        for (int i = 0; i < 150; ++i)
            QVERIFY(store->addRecord(recordWith(QString(500, u'x'))));
    }
    QByteArray bytes = contentsOf(path());
    QVERIFY(bytes.size() > 40'000);
    bytes.replace(8192, bytes.size() - 8192, QByteArray(bytes.size() - 8192, '\xff'));
    write(path(), bytes);
    const auto store = openAgain(m_clock);
    QVERIFY(store);
    const auto records = store->records(QStringLiteral("hourly"), 200);
    QVERIFY(!records);
    QCOMPARE(records.error().kind, ErrorKind::Corrupt);
    QCOMPARE(records.error().text(),
             QStringLiteral("state store %1: the database is damaged: database disk image is "
                            "malformed. Move it away and a new one is made; each view is then "
                            "compared with its query once")
                 .arg(path()));
}

void tst_SqliteStore::passesOverABookmarkThatIsDamaged()
{
    const auto store = openAgain(m_clock);
    Database database(path());
    QVERIFY(database.run(QStringLiteral("INSERT INTO bookmarks VALUES ('hourly', '{')")));
    QVERIFY(database.run(
        QStringLiteral("INSERT INTO bookmarks VALUES ('daily', '{\"version\": 99}')")));
    QTest::ignoreMessage(
        QtWarningMsg, QRegularExpression(QStringLiteral("%1: bookmark of view 'hourly' is not JSON")
                                             .arg(QRegularExpression::escape(path()))));
    const auto hourly = store->bookmark(QStringLiteral("hourly"));
    QVERIFY(hourly);
    QVERIFY(!*hourly);
    for (const char *why :
         {"'daily' is of version 99, expected 1; the view will be diffed", "'hourly' is not JSON"})
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QString::fromLatin1(why)));
    const auto all = store->bookmarks();
    QVERIFY(all);
    QVERIFY(all->isEmpty());
}

void tst_SqliteStore::saysThatAnIntentIsDamaged()
{
    const auto store = openAgain(m_clock);
    Database database(path());
    QVERIFY(database.run(QStringLiteral("INSERT INTO intents VALUES ('hourly', '{}')")));
    const auto intent = store->intent(QStringLiteral("hourly"));
    QVERIFY(!intent);
    QCOMPARE(intent.error().kind, ErrorKind::Corrupt);
    QCOMPARE(intent.error().text(),
             QStringLiteral("state store %1: intent of view 'hourly': \"id\" is missing. Whether "
                            "its commit landed is not known: delete its row of the table intents, "
                            "and the view is compared whole")
                 .arg(path()));
}

void tst_SqliteStore::saysWhoseDatabaseItIsNot()
{
    {
        Database database(path());
        QVERIFY(database.run(QStringLiteral("CREATE TABLE iceberg_tables (a)")));
    }
    const QByteArray before = contentsOf(path());
    const auto refused = SqliteStore::open(path(), m_clock);
    QVERIFY(!refused);
    QCOMPARE(
        refused.error().text(),
        QStringLiteral("state store %1: this is the database of another program. Set state.path "
                       "in the configuration to another file")
            .arg(path()));
    QCOMPARE(contentsOf(path()), before);
}

QTEST_GUILESS_MAIN(tst_SqliteStore)
#include "tst_sqlite_store.moc"
