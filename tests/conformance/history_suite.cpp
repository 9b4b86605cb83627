#include "tests/conformance/history_suite.h"

#include "tests/conformance/checks.h"

#include <QTimeZone>

#include <algorithm>
#include <atomic>
#include <thread>

using namespace std::chrono_literals;

namespace ivm::test {

namespace {

const QString kLine = QStringLiteral("default");
const QString kOther = QStringLiteral("sales");
const Call kCall;

QDateTime at(int seconds)
{
    return QDateTime(QDate(2026, 3, 1), QTime(12, 0, 0, 123), Qt::UTC).addSecs(seconds);
}

MigrationRecord recordOf(qint64 version, const QString &line = kLine)
{
    return {.version = version,
            .line = line,
            .description = QStringLiteral("Hourly departures per origin"),
            .appliedAt = at(int(version)),
            .status = MigrationStatus::Applied,
            .error = {},
            .checksum = QString(64, u'a'),
            .durationMs = 9007199254740993,
            .appliedBy = QStringLiteral("ivm@host")};
}

MigrationEvent eventOf(int second, QStringView name, const QString &line = kLine)
{
    return {.id = QStringLiteral("%1-%2").arg(line).arg(second),
            .at = at(second),
            .version = 3,
            .line = line,
            .event = name.toString(),
            .step = 2,
            .actor = QStringLiteral("ivm"),
            .host = QStringLiteral("host"),
            .toolVersion = QStringLiteral("0.1.0"),
            .checksum = QString(64, u'a'),
            .detail = QStringLiteral(R"({"table":"iceberg.main.hourly"})")};
}

MigratedView viewOf(const QString &name, qint64 version = 1)
{
    return {.name = name,
            .line = kLine,
            .version = version,
            .definition = QStringLiteral(R"({"name":"%1","query":"SELECT 1"})").arg(name),
            .earlier = QStringLiteral(R"({"version":%1})").arg(version - 1),
            .held = {9007199254740993, -1}};
}

LockRequest requestOf(const QString &line = kLine)
{
    return {.line = line,
            .owner = QStringLiteral("ivmctl on host (process 1)"),
            .doing = QStringLiteral("upgrade to 3: step 2 of 0002_daily")};
}

// A process of this machine that is certainly gone: this one, started at another time.
ProcessIdentity goneProcess()
{
    ProcessIdentity process = thisProcess();
    --process.started;
    return process;
}

const ProcessIdentity kElsewhere{QStringLiteral("elsewhere"), 1, 1};

template <typename T>
QString codeOf(const Result<T> &result)
{
    return result ? QStringLiteral("ok") : result.error().code;
}

}  // namespace

void HistorySuite::knowsNothingAtFirstAndMakesNothing()
{
    const auto store = openEmpty();
    TAKE(const auto history, store->history(kCall));
    QCOMPARE(history, MigrationHistory{});
    TAKE(const auto events, store->events(kLine, kCall));
    QCOMPARE(events, QList<MigrationEvent>{});
    QVERIFY(!isMade());
}

void HistorySuite::stopsWhenTheCallIsStopped()
{
    const auto store = openEmpty();
    std::stop_source source;
    source.request_stop();
    const Call stopped{source.get_token(), {}};
    REFUSED(ErrorKind::Cancelled, store->history(stopped));
    REFUSED(ErrorKind::Cancelled, store->events(kLine, stopped));
    REFUSED(ErrorKind::Cancelled, store->acquire(requestOf(), stopped));
    REFUSED(ErrorKind::Cancelled, store->append({eventOf(1, event::kUpgradeStarted)}, stopped));
    REFUSED(ErrorKind::Cancelled, store->save(recordOf(1), stopped));
    REFUSED(ErrorKind::Cancelled,
            store->changeViews({viewOf(QStringLiteral("hourly"))}, {}, stopped));
    QVERIFY(!isMade());
}

void HistorySuite::keepsRecordsWhole()
{
    const auto store = openEmpty();
    auto failed = recordOf(2);
    failed.status = MigrationStatus::Failed;
    failed.error = QStringLiteral("0002_daily.yaml:7:5: table iceberg.main.x does not exist");
    auto back = recordOf(9007199254740993, kOther);
    back.status = MigrationStatus::RolledBack;
    for (const auto &record : {back, failed, recordOf(1)})
        DO(store->save(record, kCall));
    TAKE(const auto history, store->history(kCall));
    QCOMPARE(history.records, (QList<MigrationRecord>{recordOf(1), failed, back}));
    QVERIFY(isMade());
}

void HistorySuite::replacesTheRecordOfAVersionAndLine()
{
    const auto store = openEmpty();
    for (const auto &record : {recordOf(1), recordOf(2), recordOf(1, kOther)})
        DO(store->save(record, kCall));
    auto changed = recordOf(1);
    changed.status = MigrationStatus::RolledBack;
    changed.appliedAt = at(100);
    changed.description = QStringLiteral("again");
    DO(store->save(changed, kCall));
    TAKE(const auto history, store->history(kCall));
    QCOMPARE(history.records, (QList<MigrationRecord>{changed, recordOf(2), recordOf(1, kOther)}));
}

void HistorySuite::givesTheEventsOfALineInOrder()
{
    const auto store = openEmpty();
    DO(store->append({}, kCall));
    DO(store->append({eventOf(1, event::kUpgradeStarted)}, kCall));
    DO(store->append({eventOf(2, event::kUpgradeStarted, kOther)}, kCall));
    DO(store->append({eventOf(3, event::kStepStarted), eventOf(4, event::kStepDone),
                      eventOf(5, event::kUpgradeDone)},
                     kCall));
    auto whole = eventOf(1, event::kUpgradeStarted, QStringLiteral("bare"));
    whole.step = 0;
    whole.detail.clear();
    DO(store->append({whole}, kCall));
    TAKE(const auto events, store->events(kLine, kCall));
    QCOMPARE(events, (QList<MigrationEvent>{
                         eventOf(1, event::kUpgradeStarted), eventOf(3, event::kStepStarted),
                         eventOf(4, event::kStepDone), eventOf(5, event::kUpgradeDone)}));
    TAKE(const auto bare, store->events(whole.line, kCall));
    QCOMPARE(bare, QList<MigrationEvent>{whole});
}

void HistorySuite::theOpenEventsAreThoseAfterTheLastThatClosed_data()
{
    QTest::addColumn<QString>("last");
    QTest::addColumn<bool>("closes");
    for (const auto name :
         {event::kUpgradeDone, event::kDowngradeDone, event::kStamped, event::kRepaired})
        QTest::addRow("%s closes", qPrintable(name.toString())) << name.toString() << true;
    for (const auto name : {event::kUpgradeFailed, event::kInterrupted})
        QTest::addRow("%s does not", qPrintable(name.toString())) << name.toString() << false;
}

void HistorySuite::theOpenEventsAreThoseAfterTheLastThatClosed()
{
    QFETCH(QString, last);
    QFETCH(bool, closes);
    const auto store = openEmpty();
    const QList<MigrationEvent> first{eventOf(1, event::kUpgradeStarted),
                                      eventOf(2, event::kStepStarted), eventOf(3, last)};
    const auto other = eventOf(2, event::kUpgradeStarted, kOther);
    DO(store->append(first + QList<MigrationEvent>{other}, kCall));
    TAKE(const auto closed, store->history(kCall));
    QCOMPARE(closed.open, (closes ? QList<MigrationEvent>() : first) + QList{other});
    QCOMPARE(closed.lastEvent, (QHash<QString, QDateTime>{{kLine, at(3)}, {kOther, at(2)}}));

    DO(store->append({eventOf(4, event::kDowngradeStarted)}, kCall));
    TAKE(const auto again, store->history(kCall));
    QCOMPARE(again.open, (closes ? QList<MigrationEvent>() : first) +
                             (QList{eventOf(4, event::kDowngradeStarted), other}));
    QCOMPARE(again.lastEvent.value(kLine), at(4));
}

void HistorySuite::keepsViewsWhole()
{
    const auto store = openEmpty();
    auto plain = viewOf(QStringLiteral("a_first"));
    plain.earlier.clear();
    plain.held.clear();
    DO(store->changeViews({viewOf(QStringLiteral("hourly")), plain}, {}, kCall));
    TAKE(const auto history, store->history(kCall));
    QCOMPARE(history.views, (QList<MigratedView>{plain, viewOf(QStringLiteral("hourly"))}));
}

void HistorySuite::replacesAddsAndRemovesViewsAtOnce()
{
    const auto store = openEmpty();
    const QString a = QStringLiteral("a");
    const QString b = QStringLiteral("b");
    const QString c = QStringLiteral("c");
    const QString d = QStringLiteral("d");
    DO(store->changeViews({viewOf(a), viewOf(b), viewOf(c)}, {}, kCall));
    DO(store->changeViews({viewOf(b, 2), viewOf(d)}, {a, QStringLiteral("unknown")}, kCall));
    TAKE(auto history, store->history(kCall));
    QCOMPARE(history.views, (QList<MigratedView>{viewOf(b, 2), viewOf(c), viewOf(d)}));
    // What is removed and saved is saved.
    DO(store->changeViews({viewOf(c, 3)}, {b, c, d}, kCall));
    DO(store->changeViews({}, {}, kCall));
    TAKE(history, store->history(kCall));
    QCOMPARE(history.views, QList<MigratedView>{viewOf(c, 3)});
}

void HistorySuite::aViewIsOfOneLine()
{
    const auto store = openEmpty();
    auto theirs = viewOf(QStringLiteral("v"));
    theirs.line = QStringLiteral("sales");
    DO(store->changeViews({theirs}, {}, kCall));
    const auto taken = store->changeViews(
        {viewOf(QStringLiteral("other")), viewOf(QStringLiteral("v"), 2)}, {}, kCall);
    QVERIFY(!taken);
    QCOMPARE(taken.error().kind, ErrorKind::Conflict);
    QCOMPARE(taken.error().code, QStringLiteral("view_of_other_line"));
    QCOMPARE(taken.error().message, QStringLiteral("view 'v' is of namespace sales by now"));
    TAKE(const auto history, store->history(kCall));
    QCOMPARE(history.views, QList<MigratedView>{theirs});
}

void HistorySuite::aLineIsHeldByOne()
{
    const auto store = openEmpty();
    TAKE(const auto lock, store->acquire(requestOf(), kCall));
    QVERIFY(!lock.token.isEmpty());
    QVERIFY(lock.since.isValid());
    QVERIFY(!lock.isStale);
    QCOMPARE(lock.process, thisProcess());
    QCOMPARE(lock.owner, requestOf().owner);
    QCOMPARE(lock.doing, requestOf().doing);
    const auto second = store->acquire(requestOf(), kCall);
    QVERIFY(!second);
    QCOMPARE(second.error().kind, ErrorKind::Conflict);
    QCOMPARE(second.error().code, u"migration_lock_held");
    QCOMPARE(second.error().text(),
             QStringLiteral(
                 "the migrations of 'default' are being run by ivmctl on host (process 1) since "
                 "%1: upgrade to 3: step 2 of 0002_daily. Wait for it to end; if it is certain "
                 "that it is gone, free the lock with 'ivmctl migrate unlock'")
                 .arg(lock.since.toString(Qt::ISODate)));
}

void HistorySuite::showsWhoHoldsALine()
{
    const auto store = openEmpty();
    TAKE(auto lock, store->acquire(requestOf(), kCall));
    pass(40s);
    TAKE(const auto history, store->history(kCall));
    QCOMPARE(history.locks.size(), 1);
    const auto &shown = history.locks.first();
    QVERIFY2(shown.age >= 40s && shown.age < 100s, qPrintable(QString::number(shown.age.count())));
    lock.age = shown.age;
    QCOMPARE(shown, lock);
    pass(120s);
    TAKE(const auto later, store->history(kCall));
    QVERIFY(later.locks.first().isStale);
}

void HistorySuite::theLocksOfTwoLinesDoNotMeet()
{
    const auto store = openEmpty();
    TAKE(const auto one, store->acquire(requestOf(kOther), kCall));
    TAKE(const auto other, store->acquire(requestOf(), kCall));
    QVERIFY(one.token != other.token);
    TAKE(const auto history, store->history(kCall));
    QCOMPARE(history.locks.size(), 2);
    QCOMPARE(history.locks.first().line, kLine);
    DO(store->release(other, kCall));
    DO(store->renew(one, QString(), kCall));
}

void HistorySuite::aReleasedLockIsFree()
{
    const auto store = openEmpty();
    TAKE(const auto first, store->acquire(requestOf(), kCall));
    DO(store->release(first, kCall));
    TAKE(const auto history, store->history(kCall));
    QVERIFY(history.locks.isEmpty());
    TAKE(const auto second, store->acquire(requestOf(), kCall));
    QVERIFY(first.token != second.token);
}

void HistorySuite::aLockWithoutASignOfLifeIsTakenOver()
{
    const auto store = openEmpty();
    TAKE(const auto first, store->acquire(requestOf(), kCall));
    pass(60s);
    QCOMPARE(codeOf(store->acquire(requestOf(), kCall)), u"migration_lock_held");
    pass(61s);
    TAKE(const auto second, store->acquire(requestOf(), kCall));
    QVERIFY(first.token != second.token);
    QVERIFY(first.since <= second.since);
    QCOMPARE(codeOf(store->acquire(requestOf(), kCall)), u"migration_lock_held");
}

void HistorySuite::aRenewedLockLivesOn()
{
    const auto store = openEmpty();
    TAKE(const auto lock, store->acquire(requestOf(), kCall));
    pass(80s);
    DO(store->renew(lock, QStringLiteral("step 3"), kCall));
    pass(60s);
    const auto refused = store->acquire(requestOf(), kCall);
    QCOMPARE(codeOf(refused), u"migration_lock_held");
    QVERIFY2(refused.error().message.endsWith(u": step 3"), qPrintable(refused.error().message));
    TAKE(const auto history, store->history(kCall));
    QCOMPARE(history.locks.first().doing, u"step 3");
    QCOMPARE(history.locks.first().since, lock.since);
    // One that is stale and that nobody took is its owner's still.
    pass(121s);
    DO(store->renew(lock, QStringLiteral("step 4"), kCall));
    QCOMPARE(codeOf(store->acquire(requestOf(), kCall)), u"migration_lock_held");
}

void HistorySuite::aLostLockCannotBeRenewed()
{
    const auto store = openEmpty();
    TAKE(const auto first, store->acquire(requestOf(), kCall));
    pass(121s);
    TAKE(const auto second, store->acquire(requestOf(), kCall));
    const auto renewed = store->renew(first, {}, kCall);
    QVERIFY(!renewed);
    QCOMPARE(renewed.error().kind, ErrorKind::Conflict);
    QCOMPARE(renewed.error().code, u"migration_lock_lost");
    QCOMPARE(renewed.error().message,
             u"the lock on the migrations of 'default' was lost: another run took it over, or it "
             "was taken away");
    DO(store->renew(second, {}, kCall));
}

void HistorySuite::releasingALostLockLeavesTheNewOne()
{
    const auto store = openEmpty();
    TAKE(const auto first, store->acquire(requestOf(), kCall));
    pass(121s);
    TAKE(const auto second, store->acquire(requestOf(), kCall));
    DO(store->release(first, kCall));
    DO(store->renew(second, {}, kCall));
}

void HistorySuite::aLockIsTakenAway()
{
    const auto store = openEmpty();
    REFUSED(ErrorKind::NotFound, store->breakLock(kLine, kCall));
    TAKE(const auto lock, store->acquire(requestOf(), kCall));
    REFUSED(ErrorKind::NotFound, store->breakLock(kOther, kCall));
    DO(store->breakLock(kLine, kCall));
    QCOMPARE(codeOf(store->renew(lock, {}, kCall)), u"migration_lock_lost");
    DO(store->release(lock, kCall));
    TAKE(const auto next, store->acquire(requestOf(), kCall));
    DO(store->renew(next, {}, kCall));
}

void HistorySuite::theLockOfAProcessThatIsGoneIsFreeAtOnce()
{
    const auto first = openEmpty(goneProcess());
    TAKE(const auto lost, first->acquire(requestOf(), kCall));
    const auto second = openAgain();
    TAKE(const auto history, second->history(kCall));
    QVERIFY(history.locks.first().isStale);
    TAKE(const auto taken, second->acquire(requestOf(), kCall));
    QVERIFY(lost.token != taken.token);
    QCOMPARE(codeOf(first->renew(lost, {}, kCall)), u"migration_lock_lost");
}

void HistorySuite::aProcessElsewhereIsNotTakenForGone()
{
    const auto first = openEmpty(kElsewhere);
    TAKE(const auto lock, first->acquire(requestOf(), kCall));
    const auto second = openAgain();
    QCOMPARE(codeOf(second->acquire(requestOf(), kCall)), u"migration_lock_held");
    pass(121s);
    TAKE(const auto taken, second->acquire(requestOf(), kCall));
}

void HistorySuite::aLockIsNotTakenOverWhileItsOwnersStatementRuns()
{
    const auto first = openEmpty(goneProcess());
    TAKE(const auto lock, first->acquire(requestOf(), kCall));
    if (!setAtWork(migrationPurpose(lock.token), true))
        QSKIP("here statements end with their process");
    const auto second = openAgain();
    const auto refused = second->acquire(requestOf(), kCall);
    QCOMPARE(codeOf(refused), u"migration_lock_held");
    QCOMPARE(refused.error().hint,
             u"It gives no sign of life, but its last statement still runs: wait for that to end, "
             "or end it");
    setAtWork(migrationPurpose(lock.token), false);
    TAKE(const auto taken, second->acquire(requestOf(), kCall));
}

int HistorySuite::winnersOf(int racers)
{
    std::atomic<int> winners = 0;
    std::atomic<int> losers = 0;
    std::vector<std::jthread> threads;
    for (int i = 0; i < racers; ++i) {
        threads.emplace_back([&] {
            const auto store = openAgain();
            const auto lock = store->acquire(requestOf(), kCall);
            if (lock)
                ++winners;
            else if (lock.error().code == u"migration_lock_held")
                ++losers;
            else
                qWarning("%s", qPrintable(lock.error().text()));
        });
    }
    threads.clear();
    return winners + losers == racers ? winners.load() : -1;
}

void HistorySuite::oneOfManyThatRaceGetsTheLock()
{
    const auto store = openEmpty();
    QCOMPARE(winnersOf(4), 1);
    // What they raced for must not have to be made.
    DO(store->breakLock(kLine, kCall));
    QCOMPARE(winnersOf(4), 1);
}

void HistorySuite::aLockThatManyFindAbandonedIsTakenOverByOne()
{
    const auto store = openEmpty();
    TAKE(const auto lock, store->acquire(requestOf(), kCall));
    pass(121s);
    QCOMPARE(winnersOf(4), 1);
}

void HistorySuite::keepsTextsOfAnyCharacters_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("quotes and escapes")
        << QStringLiteral("it's \"q\" '' \\ \\' \\n %s {} $$ -- /* ; ` U&'\\0041' E'x'");
    QTest::newRow("lines") << QStringLiteral("a\nb\r\nc\t\x01\x7f ");
    QTest::newRow("of the world") << QStringLiteral(
        "\u00e9e\u0301 \u05d0\u05d1 \u6771\u4eac \U0001F600 \u2028\ufeff|");
}

