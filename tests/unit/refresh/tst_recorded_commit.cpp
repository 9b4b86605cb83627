#include "framework/refresh/recorded_commit.h"

#include "tests/support/fake_clock.h"
#include "tests/support/fake_engine.h"
#include "tests/support/fake_store.h"

#include <QTest>

using namespace ivm;
using namespace ivm::test;

namespace {

const QString kView = QStringLiteral("v");
const TableName kTarget = tableNamed(kView);

}  // namespace

class tst_RecordedCommit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();

    void writesTheIntentBeforeTheCommit();
    void writesItOnceWhereItsStatementHasAnIdFirst();
    void sendsNothingThatCannotBeWrittenDown_data();
    void sendsNothingThatCannotBeWrittenDown();
    void keepsTheIntentWhileTheOutcomeIsOpen_data();
    void keepsTheIntentWhileTheOutcomeIsOpen();

private:
    Result<CommitResult> commit()
    {
        Bookmark bookmark;
        bookmark.view = kView;
        bookmark.target = kTarget;
        bookmark.targetHead = m_world.heads[kTarget];
        IVM_TRY(const auto session, m_executor.openSession({}, Call{}));
        return commitRecorded(m_executor, *session, *m_store, ReplaceAll{{kTarget, {}, {}}},
                              bookmark, m_statementId, Call{});
    }
    std::optional<Intent> intent() { return *m_store->intent(kView); }
    qsizetype writes() const { return m_store->calls().count(QStringLiteral("saveIntent v")); }

    FakeClock m_clock;
    FakeWorld m_world;
    FakeExecutor m_executor{m_world};
    std::unique_ptr<FakeStore> m_store;
    QString m_statementId;
};

void tst_RecordedCommit::init()
{
    m_world = {};
    m_world.moveOn(kTarget);
    m_store = std::make_unique<FakeStore>(m_clock);
    m_statementId.clear();
}

void tst_RecordedCommit::writesTheIntentBeforeTheCommit()
{
    std::optional<Intent> before;
    m_world.commits.push_back([&](const Change &, const Intent &, const IntentRecorder &) {
        before = intent();
        return Result<CommitResult>(CommitResult{});
    });
    QVERIFY(commit());
    QVERIFY(before);
    QCOMPARE(before->statementId, QString());
    QCOMPARE(intent(), before);
    QCOMPARE(writes(), 1);
}

void tst_RecordedCommit::writesItOnceWhereItsStatementHasAnIdFirst()
{
    m_world.capabilities.insert(Capability::QueryIdBeforeStart);
    std::optional<Intent> before;
    std::optional<Intent> after;
    m_world.commits.push_back(
        [&](const Change &, const Intent &, const IntentRecorder &record) -> Result<CommitResult> {
            before = intent();
            IVM_CHECK(record(QStringLiteral("query-1")));
            after = intent();
            return CommitResult{};
        });
    QVERIFY(commit());
    QVERIFY(!before);
    QVERIFY(after);
    QCOMPARE(after->statementId, QStringLiteral("query-1"));
    QCOMPARE(m_statementId, QStringLiteral("query-1"));
    QCOMPARE(writes(), 1);
}

void tst_RecordedCommit::sendsNothingThatCannotBeWrittenDown_data()
{
    QTest::addColumn<bool>("idFirst");
    QTest::newRow("before the statement") << false;
    QTest::newRow("with its id") << true;
}

void tst_RecordedCommit::sendsNothingThatCannotBeWrittenDown()
{
    QFETCH(bool, idFirst);
    if (idFirst)
        m_world.capabilities.insert(Capability::QueryIdBeforeStart);
    const TableHead before = m_world.heads[kTarget];
    m_store->failNext(QStringLiteral("saveIntent"),
                      unavailableError(QStringLiteral("the disk is full")));
    const auto done = commit();
    QVERIFY(!done);
    QCOMPARE(done.error().kind, ErrorKind::Unavailable);
    QCOMPARE(m_world.heads[kTarget], before);
    QVERIFY(!intent());
}

void tst_RecordedCommit::keepsTheIntentWhileTheOutcomeIsOpen_data()
{
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<bool>("kept");
    QTest::newRow("nothing was written") << ErrorKind::Conflict << false;
    QTest::newRow("it is not known") << ErrorKind::CommitUnknown << true;
}

void tst_RecordedCommit::keepsTheIntentWhileTheOutcomeIsOpen()
{
    QFETCH(ErrorKind, kind);
    QFETCH(bool, kept);
    m_world.commits.push_back([&](const Change &, const Intent &, const IntentRecorder &) {
        return Result<CommitResult>(fail(Error{.kind = kind,
                                               .code = errorKindName(kind),
                                               .message = QStringLiteral("no"),
                                               .place = {},
                                               .hint = {}}));
    });
    QVERIFY(!commit());
    QCOMPARE(intent().has_value(), kept);
}

QTEST_GUILESS_MAIN(tst_RecordedCommit)
#include "tst_recorded_commit.moc"
