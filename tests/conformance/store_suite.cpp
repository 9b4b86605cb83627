#include "tests/conformance/store_suite.h"

#include "tests/conformance/checks.h"

#include <QDeadlineTimer>
#include <QTimeZone>

#include <atomic>
#include <csignal>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

using namespace std::chrono_literals;

namespace ivm::test {

namespace {

TableName table(const QString &name)
{
    return {QStringLiteral("iceberg"), QStringLiteral("main"), name};
}

Bookmark bookmarkOf(const QString &view, qint64 snapshot)
{
    return {.view = view,
            .definitionHash = QStringLiteral("abc"),
            .outputs = {{QStringLiteral("origin"), {.kind = TypeKind::Varchar}, ColumnClass::Key}},
            .sources = {{.table = table(QStringLiteral("flights")),
                         .role = SourceRole::Driving,
                         .head = {QStringLiteral("id-1"), QStringLiteral("m1.json"), snapshot},
                         .columns = {}}},
            .target = table(view),
            .targetHead = {QStringLiteral("id-2"), QStringLiteral("m2.json"), std::nullopt},
            .targetColumns = {},
            .resumeFrom = {}};
}

Intent intentOf(const QString &view, const QString &id)
{
    return {.id = id,
            .view = view,
            .target = table(view),
            .targetHead = {QStringLiteral("id-2"), QStringLiteral("m2.json"), 9007199254740993},
            .statementId = QStringLiteral("q-1"),
            .summary = {{QStringLiteral("ivm.intent"), id}}};
}

RefreshRecord recordOf(const QString &view, int number)
{
    return {.view = view,
            .action = QStringLiteral("incremental"),
            .reason = QStringLiteral("refresh %1").arg(number),
            .started = QDateTime(QDate(2026, 3, 1), QTime(12, 0, 0, 250), Qt::UTC).addSecs(number),
            .seconds = 0.25,
            .rowsRead = 9007199254740993,
            .rowsWritten = 2,
            .rowsDeleted = 1,
            .statementId = QStringLiteral("q-%1").arg(number),
            .error = {}};
}

LeaseRequest leaseOf(const QString &name, const QString &owner = QStringLiteral("ivmctl on host"))
{
    return {.target = table(name), .owner = owner, .lifetime = 60s};
}

const QString kView = QStringLiteral("hourly");
const QString kOther = QStringLiteral("daily");

}  // namespace

void StoreSuite::knowsNothingAtFirst()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    TAKE(const auto all, store->bookmarks());
    QVERIFY(all.isEmpty());
    TAKE(const auto bookmark, store->bookmark(kView));
    QVERIFY(!bookmark);
    TAKE(const auto intent, store->intent(kView));
    QVERIFY(!intent);
    TAKE(const auto records, store->records(kView, 10));
    QVERIFY(records.isEmpty());
    DO(store->forgetView(kView));
    DO(store->forgetIntent(kView));
}

void StoreSuite::keepsABookmarkWhole()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    const auto saved = bookmarkOf(kView, 9007199254740993);
    DO(store->saveBookmark(saved));
    TAKE(const auto read, store->bookmark(kView));
    QVERIFY(read);
    QCOMPARE(*read, saved);
}

void StoreSuite::replacesABookmark()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    DO(store->saveBookmark(bookmarkOf(kView, 1)));
    DO(store->saveBookmark(bookmarkOf(kView, 2)));
    TAKE(const auto read, store->bookmark(kView));
    QCOMPARE(read, bookmarkOf(kView, 2));
}

void StoreSuite::listsTheBookmarksOfAllViews()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    DO(store->saveBookmark(bookmarkOf(kView, 1)));
    DO(store->saveBookmark(bookmarkOf(kOther, 2)));
    TAKE(auto all, store->bookmarks());
    std::ranges::sort(all, {}, &Bookmark::view);
    QCOMPARE(all, (QList<Bookmark>{bookmarkOf(kOther, 2), bookmarkOf(kView, 1)}));
}

void StoreSuite::keepsAnIntentWhole()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    DO(store->saveIntent(intentOf(kView, QStringLiteral("i-1"))));
    TAKE(const auto read, store->intent(kView));
    QCOMPARE(read, intentOf(kView, QStringLiteral("i-1")));
}

