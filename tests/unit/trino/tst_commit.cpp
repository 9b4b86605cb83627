#include "tests/unit/trino/target_answers.h"

#include <QTest>

using namespace ivm;
using namespace ivm::trino;

namespace {

const StubReply kGone{.status = 204};

Change exampleChange()
{
    return ReplaceAll{{kTarget,
                       {{QStringLiteral("k"), {.kind = TypeKind::Varchar}, ColumnClass::Key},
                        {QStringLiteral("n"), {.kind = TypeKind::Bigint}, ColumnClass::Exact}},
                       QStringLiteral("SELECT k,\n  n FROM s")}};
}

QByteArray counted(int rows)
{
    return R"("updateType":"MERGE","updateCount":)" + QByteArray::number(rows) +
           R"(,"columns":[{"name":"rows","type":"bigint"}],"data":[[)" + QByteArray::number(rows) +
           R"(]],"stats":{"processedRows":12,"processedBytes":120})";
}

}  // namespace

class tst_Commit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void recordsTheStatementBeforeItStarts();
    void tellsWhatTheCommitDid();
    void tellsThatNothingDiffered();
    void givesUpWhenTheIntentCannotBeRecorded();
    void seesThroughRefusals_data();
    void seesThroughRefusals();
    void knowsNothingAfterALostAnswer_data();
    void knowsNothingAfterALostAnswer();
    void settlesAFailureThatMayHaveCommitted_data();
    void settlesAFailureThatMayHaveCommitted();
    void reportsAConflictWhenAnotherCommitSlippedIn();
    void namesTheStateAfterItsOwnCommit();
    void reportsAConflictWhenColumnsChangedBeforeIt();

private:
    Result<CommitResult> commit(StubTrino &stub)
    {
        TrinoSession session(stubOptions(stub.url()));
        m_recorded.clear();
        return session.commit(
            exampleChange(), exampleIntent(),
            [&](const QString &id) -> Status {
                m_recorded.append(id + QStringLiteral(" after ") + stub.lines().join(u','));
                return m_recording;
            },
            Call{});
    }

    QStringList m_recorded;
    Status m_recording;
};

void tst_Commit::recordsTheStatementBeforeItStarts()
{
    StubTrino stub;
    stub.plan({stub.page(QStringLiteral("/q/1")), stub.page({}, counted(3)),
               lookAnswer(stub, kAfter, Made{8, 7, 2})});
    QVERIFY(commit(stub));
    QCOMPARE(m_recorded, QStringList(kQueryId + QStringLiteral(" after POST /v1/statement")));
    QVERIFY(stub.requests().at(0).body.contains(
        QByteArray("'" + kBefore.token.toUtf8() + "' THEN TRUE")));
    QVERIFY(stub.requests().at(2).body.contains(QByteArray("'" + kQueryId.toUtf8() + "'")));
    QCOMPARE(stub.requests().size(), 3);
}

void tst_Commit::tellsWhatTheCommitDid()
{
    StubTrino stub;
    stub.plan({stub.page(QStringLiteral("/q/1")), stub.page({}, counted(3)),
               lookAnswer(stub, kAfter, Made{8, 7, 2})});
    const auto result = commit(stub);
    QVERIFY2(result, qPrintable(result ? QString() : result.error().text()));
    QVERIFY(result->committed);
    QCOMPARE(result->target, kAfter);
    QCOMPARE(result->rowsWritten, 2);
    QCOMPARE(result->rowsDeleted, 1);
    QCOMPARE(result->rowsRead, 12);
    QCOMPARE(result->bytesRead, 120);
}

void tst_Commit::tellsThatNothingDiffered()
{
    StubTrino stub;
    stub.plan(
        {stub.page(QStringLiteral("/q/1")), stub.page({}, counted(0)), lookAnswer(stub, kBefore)});
    const auto result = commit(stub);
    QVERIFY(result);
    QVERIFY(!result->committed);
    QCOMPARE(result->target, kBefore);
}

