// The state in Iceberg tables where answers get lost, leases are lost, many write at once, and
// years go by.
#include "plugins/executor_duckdb/executor.h"
#include "plugins/store_iceberg/iceberg_state.h"
#include "tests/conformance/checks.h"
#include "tests/e2e/history_store/fated_engine.h"

#include <QDirIterator>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <thread>

using namespace ivm;
using namespace std::chrono_literals;
using store_iceberg::IcebergState;
using store_iceberg::StateOptions;

namespace {

const QString kView = QStringLiteral("hourly");

TableName table(const QString &name)
{
    return {QStringLiteral("iceberg"), QStringLiteral("main"), name};
}

Bookmark bookmarkOf(const QString &view, int number)
{
    Bookmark bookmark;
    bookmark.view = view;
    bookmark.target = table(view);
    bookmark.resumeFrom = QString::number(number);
    return bookmark;
}

Intent intentOf(const QString &view, int number)
{
    Intent intent;
    intent.id = QString::number(number);
    intent.view = view;
    intent.target = table(view);
    return intent;
}

RefreshRecord recordOf(const QString &view)
{
    RefreshRecord record;
    record.view = view;
    record.action = QStringLiteral("diff");
    record.started = QDateTime(QDate(2026, 3, 1), QTime(12, 0), Qt::UTC);
    return record;
}

LeaseRequest leaseOf(const QString &view)
{
    return {.target = table(view), .owner = QStringLiteral("ivmd on host")};
}

}  // namespace

class tst_StateRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void makesNothingByLooking();
    void writesOnceWhateverIsLost_data();
    void writesOnceWhateverIsLost();
    void aHolderWithoutALeaseWritesOverNobody_data();
    void aHolderWithoutALeaseWritesOverNobody();
    void aLeaseLostToAnotherThreadIsNoneAnyMore();
    void aHolderWritesAgainWhatAnotherTookAway();
    void whatIsReadUnderALeaseIsNewerThanIt();
    void aDeadProcessLosesItsLeaseAtOnce();
    void aProcessOfAnotherMachineKeepsItsLease();
    void oneOfManyGetsALease();
    void manyViewsAreWrittenAtOnce();
    void aLookAtManyViewsIsTwoStatements();
    void aRefreshTakesFewStatements();
    void passesOverABookmarkThatIsDamaged();
    void saysThatAnIntentIsDamaged();
    void writesARowThatHasLostItsToken();
    void saysThatAColumnIsGone();
    void staysSmall();
    void isTidiedAsFarAsTheEngineAllows();
    void anIdleHostStaysSmall();
    void trimsTheRecords();
    void manyRecordsAreOneStatement();

private:
    std::unique_ptr<IcebergState> open(const ProcessIdentity &self = thisProcess())
    {
        return std::make_unique<IcebergState>(
            m_options, [this]() -> Result<Executor *> { return &m_fated; }, self);
    }
    Result<Rows> rows(const QString &sql)
    {
        IVM_TRY(const auto session, m_engine.openSession({}, {}));
        return query(*session, QString(sql).replace(u'@', m_options.schema), {});
    }
    qint64 number(const QString &sql)
    {
        const auto found = rows(sql);
        return found ? std::get<qint64>(found->rows.at(0).at(0).data) : -1;
    }
    int filesOf(const QString &pattern) const;
    // As if all leases had run out long ago.
    void letLeasesRunOut()
    {
        TAKE(const auto done, rows(QStringLiteral("UPDATE @.view_leases SET \"until\" = "
                                                  "\"until\" - INTERVAL '1' DAY")));
    }
    int statementsOf(const std::function<Status()> &what);

    QTemporaryDir m_folder;
    const QString m_warehouse = m_folder.filePath(QStringLiteral("data"));
    duckdb::EmbeddedExecutor m_engine{{.warehouse = m_warehouse}};
    test::Fate m_fate;
    test::FatedExecutor m_fated{m_engine, m_fate};
    StateOptions m_options{
        .catalog = QStringLiteral("iceberg"), .schema = {}, .tidiesByLot = false};
    int m_schemas = 0;
};