void StoreSuite::replacesAnIntent()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    DO(store->saveIntent(intentOf(kView, QStringLiteral("i-1"))));
    DO(store->saveIntent(intentOf(kView, QStringLiteral("i-2"))));
    TAKE(const auto read, store->intent(kView));
    QCOMPARE(read, intentOf(kView, QStringLiteral("i-2")));
}

void StoreSuite::savingABookmarkForgetsItsViewsIntentOnly()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    DO(store->saveIntent(intentOf(kView, QStringLiteral("i-1"))));
    DO(store->saveIntent(intentOf(kOther, QStringLiteral("i-2"))));
    DO(store->saveBookmark(bookmarkOf(kView, 1)));
    TAKE(const auto own, store->intent(kView));
    QVERIFY(!own);
    TAKE(const auto other, store->intent(kOther));
    QVERIFY(other);
}

void StoreSuite::forgetsAnIntent()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    DO(store->saveBookmark(bookmarkOf(kView, 1)));
    DO(store->saveIntent(intentOf(kView, QStringLiteral("i-1"))));
    DO(store->forgetIntent(kView));
    TAKE(const auto intent, store->intent(kView));
    QVERIFY(!intent);
    TAKE(const auto bookmark, store->bookmark(kView));
    QVERIFY(bookmark);
}

void StoreSuite::forgetsWhatIsKnownOfATarget()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    DO(store->saveBookmark(bookmarkOf(kView, 1)));
    DO(store->saveIntent(intentOf(kView, QStringLiteral("i-1"))));
    DO(store->addRecord(recordOf(kView, 1)));
    DO(store->forgetBookmark(kView));
    DO(store->forgetBookmark(kOther));
    TAKE(const auto bookmark, store->bookmark(kView));
    QVERIFY(!bookmark);
    TAKE(const auto intent, store->intent(kView));
    QVERIFY(!intent);
    TAKE(const auto records, store->records(kView, 10));
    QCOMPARE(records.size(), 1);
}

void StoreSuite::forgetsAllAboutAView()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    for (const auto &view : {kView, kOther}) {
        DO(store->saveBookmark(bookmarkOf(view, 1)));
        DO(store->saveIntent(intentOf(view, QStringLiteral("i-1"))));
        DO(store->addRecord(recordOf(view, 1)));
    }
    DO(store->forgetView(kView));
    TAKE(const auto all, store->bookmarks());
    QCOMPARE(all, QList<Bookmark>{bookmarkOf(kOther, 1)});
    TAKE(const auto intent, store->intent(kView));
    QVERIFY(!intent);
    TAKE(const auto records, store->records(kView, 10));
    QVERIFY(records.isEmpty());
    TAKE(const auto others, store->records(kOther, 10));
    QCOMPARE(others.size(), 1);
}

void StoreSuite::aTargetIsHeldByOneLease()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    TAKE(const QString token, store->acquireLease(leaseOf(kView, QStringLiteral("ivmd on host"))));
    QVERIFY(!token.isEmpty());
    const auto second = store->acquireLease(leaseOf(kView));
    QVERIFY(!second);
    QCOMPARE(second.error().kind, ErrorKind::Conflict);
    QCOMPARE(second.error().code, u"lease_held");
    QVERIFY2(
        second.error().message.startsWith(
            u"iceberg.main.hourly is being refreshed by ivmd on host since 2026-03-01T12:00:00Z"),
        qPrintable(second.error().message));
    TAKE(const QString holder, store->leaseHolder(leaseOf(kView).target));
    QCOMPARE(holder, u"ivmd on host");
}

void StoreSuite::leasesOfTwoTargetsDoNotMeet()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    TAKE(const QString one, store->acquireLease(leaseOf(kView)));
    TAKE(const QString other, store->acquireLease(leaseOf(kOther)));
    QVERIFY(one != other);
}

void StoreSuite::aReleasedLeaseIsFree()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    TAKE(const QString first, store->acquireLease(leaseOf(kView)));
    DO(store->releaseLease(first));
    TAKE(const QString second, store->acquireLease(leaseOf(kView)));
    QVERIFY(first != second);
}

void StoreSuite::aLeaseRunsOut()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    TAKE(const QString first, store->acquireLease(leaseOf(kView)));
    clock.advance(59s);
    QVERIFY(!store->acquireLease(leaseOf(kView)));
    clock.advance(1s);
    TAKE(const QString nobody, store->leaseHolder(leaseOf(kView).target));
    QCOMPARE(nobody, QString());
    TAKE(const QString second, store->acquireLease(leaseOf(kView)));
    QVERIFY(first != second);
}

