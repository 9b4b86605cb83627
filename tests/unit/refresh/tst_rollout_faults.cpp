// What a switch and a restore do where the engine, the store or somebody else comes in between.
#include "framework/refresh/rollout.h"
#include "framework/refresh/view_table.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_engine.h"
#include "tests/support/fake_store.h"

#include <QTest>

using namespace ivm;
using namespace ivm::test;

namespace {

const TableName kSource = tableNamed(QStringLiteral("t"));
const TableName kTarget = tableNamed(QStringLiteral("v"));

View viewWhere(const QString &condition)
{
    return viewOf(QStringLiteral("v"),
                  QStringLiteral("SELECT k, date_trunc('hour', ts) AS h, count(*) AS n FROM t "
                                 "WHERE %1 GROUP BY 1, 2")
                      .arg(condition));
}

View oldView() { return viewWhere(QStringLiteral("TRUE")); }
View newView() { return viewWhere(QStringLiteral("k <> 'x'")); }

View builtView()
{
    View built = newView();
    built.spec.name = QStringLiteral("v@2");
    built.spec.target.table = QStringLiteral("v__v2");
    return built;
}

Column column(const char *name, TypeKind kind, int id)
{
    const int precision = kind == TypeKind::Timestamp ? 6 : 0;
    return {.name = QString::fromLatin1(name),
            .type = {.kind = kind, .precision = precision},
            .fieldId = id};
}

TableChanges columnsOnly(const QList<Column> &columns)
{
    TableChanges changes;
    changes.columns = columns;
    return changes;
}

}  // namespace

class tst_RolloutFaults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void tellsOnceAndCommitsOnce();
    void writesNothingThatWasNotTold();
    void givesWayToWhoeverIsAtWork();
    void waitsForAStatementOnItsTableAlone();
    void looksAgainWhereTheTargetMoved();
    void beginsAnewWhereNothingWasWritten();
    void goesOnWhereTheAnswerWasLost();
    void doesNotTrustATableThatOthersWroteTo_data();
    void doesNotTrustATableThatOthersWroteTo();
    void writesNoRowsWithoutAColumnOfTheTable();
    void refusesAnotherDefinition();
    void keepsAVersionAsText();
    void refusesWhatIsNoVersion_data();
    void refusesWhatIsNoVersion();
    void comparesLayouts_data();
    void comparesLayouts();

private:
    RefreshServices services()
    {
        return {.executor = [this]() -> Result<Executor *> { return m_executor.get(); },
                .detector = *m_detector,
                .store = *m_store,
                .clock = m_clock,
                .owner = QStringLiteral("a test")};
    }
    void refresh(const View &view);
    Result<RefreshOutcome> switched();
    void nextCommit(const Error &error)
    {
        m_world.commits.push_back(
            [error](const auto &, const auto &, const auto &) -> Result<CommitResult> {
                return fail(error);
            });
    }
    bool isNoted() { return m_store->intent(switchName(builtView()))->has_value(); }

    FakeWorld m_world;
    FakeClock m_clock;
    std::unique_ptr<FakeStore> m_store;
    std::unique_ptr<FakeExecutor> m_executor;
    std::unique_ptr<FakeDetector> m_detector;
    QList<TargetVersion> m_told;
};

// The view is refreshed by its old definition, and the new one is built.
void tst_RolloutFaults::init()
{
    m_world = {};
    m_told.clear();
    m_store = std::make_unique<FakeStore>(m_clock);
    m_executor = std::make_unique<FakeExecutor>(m_world);
    m_detector = std::make_unique<FakeDetector>(m_world);
    const QList<Column> outputs{column("k", TypeKind::Varchar, 1),
                                column("h", TypeKind::Timestamp, 2),
                                column("n", TypeKind::Bigint, 3)};
    m_world.described = outputs;
    m_world.changes[kSource] =
        columnsOnly({column("k", TypeKind::Varchar, 1), column("ts", TypeKind::Timestamp, 2)});
    m_world.changes[kTarget] = columnsOnly(outputs);
    m_world.changes[builtView().spec.target] = columnsOnly(outputs);
    m_world.capabilities = {Capability::PinsCurrentSchema};
    m_world.moveOn(kSource);
    refresh(oldView());
    refresh(builtView());
    m_world.committed.clear();
    m_world.intents.clear();
}

