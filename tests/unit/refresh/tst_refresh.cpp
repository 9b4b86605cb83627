#include "framework/refresh/refresh.h"

#include "framework/refresh/settle.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_engine.h"
#include "tests/support/fake_store.h"

#include <QTest>

using namespace ivm;
using namespace ivm::test;

namespace {

constexpr Micros kHour = 3'600 * kMicrosPerSecond;

const TableName kSource = tableNamed(QStringLiteral("t"));
const TableName kTarget = tableNamed(QStringLiteral("v"));

View hourlyView()
{
    return viewOf(QStringLiteral("v"),
                  QStringLiteral(
                      "SELECT k, date_trunc('hour', ts) AS h, count(*) AS n FROM t GROUP BY 1, 2"));
}

QList<Column> sourceColumns()
{
    return {{.name = QStringLiteral("k"), .type = {.kind = TypeKind::Varchar}, .fieldId = 1},
            {.name = QStringLiteral("ts"),
             .type = {.kind = TypeKind::Timestamp, .precision = 6},
             .fieldId = 2}};
}

TableChanges oneFile(FileRole role, Micros lower, Micros upper)
{
    TableChanges changes;
    changes.snapshots = 1;
    changes.columns = sourceColumns();
    changes.files.append(
        {.role = role,
         .path = QStringLiteral("a.parquet"),
         .records = 1,
         .bytes = 1,
         .bounds = {.lower = lower, .upper = upper, .nullState = NullState::Never}});
    return changes;
}

TableChanges columnsOnly()
{
    TableChanges changes;
    changes.columns = sourceColumns();
    return changes;
}

}  // namespace

class tst_Refresh : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void buildsATargetThatDoesNotExist();
    void doesNothingWhenNothingChanged();
    void recomputesTheTouchedBuckets();
    void followsACompactionWithoutACommit();
    void diffsWhatCannotBeMeasured_data();
    void diffsWhatCannotBeMeasured();
    void undoesWhatOthersDidToTheTarget();
    void pinsTheHeads();
    void readsUnpinnedWhereTheSchemaMayBeOlder();
    void remembersThatAPinShowsOtherColumns();
    void diffsNextTimeWhatMovedWhileItWasReadUnpinned();
    void diffsATargetWhoseColumnsChanged();
    void diffsWhenAnotherTableIsRead();
    void ignoresCommentsAndNotNull();
    void looksAgainWhenSomebodyElseRefreshed();
    void writesTheIntentBeforeTheCommit();
    void settlesWhatACrashLeftOpen_data();
    void settlesWhatACrashLeftOpen();
    void settlesALostAnswerAtOnce();
    void plansAnewAfterAConflict();
    void givesUpAfterThreeConflicts();
    void takesTheBookmarkFromTheTargetWhenTheStoreIsLost();
    void refusesATargetWithOtherColumns();
    void doesNotRefreshWhatSomebodyElseRefreshes();
    void namesAMissingSource();
    void passesCommitsOnToTheViewsThatRead();
    void recordsWhatItDid();
    void explainsWithoutWriting();

private:
    RefreshOutcome refresh(RefreshMode mode = RefreshMode::IfChanged);
    void build();

    FakeWorld m_world;
    FakeClock m_clock;
    std::unique_ptr<FakeStore> m_store;
    std::unique_ptr<FakeExecutor> m_executor;
    std::unique_ptr<FakeDetector> m_detector;
    std::unique_ptr<Refresher> m_refresher;
};