void tst_StateRules::init()
{
    m_fate = {};
    m_options.schema = QStringLiteral("s%1").arg(++m_schemas);
    m_options.believed = 0ms;
}

int tst_StateRules::statementsOf(const std::function<Status()> &what)
{
    const int before = m_fate.statements;
    const auto done = what();
    if (!done)
        qWarning("%s", qPrintable(done.error().text()));
    return m_fate.statements - before;
}

int tst_StateRules::filesOf(const QString &pattern) const
{
    int count = 0;
    QDirIterator files(m_warehouse + u'/' + m_options.schema, {pattern}, QDir::Files,
                       QDirIterator::Subdirectories);
    for (; files.hasNext(); files.next())
        ++count;
    return count;
}

void tst_StateRules::makesNothingByLooking()
{
    const auto store = open();
    TAKE(const auto all, store->bookmarks());
    TAKE(const QString holder, store->leaseHolder(table(kView)));
    TAKE(const auto last, store->records(kView, 1));
    DO(store->forgetView(kView));
    DO(store->forgetIntent(kView));
    const auto tables = rows(QStringLiteral("SHOW TABLES FROM @"));
    QVERIFY(!tables || tables->rows.empty());
}

void tst_StateRules::writesOnceWhateverIsLost_data()
{
    QTest::addColumn<bool>("lands");
    QTest::addColumn<ErrorKind>("kind");
    QTest::newRow("it landed") << true << ErrorKind::CommitUnknown;
    QTest::newRow("it did not land") << false << ErrorKind::CommitUnknown;
    QTest::newRow("it lost against another") << false << ErrorKind::Conflict;
}

void tst_StateRules::writesOnceWhateverIsLost()
{
    QFETCH(bool, lands);
    QFETCH(ErrorKind, kind);
    const auto store = open();
    DO(store->addRecord(recordOf(QStringLiteral("other"))));
    const auto lose = [&](const char *start) {
        m_fate = {.start = QString::fromLatin1(start), .times = 2, .lands = lands, .kind = kind};
    };
    lose("MERGE");
    TAKE(const QString lease, store->acquireLease(leaseOf(kView)));
    QVERIFY(m_fate.met > 0);
    lose("MERGE");
    DO(store->saveIntent(intentOf(kView, 1)));
    QVERIFY(m_fate.met > 0);
    lose("MERGE");
    DO(store->saveIntent(intentOf(kView, 2)));
    TAKE(const auto intent, open()->intent(kView));
    QCOMPARE(intent, intentOf(kView, 2));
    lose("MERGE");
    DO(store->saveBookmark(bookmarkOf(kView, 2)));
    TAKE(const auto saved, open()->bookmark(kView));
    QCOMPARE(saved, bookmarkOf(kView, 2));
    lose("INSERT");
    DO(store->addRecord(recordOf(kView)));
    TAKE(const auto records, store->records(kView, 10));
    QCOMPARE(records.size(), 1);
    lose("UPDATE");
    DO(store->renewLease(lease, 60s));
    QCOMPARE(m_fate.met, 2);
    lose("DELETE");
    DO(store->releaseLease(lease));
    QCOMPARE(number(QStringLiteral("SELECT count(*) FROM @.view_leases")), 0);
    QCOMPARE(number(QStringLiteral("SELECT count(*) FROM @.view_state")), 1);
}

void tst_StateRules::aHolderWithoutALeaseWritesOverNobody_data()
{
    QTest::addColumn<bool>("hasRow");
    QTest::newRow("a view with a bookmark") << true;
    QTest::newRow("a new view") << false;
}