void tst_RolloutFaults::refresh(const View &view)
{
    const auto outcomes = Refresher(services()).refresh({view}, RefreshMode::IfChanged, {});
    QVERIFY2(outcomes && !outcomes->front().error,
             outcomes ? qPrintable(outcomes->front().reason) : "");
}

Result<RefreshOutcome> tst_RolloutFaults::switched()
{
    return Rollout(services())
        .switchTo(newView(), builtView(),
                  [this](const TargetVersion &version) {
                      m_told.append(version);
                      return Status();
                  },
                  {});
}

void tst_RolloutFaults::tellsOnceAndCommitsOnce()
{
    const TableHead before = m_world.heads[kTarget];
    const TableHead built = m_world.heads[builtView().spec.target];
    const auto outcome = switched();
    QVERIFY2(outcome, outcome ? "" : qPrintable(outcome.error().text()));
    QCOMPARE(outcome->action, Action::Diff);
    QCOMPARE(m_told.size(), 1);
    QCOMPARE(m_told[0].head, before);
    QCOMPARE(m_told[0].bookmark->definitionHash, oldView().spec.definitionHash());
    QCOMPARE(m_world.committed.size(), 1);
    QCOMPARE(replacementOf(m_world.committed[0]).query,
             QStringLiteral("SELECT \"k\", \"h\", \"n\" FROM \"iceberg\".\"main\".\"v__v2\" FOR "
                            "VERSION AS OF %1")
                 .arg(*built.snapshot));
    QCOMPARE(m_world.intents[0].view, QStringLiteral("v"));
    const auto bookmark = *m_store->bookmark(QStringLiteral("v"));
    QCOMPARE(bookmark->definitionHash, newView().spec.definitionHash());
    QCOMPARE(bookmark->targetHead, m_world.heads[kTarget]);
    QCOMPARE(m_store->records(QStringLiteral("v"), 1)->front().reason,
             QStringLiteral("another definition of the view took its place"));

    // Whoever asks once more has his answer, and no version that is none.
    const auto again = switched();
    QVERIFY(again);
    QCOMPARE(again->action, Action::None);
    QCOMPARE(m_told.size(), 1);
    QCOMPARE(m_world.committed.size(), 1);
}

void tst_RolloutFaults::writesNothingThatWasNotTold()
{
    const auto refused = Rollout(services())
                             .switchTo(newView(), builtView(),
                                       [](const TargetVersion &) -> Status {
                                           return fail(unavailableError(QStringLiteral("no")));
                                       },
                                       {});
    QCOMPARE(refused.error().message, QStringLiteral("no"));
    QCOMPARE(m_world.committed.size(), 0);
    QVERIFY(!isNoted());
}

void tst_RolloutFaults::givesWayToWhoeverIsAtWork()
{
    const auto held = m_store->acquireLease({.target = kTarget, .owner = QStringLiteral("ivmd")});
    QVERIFY(held);
    const auto refused = switched();
    QCOMPARE(refused.error().code, QStringLiteral("lease_held"));
    QCOMPARE(m_told.size(), 0);
}

// A view of the same name is another's on the same cluster.
void tst_RolloutFaults::waitsForAStatementOnItsTableAlone()
{
    m_world.atWork = QStringLiteral("rollout of ") + kTarget.text();
    const auto refused = switched();
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, QStringLiteral("statement_running"));
    TableName other = kTarget;
    other.schema = QStringLiteral("of_others");
    m_world.atWork = QStringLiteral("rollout of ") + other.text();
    QVERIFY(switched());
}

void tst_RolloutFaults::looksAgainWhereTheTargetMoved()
{
    m_world.commits.push_back(
        [this](const auto &, const auto &, const auto &) -> Result<CommitResult> {
            m_world.moveOn(kTarget);
            return fail(conflictError(QStringLiteral("the target moved")));
        });
    QVERIFY(switched());
    // What stood there when the commit landed is the version to come back to.
    QCOMPARE(m_told.size(), 2);
    QVERIFY(m_told[0].head != m_told[1].head);
    QCOMPARE(m_world.intents.last().targetHead, m_told[1].head);

    for (int i = 0; i < 3; ++i)
        nextCommit(conflictError(QStringLiteral("the target moved")));
    QVERIFY(m_store->forgetIntent(switchName(builtView())));
    QCOMPARE(switched().error().kind, ErrorKind::Conflict);
}