void HistorySuite::keepsTextsOfAnyCharacters()
{
    QFETCH(QString, text);
    const auto store = openEmpty();
    auto record = recordOf(1, text);
    record.description = record.error = record.checksum = record.appliedBy = text;
    DO(store->save(record, kCall));
    DO(store->save(record, kCall));
    auto event = eventOf(1, event::kStepStarted, text);
    event.id = event.actor = event.host = event.toolVersion = event.checksum = event.detail = text;
    DO(store->append({event}, kCall));
    auto view = viewOf(text);
    view.line = view.definition = view.earlier = text;
    DO(store->changeViews({view}, {}, kCall));
    DO(store->changeViews({view}, {}, kCall));
    TAKE(const auto lock,
         store->acquire({.line = text, .owner = text, .doing = QStringLiteral("x")}, kCall));
    DO(store->renew(lock, text, kCall));

    TAKE(const auto history, store->history(kCall));
    QCOMPARE(history.records, QList{record});
    QCOMPARE(history.open, QList{event});
    QCOMPARE(history.views, QList{view});
    QCOMPARE(history.locks.size(), 1);
    QCOMPARE(history.locks.first().line, text);
    QCOMPARE(history.locks.first().owner, text);
    QCOMPARE(history.locks.first().doing, text);
    TAKE(const auto events, store->events(text, kCall));
    QCOMPARE(events, QList{event});
    DO(store->breakLock(text, kCall));
    DO(store->changeViews({}, {text}, kCall));
    TAKE(const auto emptied, store->history(kCall));
    QVERIFY(emptied.locks.isEmpty() && emptied.views.isEmpty());
}