void tst_Commit::givesUpWhenTheIntentCannotBeRecorded()
{
    StubTrino stub;
    stub.plan({stub.page(QStringLiteral("/q/1")), kGone});
    m_recording = fail(unavailableError(QStringLiteral("disk full")));
    const auto result = commit(stub);
    m_recording = {};
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Unavailable);
    QCOMPARE(result.error().message, QStringLiteral("recording the intent: disk full"));
    QCOMPARE(stub.lines(),
             QStringList({QStringLiteral("POST /v1/statement"), QStringLiteral("DELETE /q/1")}));
}

void tst_Commit::seesThroughRefusals_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<QString>("text");
    QTest::newRow("the head moved")
        << QByteArray("INVALID_CAST_ARGUMENT")
        << QByteArray("Cannot cast 'ivm stale head: file:///x.json' to BOOLEAN")
        << ErrorKind::Conflict
        << QStringLiteral("target iceberg.main.t is at file:///x.json, not at %1 any more: "
                          "somebody else changed it")
               .arg(kBefore.token);
    QTest::newRow("another time zone")
        << QByteArray("INVALID_CAST_ARGUMENT")
        << QByteArray("Cannot cast 'ivm time zone: Asia/Tokyo' to BOOLEAN") << ErrorKind::Invalid
        << QStringLiteral("the engine computes in the time zone Asia/Tokyo, and the view's "
                          "buckets are of UTC");
    QTest::newRow("two rows for one key")
        << QByteArray("INVALID_CAST_ARGUMENT")
        << QByteArray("Cannot cast 'ivm duplicate key: k = it's' to BOOLEAN") << ErrorKind::Invalid
        << QStringLiteral("the query gives several rows for one key (k = it's) of iceberg.main.t");
    QTest::newRow("anything else")
        << QByteArray("DIVISION_BY_ZERO") << QByteArray("Division by zero") << ErrorKind::Invalid
        << QStringLiteral("writing iceberg.main.t: Division by zero");
}

void tst_Commit::seesThroughRefusals()
{
    QFETCH(QByteArray, name);
    QFETCH(QByteArray, message);
    QFETCH(ErrorKind, kind);
    QFETCH(QString, text);
    StubTrino stub;
    stub.plan({stub.page(QStringLiteral("/q/1")), StubTrino::error(name, "USER_ERROR", message)});
    const auto result = commit(stub);
    QVERIFY(!result);
    QCOMPARE(result.error().kind, kind);
    QCOMPARE(result.error().message, text);
    QCOMPARE(stub.requests().size(), 2);
}

void tst_Commit::knowsNothingAfterALostAnswer_data()
{
    QTest::addColumn<QList<StubReply>>("replies");
    const StubReply cut{.fault = StubReply::CutBefore};
    StubTrino stub;
    StubReply done = stub.page({}, counted(1));
    QTest::newRow("no answer to the commit") << QList<StubReply>(40, cut);
    QTest::newRow("no answer to the look") << (QList{done} + QList<StubReply>(40, cut));
    QTest::newRow("the snapshot is gone") << QList{done, lookAnswer(stub, kAfter)};
}

void tst_Commit::knowsNothingAfterALostAnswer()
{
    QFETCH(QList<StubReply>, replies);
    StubTrino stub;
    stub.plan({stub.page(QStringLiteral("/q/1"))});
    stub.plan(replies);
    const auto result = commit(stub);
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::CommitUnknown);
    QVERIFY2(
        result.error().message.startsWith(
            QStringLiteral("whether query %1 changed iceberg.main.t is not known: ").arg(kQueryId)),
        qPrintable(result.error().message));
}