void tst_Refresh::init()
{
    m_world = {};
    m_store = std::make_unique<FakeStore>(m_clock);
    m_executor = std::make_unique<FakeExecutor>(m_world);
    m_detector = std::make_unique<FakeDetector>(m_world);
    m_refresher = std::make_unique<Refresher>(
        RefreshServices{.executor = [this]() -> Result<Executor *> { return m_executor.get(); },
                        .detector = *m_detector,
                        .store = *m_store,
                        .clock = m_clock,
                        .owner = QStringLiteral("a test")});
    m_world.described = {
        {.name = QStringLiteral("k"), .type = {.kind = TypeKind::Varchar}},
        {.name = QStringLiteral("h"), .type = {.kind = TypeKind::Timestamp, .precision = 6}},
        {.name = QStringLiteral("n"), .type = {.kind = TypeKind::Bigint}}};
    m_world.changes[kSource] = columnsOnly();
    m_world.changes[kTarget] = columnsOnly();
    m_world.capabilities = {Capability::PinsCurrentSchema};
    m_world.moveOn(kSource);
}

RefreshOutcome tst_Refresh::refresh(RefreshMode mode)
{
    m_world.log.clear();
    const auto outcomes = m_refresher->refresh({hourlyView()}, mode, {});
    if (!outcomes)
        qFatal("%s", qPrintable(outcomes.error().text()));
    return outcomes->front();
}

void tst_Refresh::build()
{
    QCOMPARE(refresh().action, Action::Rebuild);
    m_world.committed.clear();
    m_world.intents.clear();
}

void tst_Refresh::buildsATargetThatDoesNotExist()
{
    const auto outcome = refresh();
    QCOMPARE(outcome.action, Action::Rebuild);
    QCOMPARE(outcome.reason, QStringLiteral("iceberg.main.v does not exist yet"));
    QCOMPARE(m_world.log, (QStringList{QStringLiteral("heads 2"), QStringLiteral("changes t"),
                                       QStringLiteral("open"), QStringLiteral("describe"),
                                       QStringLiteral("create v"), QStringLiteral("info v"),
                                       QStringLiteral("changes v"), QStringLiteral("commit v")}));
    QVERIFY(std::holds_alternative<ReplaceAll>(m_world.committed.front()));
    const auto bookmark = m_store->bookmark(QStringLiteral("v"));
    QCOMPARE((*bookmark)->sources.front().head, m_world.heads[kSource]);
    QCOMPARE((*bookmark)->targetHead, m_world.heads[kTarget]);
    QVERIFY(!*m_store->intent(QStringLiteral("v")));
}

void tst_Refresh::doesNothingWhenNothingChanged()
{
    build();
    const auto outcome = refresh();
    QCOMPARE(outcome.action, Action::None);
    QCOMPARE(m_world.log, QStringList{QStringLiteral("heads 2")});
}

void tst_Refresh::recomputesTheTouchedBuckets()
{
    build();
    m_world.moveOn(kSource);
    m_world.changes[kSource] = oneFile(FileRole::Added, kHour + 5, kHour + 6);
    const auto outcome = refresh();
    QCOMPARE(outcome.action, Action::Incremental);
    QCOMPARE(outcome.ranges.size(), 1);
    QCOMPARE(*outcome.ranges.front().from, QStringLiteral("1970-01-01 01:00:00"));
    QCOMPARE(*outcome.ranges.front().to, QStringLiteral("1970-01-01 02:00:00"));
    const auto &change = std::get<ReplaceRanges>(m_world.committed.front());
    QCOMPARE(change.filter.column, QStringLiteral("h"));
    QCOMPARE(*change.filter.ranges.front().from, QStringLiteral("TIMESTAMP '1970-01-01 01:00:00'"));
    // No describe and no look at the target: the bookmark knows.
    QCOMPARE(m_world.log, (QStringList{QStringLiteral("heads 2"), QStringLiteral("changes t"),
                                       QStringLiteral("open"), QStringLiteral("commit v")}));
}

void tst_Refresh::followsACompactionWithoutACommit()
{
    build();
    const auto head = m_world.moveOn(kSource);
    const auto outcome = refresh();
    QCOMPARE(outcome.action, Action::None);
    QCOMPARE(outcome.reason, QStringLiteral("no row changed"));
    QVERIFY(m_world.committed.isEmpty());
    QCOMPARE((*m_store->bookmark(QStringLiteral("v")))->sources.front().head, head);
    QCOMPARE(refresh().reason, QStringLiteral("nothing changed"));
}

