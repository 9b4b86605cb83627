// A history on an engine whose answers get lost, and one that loses against others.
#include "plugins/detector_catalog/catalog_detector.h"
#include "plugins/executor_duckdb/executor.h"
#include "plugins/store_iceberg/iceberg_history.h"
#include "tests/conformance/checks.h"
#include "tests/e2e/history_store/fated_engine.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ivm;
using store_iceberg::IcebergHistory;
using test::Fate;
using test::FatedExecutor;

namespace {

const QString kLine = QStringLiteral("default");
const LockRequest kRequest{.line = kLine, .owner = QStringLiteral("ivmctl"), .doing = {}};

MigrationEvent eventOf(int number)
{
    MigrationEvent event;
    event.id = QString::number(number);
    event.at = QDateTime(QDate(2026, 3, 1), QTime(12, 0), Qt::UTC).addSecs(number);
    event.line = kLine;
    event.event = event::kStepDone.toString();
    return event;
}

MigrationRecord record()
{
    MigrationRecord record;
    record.version = 1;
    record.line = kLine;
    record.appliedAt = eventOf(1).at;
    return record;
}

MigratedView view()
{
    MigratedView view;
    view.name = QStringLiteral("hourly");
    view.line = kLine;
    return view;
}

}  // namespace

class tst_HistoryLostAnswers : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void writesOnceWhateverIsLost_data();
    void writesOnceWhateverIsLost();
    void aLockIsTakenOnceWhateverIsLost_data() { fates(); }
    void aLockIsTakenOnceWhateverIsLost();
    void aLockIsRenewedAndFreedWhateverIsLost_data() { fates(); }
    void aLockIsRenewedAndFreedWhateverIsLost();
    void waitsForAStatementThatStillRuns();
    void whatWasStoppedIsNotWrittenTwice_data();
    void whatWasStoppedIsNotWrittenTwice();
    void givesUpWhenAllIsLost();

private:
    static void fates();
    std::unique_ptr<IcebergHistory> open();

    QTemporaryDir m_folder;
    duckdb::EmbeddedExecutor m_engine{{.warehouse = m_folder.path()}};
    catalog::CatalogDetector m_detector{
        {.database = m_folder.filePath(QStringLiteral("catalog.db"))}};
    Fate m_fate;
    FatedExecutor m_executor{m_engine, m_fate};
    int m_schemas = 0;
};

void tst_HistoryLostAnswers::fates()
{
    QTest::addColumn<bool>("lands");
    QTest::addColumn<ErrorKind>("kind");
    QTest::newRow("it landed") << true << ErrorKind::CommitUnknown;
    QTest::newRow("it did not land") << false << ErrorKind::CommitUnknown;
    QTest::newRow("it lost against another") << false << ErrorKind::Conflict;
}

// A history of its own, with its tables.
std::unique_ptr<IcebergHistory> tst_HistoryLostAnswers::open()
{
    m_fate = {};
    auto store = std::make_unique<IcebergHistory>(
        store_iceberg::HistoryOptions{.catalog = QStringLiteral("iceberg"),
                                      .schema = QStringLiteral("h%1").arg(++m_schemas),
                                      .cache = {}},
        [this]() -> Result<Executor *> { return &m_executor; },
        [this]() -> Result<Detector *> { return &m_detector; });
    if (const auto made = store->append({eventOf(0)}, {}); !made)
        qWarning("%s", qPrintable(made.error().text()));
    return store;
}

void tst_HistoryLostAnswers::writesOnceWhateverIsLost_data() { fates(); }

void tst_HistoryLostAnswers::writesOnceWhateverIsLost()
{
    QFETCH(bool, lands);
    QFETCH(ErrorKind, kind);
    const auto store = open();
    m_fate = {.start = QStringLiteral("INSERT"), .times = 2, .lands = lands, .kind = kind};
    DO(store->append({eventOf(1), eventOf(2)}, {}));
    QCOMPARE(m_fate.met, lands ? 1 : 2);
    m_fate = {.start = QStringLiteral("MERGE"), .times = 2, .lands = lands, .kind = kind};
    DO(store->save(record(), {}));
    QCOMPARE(m_fate.met, 2);
    m_fate.met = 0;
    DO(store->changeViews({view()}, {}, {}));
    TAKE(const auto history, store->history({}));
    QCOMPARE(history.open, (QList{eventOf(0), eventOf(1), eventOf(2)}));
    QCOMPARE(history.records, QList{record()});
    QCOMPARE(history.views, QList{view()});
    m_fate.met = 0;
    DO(store->changeViews({}, {view().name}, {}));
    TAKE(const auto emptied, store->history({}));
    QVERIFY(emptied.views.isEmpty());
}

