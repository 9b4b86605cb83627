#include "plugins/store_sqlite/schema.h"
#include "plugins/store_sqlite/sqlite_history.h"
#include "plugins/store_sqlite/sqlite_store.h"
#include "tests/conformance/checks.h"
#include "tests/conformance/history_suite.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_engine.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace ivm;
using sqlite::Database;
using sqlite::SqliteHistory;

namespace {

const QString kLine = QStringLiteral("default");

QByteArray contentsOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

MigrationRecord recordAt(const QDateTime &time)
{
    MigrationRecord record;
    record.version = 1;
    record.line = kLine;
    record.appliedAt = time;
    return record;
}

}  // namespace

class tst_SqliteHistory : public test::HistorySuite {
    Q_OBJECT

public:
    std::unique_ptr<HistoryStore> openEmpty(const ProcessIdentity &self) override
    {
        m_dir = std::make_unique<QTemporaryDir>();
        return openAgain(self);
    }
    std::unique_ptr<HistoryStore> openAgain(const ProcessIdentity &self) override
    {
        return std::make_unique<SqliteHistory>(
            path(), m_clock, [this]() -> Result<Executor *> { return &m_executor; }, self);
    }
    bool isMade() override { return QFile::exists(path()); }
    void pass(std::chrono::seconds time) override { m_clock.advance(time); }
    bool setAtWork(const QString &purpose, bool atWork) override
    {
        m_world.atWork = atWork ? purpose : QString();
        return true;
    }

private Q_SLOTS:
    void init() { m_dir = std::make_unique<QTemporaryDir>(); }

    void readsAFileOfBeforeTheHistoryAndLeavesIt();
    void sharesTheFileWithTheState();
    void saysThatAStatusIsDamaged();
    void takesNoLockOverWithoutTheEnginesWord();

private:
    QString path() const { return m_dir->filePath(QStringLiteral("state.db")); }

    std::unique_ptr<QTemporaryDir> m_dir;
    test::FakeClock m_clock;
    test::FakeWorld m_world;
    test::FakeExecutor m_executor{m_world};
};

void tst_SqliteHistory::readsAFileOfBeforeTheHistoryAndLeavesIt()
{
    {
        Database database(path());
        DO(bringUpToDate(database, sqlite::upgradeSteps().mid(0, 1)));
    }
    const QByteArray before = contentsOf(path());
    const auto store = openAgain(thisProcess());
    TAKE(const auto history, store->history({}));
    QCOMPARE(history, MigrationHistory{});
    TAKE(const auto events, store->events(kLine, {}));
    QVERIFY(events.isEmpty());
    QCOMPARE(contentsOf(path()), before);
    DO(store->save(recordAt(m_clock.now()), {}));
    TAKE(const auto saved, store->history({}));
    QCOMPARE(saved.records.size(), 1);
}

void tst_SqliteHistory::sharesTheFileWithTheState()
{
    TAKE(const auto state, sqlite::SqliteStore::open(path(), m_clock));
    const auto history = openAgain(thisProcess());
    DO(history->save(recordAt(m_clock.now()), {}));
    Bookmark bookmark;
    bookmark.view = QStringLiteral("hourly");
    DO(state->saveBookmark(bookmark));
    TAKE(const auto read, history->history({}));
    QCOMPARE(read.records.size(), 1);
    TAKE(const auto bookmarks, state->bookmarks());
    QCOMPARE(bookmarks.size(), 1);
}

void tst_SqliteHistory::saysThatAStatusIsDamaged()
{
    const auto store = openAgain(thisProcess());
    DO(store->save(recordAt(m_clock.now()), {}));
    Database database(path());
    QVERIFY(database.run(QStringLiteral("UPDATE migration_history SET status = 'done'")));
    const auto read = store->history({});
    QVERIFY(!read);
    QCOMPARE(read.error().kind, ErrorKind::Corrupt);
    QCOMPARE(read.error().text(),
             QStringLiteral("state store %1: migration 1 of 'default' has the status 'done'")
                 .arg(path()));
}

void tst_SqliteHistory::takesNoLockOverWithoutTheEnginesWord()
{
    const auto first = openAgain({QStringLiteral("elsewhere"), 1, 1});
    const LockRequest request{.line = kLine, .owner = QStringLiteral("ivmctl"), .doing = {}};
    TAKE(const auto lock, first->acquire(request, {}));
    pass(std::chrono::seconds(121));
    SqliteHistory second(path(), m_clock, []() -> Result<Executor *> {
        return fail(unavailableError(QStringLiteral("the cluster is not there")));
    });
    const auto refused = second.acquire(request, {});
    REFUSED(ErrorKind::Unavailable, refused);
    DO(first->renew(lock, {}, {}));
}

QTEST_GUILESS_MAIN(tst_SqliteHistory)
#include "tst_sqlite_history.moc"