void tst_Refresh::diffsWhatCannotBeMeasured_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("reason");
    QTest::newRow("expired") << "expired" << "iceberg.main.t: snapshot 5 is gone";
    QTest::newRow("a column is gone") << "gone" << "iceberg.main.t: column 'k' is gone";
    QTest::newRow("a column widened") << "widened" << "iceberg.main.t: column 'k' is now bigint";
    QTest::newRow("dropped and added again")
        << "again" << "iceberg.main.t: column 'k' is another column of the same name";
    QTest::newRow("another target")
        << "recreated" << "iceberg.main.v is another table than after the last refresh";
    QTest::newRow("asked for") << "full" << "a full refresh was asked for";
    QTest::newRow("files that tell nothing")
        << "everything" << "the changed files do not tell which buckets they touch";
    QTest::newRow("the store was lost")
        << "lost" << "nothing is known about the rows of iceberg.main.v";
}

void tst_Refresh::diffsWhatCannotBeMeasured()
{
    QFETCH(QString, what);
    QFETCH(QString, reason);
    build();
    m_world.moveOn(kSource);
    auto changes = oneFile(FileRole::Added, 0, 0);
    if (what == u"expired")
        changes.unmeasurable = QStringLiteral("snapshot 5 is gone");
    else if (what == u"gone")
        changes.columns.removeFirst();
    else if (what == u"widened")
        changes.columns.front().type = {.kind = TypeKind::Bigint};
    else if (what == u"again")
        changes.columns.front().fieldId = 9;
    else if (what == u"recreated")
        m_world.heads[kTarget].tableId = m_world.tables[kTarget].head.tableId =
            QStringLiteral("other");
    else if (what == u"everything")
        changes.files.front() = {.role = FileRole::Added,
                                 .path = QStringLiteral("b"),
                                 .records = 1,
                                 .bytes = 1,
                                 .bounds = {}};
    else if (what == u"lost")
        QVERIFY(m_store->forgetView(QStringLiteral("v")));
    m_world.changes[kSource] = changes;
    if (what == u"everything")
        m_world.answers.insert(QStringLiteral("SELECT"),
                               {{}, {{Value{}, Value{}, {qint64(0)}, {qint64(0)}}}});
    const auto outcome = refresh(what == u"full" ? RefreshMode::Full : RefreshMode::IfChanged);
    QCOMPARE(outcome.reason, reason);
    QCOMPARE(outcome.action, Action::Diff);
    QVERIFY(std::holds_alternative<ReplaceAll>(m_world.committed.front()));
}

void tst_Refresh::undoesWhatOthersDidToTheTarget()
{
    build();
    m_world.moveOn(kTarget);
    m_world.changes[kTarget] = oneFile(FileRole::DeletedFrom, 0, kHour);
    const auto outcome = refresh();
    QCOMPARE(outcome.action, Action::Incremental);
    QCOMPARE(outcome.reason, QStringLiteral("iceberg.main.v was changed by somebody else"));
    QCOMPARE(*outcome.ranges.front().to, QStringLiteral("1970-01-01 02:00:00"));
}

void tst_Refresh::pinsTheHeads()
{
    build();
    const auto head = m_world.moveOn(kSource);
    m_world.changes[kSource] = oneFile(FileRole::Added, 0, 0);
    refresh();
    const QString query = replacementOf(m_world.committed.front()).query;
    QVERIFY2(
        query.contains(QStringLiteral("FROM t FOR VERSION AS OF %1 WHERE").arg(*head.snapshot)),
        qPrintable(query));
}