void tst_HistoryLostAnswers::aLockIsTakenOnceWhateverIsLost()
{
    QFETCH(bool, lands);
    QFETCH(ErrorKind, kind);
    const auto store = open();
    m_fate = {.start = QStringLiteral("MERGE"), .times = 2, .lands = lands, .kind = kind};
    TAKE(const auto lock, store->acquire(kRequest, {}));
    QCOMPARE(m_fate.met, lands ? 1 : 2);
    TAKE(const auto history, store->history({}));
    QCOMPARE(history.locks.size(), 1);
    QCOMPARE(history.locks.first().token, lock.token);
    const auto second = store->acquire(kRequest, {});
    QVERIFY(!second);
    QCOMPARE(second.error().code, u"migration_lock_held");
}

void tst_HistoryLostAnswers::aLockIsRenewedAndFreedWhateverIsLost()
{
    QFETCH(bool, lands);
    QFETCH(ErrorKind, kind);
    const auto store = open();
    TAKE(const auto lock, store->acquire(kRequest, {}));
    m_fate = {.start = QStringLiteral("UPDATE"), .times = 2, .lands = lands, .kind = kind};
    DO(store->renew(lock, QStringLiteral("step 2"), {}));
    QCOMPARE(m_fate.met, 2);
    TAKE(const auto history, store->history({}));
    QCOMPARE(history.locks.first().doing, u"step 2");
    m_fate = {.start = QStringLiteral("DELETE"), .times = 2, .lands = lands, .kind = kind};
    DO(store->release(lock, {}));
    QCOMPARE(m_fate.met, 2);
    TAKE(const auto freed, store->history({}));
    QVERIFY(freed.locks.isEmpty());
    TAKE(const auto again, store->acquire(kRequest, {}));
    m_fate.met = 0;
    DO(store->breakLock(kLine, {}));
    REFUSED(ErrorKind::NotFound, store->breakLock(kLine, {}));
}

void tst_HistoryLostAnswers::waitsForAStatementThatStillRuns()
{
    const auto store = open();
    m_fate = {.start = QStringLiteral("INSERT"), .times = 1, .lands = true};
    m_fate.later = [] {};
    DO(store->append({eventOf(1)}, {}));
    QCOMPARE(m_fate.asked, 2);
    TAKE(const auto events, store->events(kLine, {}));
    QCOMPARE(events, (QList{eventOf(0), eventOf(1)}));
}

void tst_HistoryLostAnswers::whatWasStoppedIsNotWrittenTwice_data()
{
    QTest::addColumn<bool>("lands");
    QTest::newRow("it landed") << true;
    QTest::newRow("it did not land") << false;
}

// A run that is stopped in a write of its events writes them again with its last words.
void tst_HistoryLostAnswers::whatWasStoppedIsNotWrittenTwice()
{
    QFETCH(bool, lands);
    const auto store = open();
    m_fate = {
        .start = QStringLiteral("INSERT"), .times = 1, .lands = lands, .kind = ErrorKind::Timeout};
    REFUSED(ErrorKind::Timeout, store->append({eventOf(1), eventOf(2)}, {}));
    DO(store->append({eventOf(1), eventOf(2), eventOf(3)}, {}));
    TAKE(const auto events, store->events(kLine, {}));
    QCOMPARE(events, (QList{eventOf(0), eventOf(1), eventOf(2), eventOf(3)}));
}

void tst_HistoryLostAnswers::givesUpWhenAllIsLost()
{
    const auto store = open();
    m_fate = {.start = QStringLiteral("MERGE"),
              .times = 1000,
              .lands = false,
              .kind = ErrorKind::Conflict};
    std::stop_source stop;
    stop.request_stop();
    REFUSED(ErrorKind::Cancelled, store->save(record(), Call{stop.get_token(), {}}));
    const Call brief = Call{}.within(std::chrono::milliseconds(100));
    REFUSED(ErrorKind::Timeout, store->save(record(), brief));
    TAKE(const auto history, store->history({}));
    QVERIFY(history.records.isEmpty());
}

QTEST_GUILESS_MAIN(tst_HistoryLostAnswers)
#include "tst_history_lost_answers.moc"
