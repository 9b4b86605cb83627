// What others did to clusters, and clusters to others, on the way between them: each test is named
// by the case's number. What a real server can show is in tests/cases.
#include "tests/unit/trino/stub_session.h"

#include <QTest>

using namespace ivm;
using namespace ivm::trino;

namespace {

const QString kWrite = QStringLiteral("INSERT INTO t SELECT 1");
const QByteArray kRow = R"("columns":[{"name":"n","type":"bigint"}],"data":[[1]])";
const QByteArray kCount = R"("updateType":"INSERT","updateCount":3)";
const StubReply kGone{.status = 204};

StubReply status(int code) { return {.status = code, .body = "not now"}; }

}  // namespace

class tst_CasesProtocol : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void case_C056_refusedAtFirst();
    void case_C056_droppedAfterItWasTaken();
    void case_C056_busyWhileItRuns_data();
    void case_C056_busyWhileItRuns();
    void case_C056_lostForGood_data();
    void case_C056_lostForGood();
    void case_C056_busyForEver();
};

// treasure-data/trino-client-ruby#159, trinodb/trino-python-client#87: a POST was sent again and
// the statement ran twice; or the first 502 of a balancer was taken for the end.
void tst_CasesProtocol::case_C056_refusedAtFirst()
{
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.patience.retryFor = std::chrono::seconds(5);
    TrinoSession session(options);
    stub.plan({status(503), status(503), stub.page(QStringLiteral("/q/1")), stub.page({}, kCount)});
    const auto done = execute(session, kWrite, Call{});
    QVERIFY2(done, qPrintable(done ? QString() : done.error().text()));
    QCOMPARE(done->rowsAffected, 3);
}

// The design lets a POST be sent again, whose statement the server has taken: none starts before it
// is asked for its first answer, and only the second is.
void tst_CasesProtocol::case_C056_droppedAfterItWasTaken()
{
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.patience.retryFor = std::chrono::seconds(5);
    TrinoSession session(options);
    stub.plan({{.fault = StubReply::CutBefore},
               stub.page(QStringLiteral("/second/1")),
               stub.page({}, kCount)});
    const auto done = execute(session, kWrite, Call{});
    QVERIFY2(done, qPrintable(done ? QString() : done.error().text()));
    QCOMPARE(stub.lines(),
             QStringList({QStringLiteral("POST /v1/statement"),
                          QStringLiteral("POST /v1/statement"), QStringLiteral("GET /second/1")}));
}

void tst_CasesProtocol::case_C056_busyWhileItRuns_data()
{
    QTest::addColumn<StubReply>("fault");
    QTest::newRow("502") << status(502);
    QTest::newRow("503") << status(503);
    QTest::newRow("504") << status(504);
    StubReply slow = status(429);
    slow.headers = {{"Retry-After", "0"}};
    QTest::newRow("429") << slow;
    QTest::newRow("reset") << StubReply{.fault = StubReply::CutBefore};
    QTest::newRow("reset within the body")
        << StubReply{.body = "{\"id\":\"q\",\"data\":[[1],", .fault = StubReply::CutWithin};
}

void tst_CasesProtocol::case_C056_busyWhileItRuns()
{
    QFETCH(StubReply, fault);
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.patience.retryFor = std::chrono::seconds(5);
    TrinoSession session(options);
    stub.plan({stub.page(QStringLiteral("/q/1")), stub.page(QStringLiteral("/q/2"), kRow), fault,
               fault, stub.page({}, kRow)});
    QCOMPARE(shown(query(session, QStringLiteral("SELECT n FROM t"), Call{})),
             QStringLiteral("1;1"));
    QCOMPARE(stub.lines().count(QStringLiteral("GET /q/2")), 3);
    QCOMPARE(stub.lines().count(QStringLiteral("POST /v1/statement")), 1);
}

void tst_CasesProtocol::case_C056_lostForGood_data()
{
    QTest::addColumn<int>("code");
    for (const int code : {404, 410, 500})
        QTest::addRow("%d", code) << code;
}

void tst_CasesProtocol::case_C056_lostForGood()
{
    QFETCH(int, code);
    StubTrino stub;
    TrinoOptions options = stubOptions(stub.url());
    options.patience.retryFor = std::chrono::seconds(60);
    TrinoSession session(options);
    stub.plan({stub.page(QStringLiteral("/q/1")), status(code), kGone});
    const auto done = execute(session, kWrite, Call{});
    QVERIFY(!done);
    QCOMPARE(done.error().kind, ErrorKind::CommitUnknown);
    QVERIFY2(done.error().message.contains(u"20260101_000000_00001_stubs"),
             qPrintable(done.error().message));
    QCOMPARE(stub.lines(),
             QStringList({QStringLiteral("POST /v1/statement"), QStringLiteral("GET /q/1"),
                          QStringLiteral("DELETE /q/1")}));
}

void tst_CasesProtocol::case_C056_busyForEver()
{
    StubTrino stub;
    TrinoSession session(stubOptions(stub.url()));
    stub.plan({stub.page(QStringLiteral("/q/1"))});
    stub.plan(QList<StubReply>(100, status(503)));
    const auto done = execute(session, kWrite, Call{});
    QVERIFY(!done);
    QCOMPARE(done.error().kind, ErrorKind::CommitUnknown);
    QCOMPARE(stub.lines().count(QStringLiteral("POST /v1/statement")), 1);
}

QTEST_GUILESS_MAIN(tst_CasesProtocol)
#include "tst_cases_protocol.moc"