void tst_RolloutFaults::beginsAnewWhereNothingWasWritten()
{
    nextCommit(unavailableError(QStringLiteral("nobody answers")));
    QCOMPARE(switched().error().text(), QStringLiteral("views.yaml:4:7: view 'v': nobody answers"));
    QVERIFY(!isNoted());
    QCOMPARE(m_store->bookmark(QStringLiteral("v"))->value().definitionHash,
             oldView().spec.definitionHash());
    m_world.moveOn(kTarget);
    QVERIFY(switched());
    QCOMPARE(m_told.size(), 2);
}

void tst_RolloutFaults::goesOnWhereTheAnswerWasLost()
{
    m_world.commits.push_back(
        [this](const Change &, const Intent &intent, const auto &) -> Result<CommitResult> {
            m_world.landed.insert(intent.id, {m_world.moveOn(kTarget), intent.summary});
            return fail(commitUnknownError(QStringLiteral("the answer was lost")));
        });
    QCOMPARE(switched().error().kind, ErrorKind::CommitUnknown);
    QVERIFY(isNoted());
    const auto again = switched();
    QVERIFY2(again, again ? "" : qPrintable(again.error().text()));
    QCOMPARE(again->action, Action::None);
    QCOMPARE(m_told.size(), 1);
    QCOMPARE(m_store->bookmark(QStringLiteral("v"))->value().targetHead, m_world.heads[kTarget]);
}

void tst_RolloutFaults::doesNotTrustATableThatOthersWroteTo_data()
{
    QTest::addColumn<bool>("hasParent");
    QTest::newRow("the replaced table") << false;
    QTest::newRow("somebody wrote to it since") << true;
}

void tst_RolloutFaults::doesNotTrustATableThatOthersWroteTo()
{
    QFETCH(bool, hasParent);
    m_world.tables[kTarget].partitioning = {{Transform::Day, QStringLiteral("h"), 0}};
    m_world.answers.insert(QStringLiteral("CREATE OR REPLACE TABLE \"iceberg\".\"main\".\"v\""),
                           {});
    Rows parent;
    parent.rows.push_back({hasParent ? Value{qint64(7)} : Value{}});
    m_world.answers.insert(QStringLiteral("SELECT parent_id FROM"), parent);
    const auto outcome = switched();
    QVERIFY2(outcome, outcome ? "" : qPrintable(outcome.error().text()));
    QCOMPARE(outcome->action, Action::Rebuild);
    QCOMPARE(m_store->bookmark(QStringLiteral("v"))->value().sources.front().exact, !hasParent);
}

// That another definition has given it.
void tst_RolloutFaults::writesNoRowsWithoutAColumnOfTheTable()
{
    m_world.tables[kTarget].columns.append(column("most", TypeKind::Bigint, 4));
    m_world.moveOn(kTarget);
    m_world.moveOn(kSource);
    TableChanges added = m_world.changes[kSource];
    added.files.append({.role = FileRole::Added,
                        .path = QStringLiteral("a.parquet"),
                        .records = 1,
                        .bytes = 1,
                        .bounds = {.lower = 0, .upper = 1, .nullState = NullState::Never}});
    m_world.changes[kSource] = added;
    const auto outcomes = Refresher(services()).refresh({oldView()}, RefreshMode::IfChanged, {});
    QVERIFY(outcomes && outcomes->front().error);
    QCOMPARE(outcomes->front().action, Action::Error);
    QCOMPARE(outcomes->front().error->text(),
             QStringLiteral("views.yaml:4:7: view 'v': table iceberg.main.v exists with other "
                            "columns: it has 'most', which the view does not. Drop the table, or "
                            "give the view another target_table"));
    QCOMPARE(m_world.committed.size(), 0);
}

void tst_RolloutFaults::refusesAnotherDefinition()
{
    const auto refused =
        Rollout(services())
            .switchTo(oldView(), builtView(), [](const auto &) { return Status(); }, {});
    QCOMPARE(refused.error().text(),
             QStringLiteral("view 'v': 'v@2' is not the same definition beside it"));
}