void StoreSuite::aRenewedLeaseLivesOn()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    TAKE(const QString token, store->acquireLease(leaseOf(kView)));
    clock.advance(50s);
    DO(store->renewLease(token, 60s));
    clock.advance(59s);
    QVERIFY(!store->acquireLease(leaseOf(kView)));
}

void StoreSuite::aLostLeaseCannotBeRenewed()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    TAKE(const QString first, store->acquireLease(leaseOf(kView)));
    clock.advance(60s);
    TAKE(const QString second, store->acquireLease(leaseOf(kView)));
    const auto renewed = store->renewLease(first, 60s);
    QVERIFY(!renewed);
    QCOMPARE(renewed.error().kind, ErrorKind::Conflict);
    QCOMPARE(renewed.error().code, u"lease_lost");
    DO(store->renewLease(second, 60s));
}

void StoreSuite::releasingALostLeaseLeavesTheNewOne()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    TAKE(const QString first, store->acquireLease(leaseOf(kView)));
    clock.advance(60s);
    TAKE(const QString second, store->acquireLease(leaseOf(kView)));
    DO(store->releaseLease(first));
    QVERIFY(!store->acquireLease(leaseOf(kView)));
    DO(store->renewLease(second, 60s));
}

void StoreSuite::aLeaseThatRanOutAndWasNotTakenIsRenewed()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    TAKE(const QString token, store->acquireLease(leaseOf(kView)));
    clock.advance(90s);
    DO(store->renewLease(token, 60s));
    QVERIFY(!store->acquireLease(leaseOf(kView)));
}

void StoreSuite::keepsARecordWhole()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    auto failed = recordOf(kView, 1);
    failed.action = QStringLiteral("error");
    failed.error = QStringLiteral("table iceberg.main.flights: no such table");
    DO(store->addRecord(failed));
    TAKE(const auto records, store->records(kView, 10));
    QCOMPARE(records, QList<RefreshRecord>{failed});
}

void StoreSuite::givesTheNewestRecordsFirst()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    for (int i = 0; i < 5; ++i)
        DO(store->addRecord(recordOf(kView, i)));
    DO(store->addRecord(recordOf(kOther, 9)));
    TAKE(const auto records, store->records(kView, 3));
    QCOMPARE(records,
             (QList<RefreshRecord>{recordOf(kView, 4), recordOf(kView, 3), recordOf(kView, 2)}));
    TAKE(const auto none, store->records(kView, 0));
    QVERIFY(none.isEmpty());
}

void StoreSuite::addsRecordsOfSeveralViewsInTheirOrder()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    DO(store->addRecords({}));
    DO(store->addRecords({recordOf(kView, 1), recordOf(kOther, 2), recordOf(kView, 3)}));
    TAKE(const auto records, store->records(kView, 10));
    QCOMPARE(records, (QList<RefreshRecord>{recordOf(kView, 3), recordOf(kView, 1)}));
    TAKE(const auto others, store->records(kOther, 10));
    QCOMPARE(others, QList<RefreshRecord>{recordOf(kOther, 2)});
}

void StoreSuite::keepsABoundedNumberOfRecordsAView()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    DO(store->addRecord(recordOf(kOther, 0)));
    QList<RefreshRecord> many;
    for (int i = 0; i < kRecordsKept + 20; ++i)
        many.append(recordOf(kView, i));
    DO(store->addRecords(many));
    TAKE(const auto records, store->records(kView, kRecordsKept * 2));
    QCOMPARE(records.size(), kRecordsKept);
    QCOMPARE(records.first(), recordOf(kView, kRecordsKept + 19));
    QCOMPARE(records.last(), recordOf(kView, 20));
    TAKE(const auto others, store->records(kOther, 10));
    QCOMPARE(others.size(), 1);
}

void StoreSuite::takesNamesOfAnyCharacters()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    const QString name = QStringLiteral("a'b\"c%d_;--\n\u00e9\U0001F600");
    auto bookmark = bookmarkOf(name, 1);
    DO(store->saveBookmark(bookmark));
    DO(store->saveBookmark(bookmarkOf(QStringLiteral("a'b\"c%d_;--\n\u00e9"), 2)));
    TAKE(const auto read, store->bookmark(name));
    QCOMPARE(read, bookmark);
    TAKE(const QString token, store->acquireLease(leaseOf(name)));
    QVERIFY(!store->acquireLease(leaseOf(name)));
}