// He slept; another took the target, and refreshed it.
void tst_StateRules::aHolderWithoutALeaseWritesOverNobody()
{
    QFETCH(bool, hasRow);
    const auto slow = open();
    const auto quick = open();
    if (hasRow)
        DO(slow->saveBookmark(bookmarkOf(kView, 1)));
    TAKE(const QString lost, slow->acquireLease(leaseOf(kView)));
    TAKE(const auto known, slow->bookmark(kView));
    QCOMPARE(known.has_value(), hasRow);
    DO(slow->saveIntent(intentOf(kView, 2)));
    letLeasesRunOut();
    TAKE(const QString lease, quick->acquireLease(leaseOf(kView)));
    TAKE(const auto open, quick->intent(kView));
    QCOMPARE(open, intentOf(kView, 2));
    DO(quick->saveBookmark(bookmarkOf(kView, 3)));

    const auto over = slow->saveBookmark(bookmarkOf(kView, 2));
    QVERIFY(!over);
    QCOMPARE(over.error().code, u"lease_lost");
    REFUSED(ErrorKind::Conflict, slow->saveIntent(intentOf(kView, 4)));
    REFUSED(ErrorKind::Conflict, slow->forgetIntent(kView));
    DO(quick->forgetBookmark(kView));
    REFUSED(ErrorKind::Conflict, slow->saveBookmark(bookmarkOf(kView, 2)));
    QCOMPARE(number(QStringLiteral("SELECT count(*) FROM @.view_state")), 0);
    DO(slow->releaseLease(lost));
    DO(quick->renewLease(lease, 60s));
}

// Both of one process; what the first had read is not what the second finds.
void tst_StateRules::aLeaseLostToAnotherThreadIsNoneAnyMore()
{
    const auto store = open();
    const auto elsewhere = open();
    DO(store->saveBookmark(bookmarkOf(kView, 1)));
    for (int round = 0; round < 4; ++round) {
        TAKE(const QString lost, store->acquireLease(leaseOf(kView)));
        TAKE(const auto known, store->bookmark(kView));
        letLeasesRunOut();
        TAKE(const QString others, elsewhere->acquireLease(leaseOf(kView)));
        DO(elsewhere->saveBookmark(bookmarkOf(kView, 10 + round)));
        DO(elsewhere->releaseLease(others));
        TAKE(const QString lease, store->acquireLease(leaseOf(kView)));
        TAKE(const auto now, store->bookmark(kView));
        QCOMPARE(now, bookmarkOf(kView, 10 + round));
        DO(store->saveBookmark(bookmarkOf(kView, 20 + round)));
        REFUSED(ErrorKind::Conflict, store->renewLease(lost, 60s));
        DO(store->releaseLease(lost));
        DO(store->renewLease(lease, 60s));
        DO(store->releaseLease(lease));
    }
}

void tst_StateRules::aHolderWritesAgainWhatAnotherTookAway()
{
    const auto holder = open();
    DO(holder->saveBookmark(bookmarkOf(kView, 1)));
    TAKE(const QString lease, holder->acquireLease(leaseOf(kView)));
    TAKE(const auto known, holder->bookmark(kView));
    QCOMPARE(known, bookmarkOf(kView, 1));
    DO(open()->forgetView(kView));
    DO(holder->saveIntent(intentOf(kView, 2)));
    DO(open()->forgetView(kView));
    DO(holder->forgetIntent(kView));
    DO(holder->saveBookmark(bookmarkOf(kView, 2)));
    TAKE(const auto read, open()->bookmark(kView));
    QCOMPARE(read, bookmarkOf(kView, 2));
}

// Also where all that was read is believed for ever.
void tst_StateRules::whatIsReadUnderALeaseIsNewerThanIt()
{
    m_options.believed = 24h;
    const auto first = open();
    const auto second = open();
    DO(second->saveBookmark(bookmarkOf(kView, 1)));
    TAKE(const auto all, first->bookmarks());
    QCOMPARE(all.size(), 1);
    DO(second->saveBookmark(bookmarkOf(kView, 2)));
    TAKE(const auto believed, first->bookmark(kView));
    QCOMPARE(believed, bookmarkOf(kView, 1));
    TAKE(const QString lease, first->acquireLease(leaseOf(kView)));
    TAKE(const auto read, first->bookmark(kView));
    QCOMPARE(read, bookmarkOf(kView, 2));
    DO(first->saveIntent(intentOf(kView, 3)));
    TAKE(const auto intent, first->intent(kView));
    QCOMPARE(intent, intentOf(kView, 3));
    TAKE(const auto kept, first->bookmark(kView));
    QCOMPARE(kept, bookmarkOf(kView, 2));
}