void tst_Refresh::readsUnpinnedWhereTheSchemaMayBeOlder()
{
    m_world.capabilities.clear();
    for (const bool pinnable : {false, true, false}) {
        m_world.moveOn(kSource);
        m_world.changes[kSource] = oneFile(FileRole::Added, 0, 0);
        m_world.changes[kSource].pinnable = pinnable;
        const auto outcome = refresh();
        QVERIFY2(!outcome.error, outcome.error ? qPrintable(outcome.error->text()) : "");
        QCOMPARE(replacementOf(m_world.committed.back()).query.contains(u"FOR VERSION"), pinnable);
    }
    QCOMPARE(m_world.committed.size(), 3);
    QCOMPARE(refresh().reason, QStringLiteral("nothing changed"));
}

// A column was dropped and added again without a snapshot: the pin would show the old one, also
// when the source has not changed since.
void tst_Refresh::remembersThatAPinShowsOtherColumns()
{
    m_world.capabilities.clear();
    build();
    m_world.moveOn(kTarget);
    m_world.changes[kTarget] = oneFile(FileRole::DeletedFrom, 0, kHour);
    QCOMPARE(refresh().action, Action::Incremental);
    QVERIFY(!replacementOf(m_world.committed.front()).query.contains(u"FOR VERSION"));
}

// Not again and again within one refresh: a source that never rests would never let it end.
void tst_Refresh::diffsNextTimeWhatMovedWhileItWasReadUnpinned()
{
    m_world.capabilities.clear();
    m_world.commits.push_back([this](const Change &, const Intent &intent, const IntentRecorder &) {
        m_world.moveOn(kSource);
        return Result<CommitResult>(
            CommitResult{.target = m_world.moveOn(intent.target), .committed = true});
    });
    QCOMPARE(refresh().action, Action::Rebuild);
    QCOMPARE(m_world.committed.size(), 1);
    QCOMPARE(refresh().reason,
             QStringLiteral("iceberg.main.t changed while it was read, or may have"));
    QCOMPARE(m_world.committed.size(), 2);
    QCOMPARE(refresh().reason, QStringLiteral("nothing changed"));
}

void tst_Refresh::diffsATargetWhoseColumnsChanged()
{
    build();
    m_world.changes[kTarget].columns.front().fieldId = 7;
    m_world.moveOn(kTarget);
    const auto outcome = refresh();
    QCOMPARE(outcome.action, Action::Diff);
    QCOMPARE(outcome.reason,
             QStringLiteral("iceberg.main.v: column 'k' is another column of the same name"));
    QCOMPARE((*m_store->bookmark(QStringLiteral("v")))->targetColumns.front().fieldId, 7);
}

void tst_Refresh::diffsWhenAnotherTableIsRead()
{
    build();
    // The same text, resolved with another default schema.
    View view = hourlyView();
    view.shape.sources.front().table.schema = QStringLiteral("other");
    const TableName other = view.shape.sources.front().table;
    m_world.moveOn(other);
    m_world.changes[other] = columnsOnly();
    const auto outcomes = m_refresher->refresh({view}, RefreshMode::IfChanged, {});
    QVERIFY(outcomes);
    QCOMPARE(outcomes->front().action, Action::Diff);
    QCOMPARE(outcomes->front().reason, QStringLiteral("iceberg.other.t was not read before"));
    // Nor is it current when both tables are known to stand still.
    const auto back = m_refresher->refresh({hourlyView()}, RefreshMode::IfChanged, {});
    QVERIFY(back);
    QCOMPARE(back->front().action, Action::Diff);
}

void tst_Refresh::ignoresCommentsAndNotNull()
{
    build();
    m_world.moveOn(kSource);
    m_world.changes[kSource].columns.front().comment = QStringLiteral("a note");
    m_world.changes[kSource].columns.front().nullable = false;
    QCOMPARE(refresh().reason, QStringLiteral("no row changed"));
}