void HistorySuite::neverCutsATextAtNul()
{
    const auto store = openEmpty();
    auto cut = eventOf(2, event::kStepFailed);
    cut.detail = QStringLiteral("a") + QChar(u'\0') + QStringLiteral("b");
    const QList<MigrationEvent> both{eventOf(1, event::kStepStarted), cut};
    const auto appended = store->append(both, kCall);
    TAKE(const auto events, store->events(kLine, kCall));
    if (!appended)
        QCOMPARE(appended.error().kind, ErrorKind::Invalid);
    QCOMPARE(events, appended ? both : QList<MigrationEvent>());
}

void HistorySuite::keepsMuchAtOnce()
{
    const auto store = openEmpty();
    DO(store->changeViews({viewOf(QStringLiteral("gone"))}, {}, kCall));
    // More than a megabyte: more than engines take in one statement.
    QList<MigrationEvent> events;
    for (int i = 0; i < 40; ++i) {
        events.append(eventOf(i, event::kStepDone));
        events.back().detail = QString(i % 4 == 3 ? 100'000 : 3'000, QChar(u'a' + i % 26));
    }
    DO(store->append(events, kCall));
    QList<MigratedView> views;
    for (int i = 0; i < 4; ++i) {
        views.append(viewOf(QStringLiteral("wide_%1").arg(i)));
        views.back().definition = QString(300'000, QChar(u'\u00e9' + i));
    }
    DO(store->changeViews(views, {QStringLiteral("gone")}, kCall));
    TAKE(const auto history, store->history(kCall));
    QVERIFY(history.open == events);
    QVERIFY(history.views == views);
}

void HistorySuite::whatOneProcessWritesAnotherReads()
{
    const auto first = openEmpty();
    const auto second = openAgain();
    TAKE(const auto empty, second->history(kCall));
    QCOMPARE(empty, MigrationHistory{});
    DO(first->save(recordOf(1), kCall));
    DO(first->changeViews({viewOf(QStringLiteral("hourly"))}, {}, kCall));
    TAKE(const auto read, second->history(kCall));
    QCOMPARE(read.records, QList{recordOf(1)});
    QCOMPARE(read.views, QList{viewOf(QStringLiteral("hourly"))});
    DO(second->append({eventOf(1, event::kUpgradeStarted)}, kCall));
    TAKE(const auto lock, second->acquire(requestOf(), kCall));
    TAKE(const auto back, first->history(kCall));
    QCOMPARE(back.open, QList{eventOf(1, event::kUpgradeStarted)});
    QCOMPARE(back.locks.first().token, lock.token);
    DO(first->release(lock, kCall));
    QCOMPARE(codeOf(second->renew(lock, {}, kCall)), u"migration_lock_lost");
}

}  // namespace ivm::test