void tst_StateRules::aDeadProcessLosesItsLeaseAtOnce()
{
    auto dead = thisProcess();
    ++dead.started;
    TAKE(const QString lost, open(dead)->acquireLease(leaseOf(kView)));
    TAKE(const QString nobody, open()->leaseHolder(table(kView)));
    QCOMPARE(nobody, QString());
    const auto next = open();
    TAKE(const QString lease, next->acquireLease(leaseOf(kView)));
    DO(next->renewLease(lease, 60s));
}

void tst_StateRules::aProcessOfAnotherMachineKeepsItsLease()
{
    const auto elsewhere = open({QStringLiteral("elsewhere"), 1, 1});
    TAKE(const QString lease, elsewhere->acquireLease(leaseOf(kView)));
    REFUSED(ErrorKind::Conflict, open()->acquireLease(leaseOf(kView)));
    letLeasesRunOut();
    DO(elsewhere->renewLease(lease, 60s));
    REFUSED(ErrorKind::Conflict, open()->acquireLease(leaseOf(kView)));
}

void tst_StateRules::oneOfManyGetsALease()
{
    const auto racer = [this] {
        return std::make_unique<IcebergState>(m_options,
                                              [this]() -> Result<Executor *> { return &m_engine; });
    };
    std::atomic<int> winners = 0;
    std::atomic<int> others = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                const auto taken = racer()->acquireLease(leaseOf(kView));
                winners += taken.has_value();
                others += !taken && taken.error().code == u"lease_held";
            });
        }
    }
    QCOMPARE(winners.load(), 1);
    QCOMPARE(others.load(), 3);
}

void tst_StateRules::manyViewsAreWrittenAtOnce()
{
    IcebergState store(m_options, [this]() -> Result<Executor *> { return &m_engine; });
    QStringList problems;
    std::mutex mutex;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 8; ++i) {
            threads.emplace_back([&, i] {
                const QString view = QStringLiteral("view_%1").arg(i);
                const auto refresh = [&]() -> Status {
                    IVM_TRY(const QString lease, store.acquireLease(leaseOf(view)));
                    IVM_CHECK(store.saveIntent(intentOf(view, 1)));
                    IVM_CHECK(store.saveBookmark(bookmarkOf(view, 1)));
                    IVM_CHECK(store.releaseLease(lease));
                    return store.addRecord(recordOf(view));
                };
                if (const auto done = refresh(); !done) {
                    const std::scoped_lock lock(mutex);
                    problems.append(done.error().text());
                }
            });
        }
    }
    QCOMPARE(problems, QStringList());
    TAKE(const auto all, store.bookmarks());
    QCOMPARE(all.size(), 8);
}

void tst_StateRules::aLookAtManyViewsIsTwoStatements()
{
    {
        const auto store = open();
        for (int i = 0; i < 4; ++i) {
            DO(store->saveBookmark(bookmarkOf(QStringLiteral("view_%1").arg(i), 1)));
            DO(store->addRecord(recordOf(QStringLiteral("view_%1").arg(i))));
        }
    }
    m_options.believed = 24h;
    const auto store = open();
    QCOMPARE(statementsOf([&]() -> Status {
                 IVM_CHECK(store->bookmarks());
                 for (int i = 0; i < 4; ++i) {
                     IVM_CHECK(store->intent(QStringLiteral("view_%1").arg(i)));
                     IVM_CHECK(store->records(QStringLiteral("view_%1").arg(i), 1));
                 }
                 return {};
             }),
             2);
}