void tst_Commit::settlesAFailureThatMayHaveCommitted_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<bool>("landed");
    QTest::addColumn<QString>("outcome");
    QTest::newRow("a conflict that lost")
        << QByteArray("ICEBERG_COMMIT_ERROR") << QByteArray("Found conflicting files") << false
        << QStringLiteral("conflict");
    QTest::newRow("a conflict after all ours")
        << QByteArray("ICEBERG_COMMIT_ERROR") << QByteArray("Found conflicting files") << true
        << QStringLiteral("committed");
    QTest::newRow("killed before the commit")
        << QByteArray("ADMINISTRATIVELY_KILLED") << QByteArray("killed") << false
        << QStringLiteral("unavailable");
    QTest::newRow("killed after the commit")
        << QByteArray("ADMINISTRATIVELY_KILLED") << QByteArray("killed") << true
        << QStringLiteral("committed");
    QTest::newRow("the catalog does not know")
        << QByteArray("ICEBERG_COMMIT_ERROR")
        << QByteArray("Cannot determine whether the commit was successful or not") << false
        << QStringLiteral("commit_unknown");
}

void tst_Commit::settlesAFailureThatMayHaveCommitted()
{
    QFETCH(QByteArray, name);
    QFETCH(QByteArray, message);
    QFETCH(bool, landed);
    QFETCH(QString, outcome);
    StubTrino stub;
    stub.plan({stub.page(QStringLiteral("/q/1")), StubTrino::error(name, "EXTERNAL", message)});
    if (landed)
        stub.plan({lookAnswer(stub, kAfter, Made{8, 7, 5})});
    else
        stub.plan(
            {lookAnswer(stub, kBefore), stateAnswer(stub, "FAILED", 0), lookAnswer(stub, kBefore)});
    const auto result = commit(stub);
    QCOMPARE(result ? QStringLiteral("committed") : errorKindName(result.error().kind), outcome);
    if (result) {
        QCOMPARE(result->target, kAfter);
        QCOMPARE(result->rowsWritten, 5);
    }
    QVERIFY(stub.isDone());
}

void tst_Commit::reportsAConflictWhenAnotherCommitSlippedIn()
{
    StubTrino stub;
    stub.plan({stub.page(QStringLiteral("/q/1")), stub.page({}, counted(1)),
               lookAnswer(stub, kAfter, Made{8, 99, 1})});
    const auto result = commit(stub);
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Conflict);
    QCOMPARE(result.error().message,
             QStringLiteral(
                 "somebody else changed target iceberg.main.t while query %1 was writing to it")
                 .arg(kQueryId));
}

void tst_Commit::namesTheStateAfterItsOwnCommit()
{
    StubTrino stub;
    const TableHead later{kAfter.tableId,
                          QStringLiteral("file:///w/t/metadata/00004-d.metadata.json"), 9};
    const QString theirColumns = QStringLiteral("file:///w/t/metadata/00003-c.metadata.json");
    stub.plan({stub.page(QStringLiteral("/q/1")), stub.page({}, counted(1)),
               lookAnswer(stub, later, Made{8, 7, 1},
                          {{kBefore.token, 7}, {kAfter.token, 8}, {theirColumns, 8}})});
    const auto result = commit(stub);
    QVERIFY2(result, qPrintable(result ? QString() : result.error().text()));
    QCOMPARE(result->target, kAfter);
}

void tst_Commit::reportsAConflictWhenColumnsChangedBeforeIt()
{
    StubTrino stub;
    const TableHead later{kAfter.tableId,
                          QStringLiteral("file:///w/t/metadata/00003-c.metadata.json"), 8};
    const QString theirColumns = kAfter.token;
    stub.plan({stub.page(QStringLiteral("/q/1")), stub.page({}, counted(1)),
               lookAnswer(stub, later, Made{8, 7, 1}, {{kBefore.token, 7}, {theirColumns, 7}})});
    const auto result = commit(stub);
    QVERIFY(!result);
    QCOMPARE(result.error().kind, ErrorKind::Conflict);
}

QTEST_GUILESS_MAIN(tst_Commit)
#include "tst_commit.moc"
