#include "tests/unit/trino/target_answers.h"

#include <QTest>

using namespace ivm;
using namespace ivm::trino;

class tst_AtWork : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asksTrinosListOfStatements_data();
    void asksTrinosListOfStatements();
    void saysWhatItCouldNotLearn();
};

void tst_AtWork::asksTrinosListOfStatements_data()
{
    QTest::addColumn<QByteArray>("count");
    QTest::addColumn<bool>("atWork");
    QTest::newRow("none") << QByteArray("0") << false;
    QTest::newRow("one") << QByteArray("1") << true;
    QTest::newRow("several") << QByteArray("12") << true;
}

void tst_AtWork::asksTrinosListOfStatements()
{
    QFETCH(QByteArray, count);
    QFETCH(bool, atWork);
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    stub.plan({stub.page({}, R"("columns":[{"name":"_col0","type":"bigint"}],"data":[[)" + count +
                                 "]]")});
    const auto answer = session.isAtWork(QStringLiteral("it's"), Call{});
    QVERIFY2(answer, qPrintable(answer ? QString() : answer.error().text()));
    QCOMPARE(*answer, atWork);
    QCOMPARE(stub.requests().at(0).body,
             QByteArray("SELECT count(*) FROM system.runtime.queries AS q WHERE substr(q.query, "
                        "-21) = '\n-- iceberg-ivm: it''s' AND NOT starts_with(q.query, 'SELECT "
                        "count(*) FROM system.runtime.queries AS q WHERE') AND (q.state NOT IN "
                        "('FINISHED', 'FAILED') OR EXISTS (SELECT 1 FROM system.runtime.tasks AS t "
                        "WHERE t.query_id = q.query_id AND t.state NOT IN ('FINISHED', 'CANCELED', "
                        "'ABORTED', 'FAILED')))"));
}

void tst_AtWork::saysWhatItCouldNotLearn()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    stub.plan({StubTrino::error("PERMISSION_DENIED", "USER_ERROR", "Access Denied: no")});
    const auto answer = session.isAtWork(QStringLiteral("migration x"), Call{});
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, u"permission_denied");
    QVERIFY2(answer.error().message.startsWith(
                 u"asking whether statements of 'migration x' still run: "),
             qPrintable(answer.error().message));
}

QTEST_GUILESS_MAIN(tst_AtWork)
#include "tst_at_work.moc"