// What a refresh asks of a store, in its order.
void tst_StateRules::aRefreshTakesFewStatements()
{
    m_options.believed = 24h;
    const auto store = open();
    DO(store->saveBookmark(bookmarkOf(kView, 1)));
    DO(store->addRecord(recordOf(kView)));
    QCOMPARE(statementsOf([&]() -> Status {
                 IVM_CHECK(store->bookmarks());
                 IVM_CHECK(store->intent(kView));
                 IVM_TRY(const QString lease, store->acquireLease(leaseOf(kView)));
                 IVM_CHECK(store->intent(kView));
                 IVM_CHECK(store->bookmark(kView));
                 IVM_CHECK(store->bookmark(kView));
                 IVM_CHECK(store->saveIntent(intentOf(kView, 2)));
                 IVM_CHECK(store->saveBookmark(bookmarkOf(kView, 2)));
                 IVM_CHECK(store->releaseLease(lease));
                 return store->addRecord(recordOf(kView));
             }),
             7);
}

void tst_StateRules::passesOverABookmarkThatIsDamaged()
{
    const auto store = open();
    DO(store->saveBookmark(bookmarkOf(kView, 1)));
    DO(store->saveBookmark(bookmarkOf(QStringLiteral("daily"), 1)));
    TAKE(const auto done,
         rows(QStringLiteral("UPDATE @.view_state SET bookmark = '{' WHERE \"view\" = 'hourly'")));
    QTest::ignoreMessage(
        QtWarningMsg,
        QRegularExpression(
            QStringLiteral("table iceberg.%1.view_state: bookmark of view 'hourly' is not JSON")
                .arg(m_options.schema)));
    TAKE(const auto all, store->bookmarks());
    QCOMPARE(all, QList{bookmarkOf(QStringLiteral("daily"), 1)});
}

void tst_StateRules::saysThatAnIntentIsDamaged()
{
    const auto store = open();
    DO(store->saveIntent(intentOf(kView, 1)));
    TAKE(const auto done, rows(QStringLiteral("UPDATE @.view_state SET intent = '{'")));
    const auto read = store->intent(kView);
    REFUSED(ErrorKind::Corrupt, read);
    QVERIFY2(read.error().text().startsWith(
                 QStringLiteral("table iceberg.%1.view_state: intent of view 'hourly'")
                     .arg(m_options.schema)),
             qPrintable(read.error().text()));
    QCOMPARE(read.error().hint,
             QStringLiteral("Whether its commit landed is not known: set the column intent of that "
                            "row to NULL, and the view is compared whole"));
}

void tst_StateRules::writesARowThatHasLostItsToken()
{
    const auto store = open();
    DO(store->saveBookmark(bookmarkOf(kView, 1)));
    TAKE(const auto lease, store->acquireLease({.target = bookmarkOf(kView, 1).target,
                                                .owner = QStringLiteral("me")}));
    TAKE(const auto done, rows(QStringLiteral("UPDATE @.view_state SET token = NULL")));
    DO(store->saveIntent(intentOf(kView, 2)));
    TAKE(const auto again, rows(QStringLiteral("UPDATE @.view_state SET token = ''")));
    DO(store->forgetIntent(kView));
    DO(store->saveBookmark(bookmarkOf(kView, 3)));
    TAKE(const auto read, store->bookmark(kView));
    QCOMPARE(read, std::optional(bookmarkOf(kView, 3)));
    QCOMPARE(number(QStringLiteral("SELECT count(*) FROM @.view_state")), 1);
    DO(store->releaseLease(lease));
}

void tst_StateRules::saysThatAColumnIsGone()
{
    const auto store = open();
    DO(store->saveBookmark(bookmarkOf(kView, 1)));
    TAKE(const auto done, rows(QStringLiteral("ALTER TABLE @.view_state DROP COLUMN token")));
    const auto read = store->bookmark(kView);
    REFUSED(ErrorKind::Corrupt, read);
    QCOMPARE(read.error().text(),
             QStringLiteral("the tables of the state of the views are not as iceberg-ivm makes "
                            "them: there is no column 'token'. Another program has changed them; "
                            "bring the column back by hand"));
}

