#include "tests/unit/trino/target_answers.h"

#include <QTest>

using namespace ivm;
using namespace ivm::trino;

namespace {

QString shown(const Result<Settlement> &settled)
{
    if (!settled)
        return errorKindName(settled.error().kind) + QStringLiteral(": ") + settled.error().message;
    if (const auto *landed = std::get_if<Landed>(&*settled))
        return QStringLiteral("landed at ") + landed->target.token;
    if (const auto *unknown = std::get_if<OutcomeUnknown>(&*settled))
        return QStringLiteral("unknown: ") + unknown->reason;
    return QStringLiteral("not landed");
}

}  // namespace

class tst_Settle : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asksNobodyAboutAStatementThatWasNeverSent();
    void tellsTheOutcome_data();
    void tellsTheOutcome();
    void killsAStatementThatStillRuns();
    void endsAtTheDeadline();
};

void tst_Settle::asksNobodyAboutAStatementThatWasNeverSent()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    Intent intent = exampleIntent();
    intent.statementId.clear();
    QCOMPARE(shown(session.settle(intent, Call{})), QStringLiteral("not landed"));
    QVERIFY(stub.requests().isEmpty());
}

void tst_Settle::tellsTheOutcome_data()
{
    QTest::addColumn<QList<StubReply>>("replies");
    QTest::addColumn<QString>("outcome");
    StubTrino stub;
    const StubReply nothing = lookAnswer(stub, kBefore);
    const StubReply made = lookAnswer(stub, kAfter, Made{8, 7});
    const StubReply noTable = StubTrino::error("TABLE_NOT_FOUND", "USER_ERROR", "no table");
    const QByteArray other = "20260101_000100_00001_after";
    const QString landed = QStringLiteral("landed at ") + kAfter.token;
    const QString restarted =
        QStringLiteral(
            "unknown: query %1 ran on a coordinator that has been restarted, or on another one")
            .arg(kQueryId);

    QTest::newRow("landed") << QList{made} << landed;
    QTest::newRow("landed on top of another's commit")
        << QList{lookAnswer(stub, kAfter, Made{8, 99})}
        << QStringLiteral("unknown: somebody else changed target iceberg.main.t while query %1 was "
                          "writing to it")
               .arg(kQueryId);
    QTest::newRow("failed") << QList{nothing, stateAnswer(stub, "FAILED", 0), nothing}
                            << QStringLiteral("not landed");
    QTest::newRow("finished without a difference")
        << QList{nothing, stateAnswer(stub, "FINISHED", 0), nothing}
        << QStringLiteral("not landed");
    QTest::newRow("landed between the looks")
        << QList{nothing, stateAnswer(stub, "FINISHED", 0), made} << landed;
    QTest::newRow("failed while a task still works, which commits")
        << QList{nothing, stateAnswer(stub, "FAILED", 1), stateAnswer(stub, "FAILED", 0), made}
        << landed;
    QTest::newRow("never started, or long ago")
        << QList{nothing, stateAnswer(stub, {}, 0), nothing} << QStringLiteral("not landed");
    QTest::newRow("the coordinator is another one")
        << QList{nothing, stateAnswer(stub, {}, 0, other), nothing} << restarted;
    QTest::newRow("the coordinator is another one, but it landed")
        << QList{nothing, stateAnswer(stub, {}, 0, other), made} << landed;
    QTest::newRow("the queries may not be seen")
        << QList{nothing, StubTrino::error("PERMISSION_DENIED", "USER_ERROR", "no"), nothing}
        << QStringLiteral(
               "unknown: query %1 cannot be followed, since system.runtime may not be read")
               .arg(kQueryId);
    QTest::newRow("the table is gone")
        << QList{noTable, stateAnswer(stub, "FAILED", 0), noTable} << QStringLiteral("not landed");
}

void tst_Settle::tellsTheOutcome()
{
    QFETCH(QList<StubReply>, replies);
    QFETCH(QString, outcome);
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    stub.plan(replies);
    QCOMPARE(shown(session.settle(exampleIntent(), Call{})), outcome);
    QVERIFY(stub.isDone());
}

void tst_Settle::killsAStatementThatStillRuns()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    const StubReply nothing = lookAnswer(stub, kBefore);
    const StubReply killed = stub.page({}, R"("updateType":"CALL")");
    stub.plan({nothing, stateAnswer(stub, "RUNNING", 3), killed, stateAnswer(stub, "RUNNING", 3),
               stateAnswer(stub, "FAILED", 0), nothing});
    QCOMPARE(shown(session.settle(exampleIntent(), Call{})), QStringLiteral("not landed"));
    QVERIFY(stub.isDone());
    QCOMPARE(stub.requests().at(2).body, "CALL system.runtime.kill_query(query_id => '" +
                                             kQueryId.toUtf8() + "', message => 'settled')");

    StubTrino denying;
    TrinoSession other(stubOptions(denying.url()));
    denying.plan({nothing, stateAnswer(denying, "RUNNING", 3),
                  StubTrino::error("PERMISSION_DENIED", "USER_ERROR", "no"),
                  stateAnswer(denying, "FINISHED", 0), lookAnswer(denying, kAfter, Made{8, 7})});
    QCOMPARE(shown(other.settle(exampleIntent(), Call{})),
             QString(QStringLiteral("landed at ") + kAfter.token));
}

void tst_Settle::endsAtTheDeadline()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    stub.plan({lookAnswer(stub, kBefore)});
    for (int i = 0; i < 50; ++i)
        stub.plan({stateAnswer(stub, "RUNNING", 1)});
    const Call call{.stop = {},
                    .deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(200)};
    QCOMPARE(shown(session.settle(exampleIntent(), call)).section(u':', 0, 0),
             QStringLiteral("timeout"));
}

QTEST_GUILESS_MAIN(tst_Settle)
#include "tst_settle.moc"