void tst_RolloutFaults::keepsAVersionAsText()
{
    QVERIFY(switched());
    TargetVersion version = m_told.front();
    version.table.partitioning = {{Transform::Bucket, QStringLiteral("k"), 4}};
    version.table.sortedBy = {QStringLiteral("h DESC")};
    const auto read = TargetVersion::fromJson(version.toJson(), u"the version");
    QVERIFY2(read, read ? "" : qPrintable(read.error().text()));
    QCOMPARE(read->toJson(), version.toJson());
    QCOMPARE(read->head, version.head);
    QCOMPARE(*read->bookmark, *version.bookmark);
    QVERIFY(sameLayout(read->table, version.table));

    TargetVersion none;
    none.table.name = kTarget;
    QVERIFY(!TargetVersion::fromJson(none.toJson(), u"the version")->exists());
}

void tst_RolloutFaults::refusesWhatIsNoVersion_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::newRow("no JSON") << QByteArray("{");
    QTest::newRow("nothing in it") << QByteArray("{}");
    TargetVersion version;
    version.table.name = kTarget;
    const auto with = [&](const char *from, const char *to) {
        return QByteArray(version.toJson()).replace(from, to);
    };
    QTest::newRow("a column of no type")
        << with("\"columns\":[]", "\"columns\":[{\"name\":\"a\",\"type\":\"a b\",\"field_id\":1}]");
    QTest::newRow("a column that is none") << with("\"columns\":[]", "\"columns\":[7]");
    QTest::newRow("a partition that is none")
        << with("\"partitioning\":[]", "\"partitioning\":[\"x(\"]");
    QTest::newRow("a bookmark that is none")
        << with("\"comment\"", "\"bookmark\":\"{}\",\"comment\"");
}

void tst_RolloutFaults::refusesWhatIsNoVersion()
{
    QFETCH(QByteArray, bytes);
    QVERIFY(!TargetVersion::fromJson(bytes, u"the version"));
}

void tst_RolloutFaults::comparesLayouts_data()
{
    QTest::addColumn<TableSpec>("other");
    QTest::addColumn<bool>("same");
    const TableSpec spec{.name = kTarget,
                         .columns = {column("k", TypeKind::Varchar, 1)},
                         .sortedBy = {QStringLiteral("k")},
                         .comment = QStringLiteral("ours")};
    const auto row = [&](const char *name, bool same, const auto &change) {
        TableSpec other = spec;
        change(other);
        QTest::newRow(name) << other << same;
    };
    row("the same", true, [](auto &) {});
    row("of another name", true, [](auto &other) { other.name = kSource; });
    row("the sort order spelled out", true,
        [](auto &other) { other.sortedBy = {QStringLiteral("\"k\" ASC NULLS FIRST")}; });
    row("the other way round", false,
        [](auto &other) { other.sortedBy = {QStringLiteral("k DESC")}; });
    row("NULL at the end", false,
        [](auto &other) { other.sortedBy = {QStringLiteral("k NULLS LAST")}; });
    row("not sorted", false, [](auto &other) { other.sortedBy.clear(); });
    row("another comment", false, [](auto &other) { other.comment.clear(); });
    row("another type", false, [](auto &other) { other.columns[0].type.kind = TypeKind::Bigint; });
    row("a column more", false,
        [](auto &other) { other.columns.append(column("n", TypeKind::Bigint, 2)); });
    row("partitioned", false,
        [](auto &other) { other.partitioning = {{Transform::Identity, QStringLiteral("k"), 0}}; });
}

void tst_RolloutFaults::comparesLayouts()
{
    QFETCH(TableSpec, other);
    QFETCH(bool, same);
    const TableSpec spec{.name = kTarget,
                         .columns = {column("k", TypeKind::Varchar, 1)},
                         .sortedBy = {QStringLiteral("k")},
                         .comment = QStringLiteral("ours")};
    QCOMPARE(sameLayout(spec, other), same);
}

QTEST_GUILESS_MAIN(tst_RolloutFaults)
#include "tst_rollout_faults.moc"