void tst_Refresh::looksAgainWhenSomebodyElseRefreshed()
{
    build();
    m_world.moveOn(kSource);
    m_world.changes[kSource] = oneFile(FileRole::Added, 0, 0);
    // While this refresh is at its first view, another process brings the second up to date, with
    // what the source holds by then.
    m_world.commits.push_back([this](const Change &, const Intent &intent, const IntentRecorder &) {
        auto bookmark = **m_store->bookmark(QStringLiteral("v"));
        bookmark.sources.front().head = m_world.moveOn(kSource);
        bookmark.targetHead = m_world.moveOn(kTarget);
        if (!m_store->saveBookmark(bookmark))
            return Result<CommitResult>(fail(internalError(QStringLiteral("not saved"))));
        return Result<CommitResult>(
            CommitResult{.target = m_world.moveOn(intent.target), .committed = true});
    });
    View first = hourlyView();
    first.spec.name = QStringLiteral("first");
    first.spec.target.table = QStringLiteral("first");
    const auto outcomes = m_refresher->refresh({first, hourlyView()}, RefreshMode::IfChanged, {});
    QVERIFY(outcomes);
    QCOMPARE(outcomes->last().action, Action::None);
    QCOMPARE(m_world.committed.size(), 1);
}

void tst_Refresh::writesTheIntentBeforeTheCommit()
{
    m_world.commits.push_back(
        [this](const Change &, const Intent &intent, const IntentRecorder &record) {
            const auto before = *m_store->intent(QStringLiteral("v"));
            if (!before || before->id != intent.id)
                return Result<CommitResult>(
                    fail(internalError(QStringLiteral("the intent was not written"))));
            if (!record(QStringLiteral("query-1")) ||
                (*m_store->intent(QStringLiteral("v")))->statementId != u"query-1")
                return Result<CommitResult>(
                    fail(internalError(QStringLiteral("the query id was not written"))));
            return Result<CommitResult>(
                CommitResult{.target = m_world.moveOn(kTarget), .committed = true});
        });
    const auto outcome = refresh();
    QVERIFY2(!outcome.error, outcome.error ? qPrintable(outcome.error->text()) : "");
    QCOMPARE(m_store->records(QStringLiteral("v"), 1)->front().statementId,
             QStringLiteral("query-1"));
}

void tst_Refresh::settlesWhatACrashLeftOpen_data()
{
    QTest::addColumn<QString>("outcome");
    QTest::addColumn<int>("action");
    QTest::newRow("it landed: the rows are right") << "landed" << int(Action::None);
    QTest::newRow("it did not land: the work is done again")
        << "not landed" << int(Action::Incremental);
    QTest::newRow("nobody knows: diff") << "unknown" << int(Action::Diff);
}

void tst_Refresh::settlesWhatACrashLeftOpen()
{
    QFETCH(QString, outcome);
    QFETCH(int, action);
    build();
    m_world.moveOn(kSource);
    m_world.changes[kSource] = oneFile(FileRole::Added, 0, 0);
    const bool landed = outcome == u"landed";
    m_world.commits.push_back([&](const Change &, const Intent &, const IntentRecorder &) {
        if (landed)
            m_world.moveOn(kTarget);
        return Result<CommitResult>(fail(cancelledError(QStringLiteral("killed"))));
    });
    // The crash: the intent is left, as it was written before the commit.
    m_store->failNext(QStringLiteral("forgetIntent"), unavailableError(QStringLiteral("crashed")));
    QCOMPARE(refresh().action, Action::Error);
    QVERIFY(*m_store->intent(QStringLiteral("v")));
    if (landed)
        m_world.settlement = Landed{m_world.heads[kTarget], {}};
    else if (outcome == u"unknown") {
        m_world.settlement = OutcomeUnknown{QStringLiteral("the server forgot")};
        // The table stays the view's, also one that it was given with rows.
        m_world.tables[kTarget].comment.clear();
        Rows some;
        some.rows.push_back({Value{qint64(1)}});
        m_world.answers.insert(QStringLiteral("SELECT 1 FROM"), some);
    }
    QCOMPARE(int(refresh().action), action);
    QVERIFY(m_world.log.contains(QStringLiteral("settle v")));
    QVERIFY(!*m_store->intent(QStringLiteral("v")));
    QCOMPARE((*m_store->bookmark(QStringLiteral("v")))->sources.front().head,
             m_world.heads[kSource]);
}

