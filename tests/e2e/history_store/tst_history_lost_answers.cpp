// A history on an engine whose answers get lost, and one that loses against others.
#include "plugins/detector_catalog/catalog_detector.h"
#include "plugins/executor_duckdb/executor.h"
#include "plugins/store_iceberg/iceberg_history.h"
#include "tests/conformance/checks.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ivm;
using store_iceberg::IcebergHistory;

namespace {

const QString kLine = QStringLiteral("default");
const LockRequest kRequest{.line = kLine, .owner = QStringLiteral("ivmctl"), .doing = {}};

// What happens to the statements that begin with a word.
struct Fate {
    QString start;
    int times = 0;
    bool lands = false;  // before its answer is lost
    ErrorKind kind = ErrorKind::CommitUnknown;
    int met = 0;
    // It lands when somebody asks for the second time whether it still runs.
    std::function<void()> later = {};
    int asked = 0;
};

class FatedSession final : public Session {
public:
    FatedSession(std::unique_ptr<Session> inner, Fate &fate)
        : m_inner(std::move(inner)), m_fate(fate)
    {
    }

    Result<StatementResult> run(const QString &sql, RowSink &sink, const Call &call) override
    {
        if (!sql.startsWith(m_fate.start) || m_fate.met == m_fate.times)
            return m_inner->run(sql, sink, call);
        ++m_fate.met;
        if (m_fate.lands && m_fate.later) {
            m_fate.later = [this, sql] { (void)execute(*m_inner, sql, {}); };
        } else if (m_fate.lands) {
            IVM_CHECK(m_inner->run(sql, sink, call));
        }
        const QString message = QStringLiteral("the answer was lost");
        return fail(m_fate.kind == ErrorKind::Conflict ? conflictError(message)
                                                       : commitUnknownError(message));
    }
    Result<QList<Column>> describe(const QString &sql, const Call &call) override
    {
        return m_inner->describe(sql, call);
    }
    Result<TableInfo> tableInfo(const TableName &name, const Call &call) override
    {
        return m_inner->tableInfo(name, call);
    }
    Status createTable(const TableSpec &spec, const Call &call) override
    {
        return m_inner->createTable(spec, call);
    }
    Status dropTable(const TableName &name, const Call &call) override
    {
        return m_inner->dropTable(name, call);
    }
    Result<CommitResult> commit(const Change &change, const Intent &intent,
                                const IntentRecorder &record, const Call &call) override
    {
        return m_inner->commit(change, intent, record, call);
    }
    Result<Settlement> settle(const Intent &intent, const Call &call) override
    {
        return m_inner->settle(intent, call);
    }

    Result<bool> isAtWork(const QString &, const Call &) override
    {
        if (!m_fate.later || ++m_fate.asked < 2)
            return m_fate.later != nullptr;
        std::exchange(m_fate.later, {})();
        return false;
    }

private:
    std::unique_ptr<Session> m_inner;
    Fate &m_fate;
};

class FatedExecutor final : public Executor {
public:
    FatedExecutor(Executor &inner, Fate &fate) : m_inner(inner), m_fate(fate) {}

    bool can(Capability capability) const override { return m_inner.can(capability); }
    TableName defaults() const override { return m_inner.defaults(); }
    Result<std::unique_ptr<Session>> openSession(const SessionOptions &options,
                                                 const Call &call) override
    {
        IVM_TRY(auto session, m_inner.openSession(options, call));
        return std::make_unique<FatedSession>(std::move(session), m_fate);
    }

private:
    Executor &m_inner;
    Fate &m_fate;
};

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