void StoreSuite::whatOneProcessWritesAnotherReads()
{
    FakeClock clock;
    const auto first = openEmpty(clock);
    const auto second = openAgain(clock);
    if (!second)
        QSKIP("this store lives in one process only");
    DO(first->saveBookmark(bookmarkOf(kView, 1)));
    TAKE(const auto read, second->bookmark(kView));
    QCOMPARE(read, bookmarkOf(kView, 1));
    DO(second->saveBookmark(bookmarkOf(kView, 2)));
    TAKE(const auto back, first->bookmark(kView));
    QCOMPARE(back, bookmarkOf(kView, 2));
}

void StoreSuite::anotherProcessRespectsALease()
{
    FakeClock clock;
    const auto first = openEmpty(clock);
    const auto second = openAgain(clock);
    if (!second)
        QSKIP("this store lives in one process only");
    TAKE(const QString token, first->acquireLease(leaseOf(kView)));
    QVERIFY(!second->acquireLease(leaseOf(kView)));
    TAKE(const QString holder, second->leaseHolder(leaseOf(kView).target));
    QCOMPARE(holder, leaseOf(kView).owner);
    DO(first->releaseLease(token));
    TAKE(const QString nobody, second->leaseHolder(leaseOf(kView).target));
    QCOMPARE(nobody, QString());
    TAKE(const QString taken, second->acquireLease(leaseOf(kView)));
    const auto lost = first->renewLease(token, 60s);
    QVERIFY(!lost);
}

void StoreSuite::servesManyThreadsAtOnce()
{
    FakeClock clock;
    const auto store = openEmpty(clock);
    constexpr int kThreads = 4;
    const int rounds = roundsOfAThread();
    std::atomic<int> failures = 0;
    std::atomic<int> winners = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < kThreads; ++i) {
            threads.emplace_back([&, i] {
                const QString view = QStringLiteral("view_%1").arg(i);
                for (int round = 0; round < rounds; ++round) {
                    if (!store->saveIntent(intentOf(view, QStringLiteral("i"))) ||
                        !store->saveBookmark(bookmarkOf(view, round)))
                        ++failures;
                }
                if (store->acquireLease(leaseOf(QStringLiteral("one"))))
                    ++winners;
            });
        }
    }
    QCOMPARE(failures.load(), 0);
    QCOMPARE(winners.load(), 1);
    TAKE(const auto all, store->bookmarks());
    QCOMPARE(all.size(), kThreads);
    for (const auto &bookmark : all)
        QCOMPARE(bookmark.sources.first().head.snapshot, rounds - 1);
}

// It dies at any point; what is found is of one write or the next, and its lease is free.
void StoreSuite::aWriterThatDiesLeavesAWholeStore()
{
    if (!mayFork())
        QSKIP("a child of this process may not open it");
    const SystemClock clock;
    QVERIFY(openEmpty(clock));
    const pid_t child = fork();
    if (child == 0) {
        const auto store = openAgain(clock);
        const bool held = store && store->acquireLease(leaseOf(kView));
        for (int round = 1; held; ++round) {
            if (!store->saveIntent(intentOf(kView, QString::number(round))) ||
                !store->saveBookmark(bookmarkOf(kView, round)))
                break;
        }
        _exit(1);
    }
    constexpr int kEnough = 3;
    const auto store = openAgain(clock);
    const auto written = [&] {
        const auto found = store->bookmark(kView);
        return found && *found ? (*found)->sources.first().head.snapshot.value_or(0) : 0;
    };
    const QDeadlineTimer patience(60s);
    while (written() < kEnough && !patience.hasExpired() && waitpid(child, nullptr, WNOHANG) == 0)
        std::this_thread::yield();
    QCOMPARE(kill(child, SIGKILL), 0);
    QCOMPARE(waitpid(child, nullptr, 0), child);

    QVERIFY2(written() >= kEnough, "nothing is read, or written, beside a writer that never rests");
    TAKE(const auto open, store->intent(kView));
    if (open)
        QCOMPARE(open->id, QString::number(written() + 1));
    TAKE(const QString token, store->acquireLease(leaseOf(kView)));
    DO(store->releaseLease(token));
    DO(store->saveBookmark(bookmarkOf(kView, 1)));
}

}  // namespace ivm::test