void tst_Refresh::settlesALostAnswerAtOnce()
{
    build();
    m_world.moveOn(kSource);
    m_world.changes[kSource] = oneFile(FileRole::Added, 0, 0);
    m_world.commits.push_back([&](const Change &, const Intent &, const IntentRecorder &) {
        m_world.settlement = Landed{m_world.moveOn(kTarget), {}};
        return Result<CommitResult>(
            fail(commitUnknownError(QStringLiteral("the answer was lost"))));
    });
    const auto outcome = refresh();
    QVERIFY2(!outcome.error, outcome.error ? qPrintable(outcome.error->text()) : "");
    QCOMPARE(m_world.committed.size(), 1);
    QCOMPARE(refresh().reason, QStringLiteral("nothing changed"));
}

void tst_Refresh::plansAnewAfterAConflict()
{
    build();
    m_world.moveOn(kSource);
    m_world.changes[kSource] = oneFile(FileRole::Added, 0, 0);
    m_world.changes[kTarget] = oneFile(FileRole::Added, 5 * kHour, 5 * kHour);
    m_world.commits.push_back([&](const Change &, const Intent &, const IntentRecorder &) {
        m_world.moveOn(kTarget);
        return Result<CommitResult>(fail(conflictError(QStringLiteral("the target moved"))));
    });
    const auto outcome = refresh();
    QCOMPARE(outcome.action, Action::Incremental);
    QCOMPARE(m_world.committed.size(), 2);
    // The second time what the other writer did is recomputed too.
    QCOMPARE(outcome.ranges.size(), 2);
}

void tst_Refresh::givesUpAfterThreeConflicts()
{
    build();
    m_world.moveOn(kSource);
    m_world.changes[kSource] = oneFile(FileRole::Added, 0, 0);
    for (int i = 0; i < 5; ++i) {
        m_world.commits.push_back([&](const Change &, const Intent &, const IntentRecorder &) {
            return Result<CommitResult>(fail(conflictError(QStringLiteral("the target moved"))));
        });
    }
    const auto outcome = refresh();
    QCOMPARE(outcome.action, Action::Error);
    QCOMPARE(outcome.error->kind, ErrorKind::Conflict);
    QCOMPARE(m_world.committed.size(), 3);
    QVERIFY(!*m_store->intent(QStringLiteral("v")));
}

void tst_Refresh::takesTheBookmarkFromTheTargetWhenTheStoreIsLost()
{
    m_world.capabilities.insert(Capability::AtomicSummary);
    refresh();
    m_world.tables[kTarget].headSummary = m_world.intents.front().summary;
    QVERIFY(m_store->forgetView(QStringLiteral("v")));
    const auto outcome = refresh();
    QCOMPARE(outcome.action, Action::None);
    QCOMPARE((*m_store->bookmark(QStringLiteral("v")))->targetHead, m_world.heads[kTarget]);
}

void tst_Refresh::refusesATargetWithOtherColumns()
{
    m_world.tables[kTarget].columns = {
        {.name = QStringLiteral("other"), .type = {.kind = TypeKind::Varchar}}};
    m_world.moveOn(kTarget);
    const auto outcome = refresh();
    QCOMPARE(
        outcome.error->text(),
        QStringLiteral("views.yaml:4:7: view 'v': table iceberg.main.v exists with other columns: "
                       "column 1 is 'other' "
                       "instead of 'k'. Drop the table, or give the view another target_table"));
    QVERIFY(m_world.committed.isEmpty());
}