void tst_StateRules::staysSmall()
{
    m_options.upkeep = {.mostFiles = 4, .mostSnapshots = 4, .kept = 0s};
    const auto store = open();
    int mostFiles = 0;
    for (int i = 0; i < 120; ++i) {
        DO(store->saveBookmark(bookmarkOf(QStringLiteral("view_%1").arg(i % 4), i)));
        mostFiles = std::max(mostFiles, filesOf(QStringLiteral("*.parquet")));
    }
    // Between two times that it is tidied.
    QVERIFY2(mostFiles < 4 * 48, qPrintable(QString::number(mostFiles)));
    QVERIFY(number(QStringLiteral("SELECT count(*) FROM @.\"view_state$snapshots\"")) < 60);
    QVERIFY(filesOf(QStringLiteral("*.metadata.json")) < 110);
    QCOMPARE(number(QStringLiteral("SELECT count(*) FROM @.view_state")), 4);
}

void tst_StateRules::isTidiedAsFarAsTheEngineAllows()
{
    m_options.upkeep = {.mostFiles = 4, .mostSnapshots = 4, .kept = 0s};
    m_fate.allowsProperties = false;
    const auto store = open();
    for (int i = 0; i < 10; ++i)
        DO(store->addRecord(recordOf(kView)));
    store->tidy();
    QVERIFY(number(QStringLiteral("SELECT count(*) FROM @.\"view_records$files\"")) <= 2);
    QVERIFY(number(QStringLiteral("SELECT count(*) FROM @.\"view_records$snapshots\"")) > 10);
}

// It renews its lease, and that is all.
void tst_StateRules::anIdleHostStaysSmall()
{
    m_options.upkeep = {.mostFiles = 4, .mostSnapshots = 4, .kept = 0s};
    IcebergState store(m_options, [this]() -> Result<Executor *> { return &m_engine; });
    TAKE(const QString lease, store.acquireLease(leaseOf(kView)));
    for (int i = 0; i < 110; ++i)
        DO(store.renewLease(lease, 60s));
    // It is tidied aside, in its own time.
    QTRY_VERIFY_WITH_TIMEOUT(filesOf(QStringLiteral("*.parquet")) < 100, 20'000);
}

void tst_StateRules::trimsTheRecords()
{
    const auto store = open();
    QList<RefreshRecord> many;
    for (int i = 0; i < kRecordsKept + 5; ++i) {
        many.append(recordOf(kView));
        many.last().started = many.last().started.addSecs(i);
    }
    DO(store->addRecords(many));
    DO(store->addRecord(recordOf(QStringLiteral("daily"))));
    for (int i = 0; i < 16; ++i)
        store->tidy();
    QCOMPARE(number(QStringLiteral("SELECT count(*) FROM @.view_records")), kRecordsKept + 1);
    TAKE(const auto records, store->records(kView, kRecordsKept * 2));
    QCOMPARE(records.first(), many.last());
    QCOMPARE(records.last(), many.at(5));
}

// Those of a view that is renamed; more than Trino takes at once are two.
void tst_StateRules::manyRecordsAreOneStatement()
{
    const auto store = open();
    DO(store->addRecord(recordOf(QStringLiteral("daily"))));
    QList<RefreshRecord> many(kRecordsKept, recordOf(kView));
    QCOMPARE(statementsOf([&] { return store->addRecords(many); }), 1);
    for (auto &record : many)
        record.error = QString(3000, u'x');
    QCOMPARE(statementsOf([&] { return store->addRecords(many); }), 2);
    QCOMPARE(number(QStringLiteral("SELECT count(*) FROM @.view_records")), 2 * kRecordsKept + 1);
}

QTEST_GUILESS_MAIN(tst_StateRules)
#include "tst_state_rules.moc"