void tst_Refresh::doesNotRefreshWhatSomebodyElseRefreshes()
{
    const auto lease =
        m_store->acquireLease({.target = kTarget, .owner = QStringLiteral("another host")});
    QVERIFY(lease);
    const auto outcome = refresh();
    QCOMPARE(outcome.error->kind, ErrorKind::Conflict);
    QVERIFY(outcome.error->message.contains(QStringLiteral("another host")));
    QVERIFY(m_store->releaseLease(*lease));
    QCOMPARE(refresh().action, Action::Rebuild);
    // A refresh gives its own lease back.
    QVERIFY(m_store->acquireLease({.target = kTarget, .owner = QStringLiteral("another host")}));
}

void tst_Refresh::namesAMissingSource()
{
    m_world.heads.remove(kSource);
    const auto outcome = refresh();
    QCOMPARE(outcome.error->kind, ErrorKind::NotFound);
    QCOMPARE(outcome.error->text(),
             QStringLiteral("views.yaml:4:65: view 'v': there is no Iceberg table iceberg.main.t"));
}

void tst_Refresh::passesCommitsOnToTheViewsThatRead()
{
    const auto second =
        viewOf(QStringLiteral("w"), QStringLiteral("SELECT k, sum(n) AS n FROM v GROUP BY 1"));
    m_world.changes[kTarget] = columnsOnly();
    m_world.described.removeAt(1);
    auto hourly = hourlyView();
    m_world.commits.push_back([&](const Change &, const Intent &, const IntentRecorder &) {
        return Result<CommitResult>(
            CommitResult{.target = m_world.moveOn(kTarget), .committed = true});
    });
    m_world.described = {{.name = QStringLiteral("k"), .type = {.kind = TypeKind::Varchar}},
                         {.name = QStringLiteral("n"), .type = {.kind = TypeKind::Bigint}}};
    hourly =
        viewOf(QStringLiteral("v"), QStringLiteral("SELECT k, count(*) AS n FROM t GROUP BY 1"));
    m_world.log.clear();
    const auto outcomes = m_refresher->refresh({hourly, second}, RefreshMode::IfChanged, {});
    QVERIFY(outcomes);
    QVERIFY2(!outcomes->at(1).error,
             outcomes->at(1).error ? qPrintable(outcomes->at(1).error->text()) : "");
    QCOMPARE(outcomes->at(1).action, Action::Rebuild);
    QCOMPARE(outcomes->at(1).sourceSnapshots[kTarget.text()],
             QString::number(*m_world.heads[kTarget].snapshot));
    QCOMPARE(m_world.log.filter(QStringLiteral("heads")).size(), 1);
}

void tst_Refresh::recordsWhatItDid()
{
    build();
    refresh();
    const auto records = m_store->records(QStringLiteral("v"), 10);
    QCOMPARE(records->size(), 1);  // nothing to do leaves no trace
    QCOMPARE(records->front().action, QStringLiteral("rebuild"));
    QCOMPARE(records->front().rowsWritten, 1);
}

void tst_Refresh::explainsWithoutWriting()
{
    build();
    m_world.moveOn(kSource);
    m_world.changes[kSource] = oneFile(FileRole::Added, 0, 0);
    const auto callsBefore = m_store->calls();
    const auto explanation = m_refresher->explain(hourlyView(), {});
    QVERIFY(explanation);
    QCOMPARE(explanation->plan.action, Action::Incremental);
    QCOMPARE(explanation->plan.sources.front().files.added, 1);
    QVERIFY(explanation->statement.contains(
        QStringLiteral("date_trunc('hour', ts) >= TIMESTAMP '1970-01-01 00:00:00'")));
    QVERIFY(m_world.committed.isEmpty());
    for (const auto &call : m_store->calls().mid(callsBefore.size()))
        QVERIFY2(call.startsWith(QStringLiteral("bookmark")), qPrintable(call));
}

QTEST_GUILESS_MAIN(tst_Refresh)
#include "tst_refresh.moc"
