#include "plugins/detector_trino/heads.h"
#include "tests/unit/trino/scripted_session.h"

#include <QRegularExpression>
#include <QTest>

using namespace ivm;
using namespace ivm::trino;

namespace {

QList<TableName> tables(int count)
{
    QList<TableName> out;
    for (int i = 0; i < count; ++i)
        out.append({QStringLiteral("c"), QStringLiteral("s"), QStringLiteral("t%1").arg(i)});
    return out;
}

QString fileOf(qint64 number)
{
    return QStringLiteral("file:///w/t%1/metadata/1.json").arg(number);
}

// The numbers of the tables that a statement asks about.
QList<qint64> asked(const QString &sql)
{
    static const QRegularExpression number(QStringLiteral("^SELECT (\\d+) AS i"),
                                           QRegularExpression::MultilineOption);
    QList<qint64> out;
    for (const auto &match : number.globalMatch(sql))
        out.append(match.captured(1).toLongLong());
    return out;
}

// Answers like Trino, except that the given tables make the statement fail.
ScriptedSession::Answer serverWith(const QList<qint64> &bad,
                                   const std::function<Error(int line)> &error)
{
    return [=](const QString &sql) -> Result<Rows> {
        Rows rows;
        const auto numbers = asked(sql);
        for (qsizetype i = 0; i < numbers.size(); ++i) {
            if (bad.contains(numbers[i]))
                return fail(error(static_cast<int>(i) + 2));
            rows.rows.push_back(rowOf(numbers[i], fileOf(numbers[i]), numbers[i] + 100));
        }
        return rows;
    };
}

QString shown(const Result<QList<Result<TableHead>>> &heads)
{
    if (!heads)
        return heads.error().text();
    QStringList out;
    for (const auto &head : *heads)
        out.append(head ? QString::number(head->snapshot.value_or(-1))
                        : errorKindName(head.error().kind));
    return out.join(u' ');
}

}  // namespace

class tst_Heads : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asksOnceForAll();
    void takesOutTheTableThatAnErrorNames();
    void findsTheTableThatNoErrorNames();
    void findsTheTableThatMayNotBeRead();
    void failsWhenNobodyAnswers_data();
    void failsWhenNobodyAnswers();
    void asksInBatches();
    void asksForFewerWhereThePlanIsTooLarge();
    void missesATableThatIsNotAnswered();
    void knowsATableWithoutSnapshots();
};

void tst_Heads::asksOnceForAll()
{
    ScriptedSession session;
    session.answer({}, serverWith({}, [](int) { return Error(); }));
    const auto heads = readHeads(session, tables(3), Call{});
    QCOMPARE(shown(heads), QStringLiteral("100 101 102"));
    QCOMPARE(session.statements().size(), 1);
    QCOMPARE(heads->at(1)->token, fileOf(1));
    QCOMPARE(heads->at(1)->tableId, QStringLiteral("file:///w/t1"));
    QVERIFY(session.statements().at(0).contains(u"FROM \"c\".\"s\".\"t1$metadata_log_entries\""));
    QVERIFY(
        session.statements().at(0).contains(u"FROM \"c\".\"s\".\"t1$refs\" WHERE name = 'main'"));
}

void tst_Heads::takesOutTheTableThatAnErrorNames()
{
    ScriptedSession session;
    session.answer(
        {}, serverWith({1, 3}, [](int line) {
            return notFoundError(QStringLiteral("Table 'x' does not exist")).at({{}, line, 15});
        }));
    const auto heads = readHeads(session, tables(5), Call{});
    QCOMPARE(shown(heads), QStringLiteral("100 not_found 102 not_found 104"));
    QCOMPARE(session.statements().size(), 3);
    QCOMPARE(heads->at(3).error().message,
             QStringLiteral("table c.s.t3 does not exist, or is not an Iceberg table"));
    QCOMPARE(heads->at(3).error().place, Place());
}

void tst_Heads::findsTheTableThatNoErrorNames()
{
    ScriptedSession session;
    session.answer({}, serverWith({5}, [](int) {
                       return corruptError(QStringLiteral("bad metadata"))
                           .withCode(u"iceberg_invalid_metadata");
                   }));
    const auto heads = readHeads(session, tables(8), Call{});
    QCOMPARE(shown(heads), QStringLiteral("100 101 102 103 104 corrupt 106 107"));
    QCOMPARE(heads->at(5).error().message, QStringLiteral("table c.s.t5: bad metadata"));
    QVERIFY(session.statements().size() <= 7);
}

void tst_Heads::findsTheTableThatMayNotBeRead()
{
    ScriptedSession session;
    session.answer(
        {}, serverWith({2}, [](int) {
            return invalidError(QStringLiteral("Access Denied")).withCode(u"permission_denied");
        }));
    const auto heads = readHeads(session, tables(4), Call{});
    QCOMPARE(shown(heads), QStringLiteral("100 101 invalid 103"));
    QCOMPARE(heads->at(2).error().message, QStringLiteral("table c.s.t2: Access Denied"));
}

void tst_Heads::failsWhenNobodyAnswers_data()
{
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<QString>("code");
    QTest::newRow("no server") << ErrorKind::Unavailable << "not_reached";
    QTest::newRow("no resources") << ErrorKind::Unavailable << "query_queue_full";
    QTest::newRow("stopped") << ErrorKind::Cancelled << "cancelled";
    QTest::newRow("out of time") << ErrorKind::Timeout << "timeout";
}

void tst_Heads::failsWhenNobodyAnswers()
{
    QFETCH(ErrorKind, kind);
    QFETCH(QString, code);
    ScriptedSession session;
    session.answer(
        {},
        Error{
            .kind = kind, .code = code, .message = QStringLiteral("no"), .place = {}, .hint = {}});
    const auto heads = readHeads(session, tables(8), Call{});
    QVERIFY(!heads);
    QCOMPARE(heads.error().kind, kind);
    QCOMPARE(session.statements().size(), 1);
}

void tst_Heads::asksInBatches()
{
    ScriptedSession session;
    session.answer({}, serverWith({}, [](int) { return Error(); }));
    const auto heads = readHeads(session, tables(2 * kHeadsPerStatement + 1), Call{});
    QCOMPARE(shown(heads).section(u' ', -1), QString::number(100 + 2 * kHeadsPerStatement));
    QCOMPARE(session.statements().size(), 3);
}

void tst_Heads::asksForFewerWhereThePlanIsTooLarge()
{
    ScriptedSession session;
    const auto server = serverWith({}, [](int) { return Error(); });
    session.answer({}, [&](const QString &sql) -> Result<Rows> {
        if (asked(sql).size() > 2)
            return fail(invalidError(QStringLiteral("Number of stages in the query (9) exceeds"))
                            .withCode(u"query_has_too_many_stages"));
        return server(sql);
    });
    QCOMPARE(shown(readHeads(session, tables(4), Call{})), QStringLiteral("100 101 102 103"));
    QCOMPARE(session.statements().size(), 3);
}

void tst_Heads::missesATableThatIsNotAnswered()
{
    ScriptedSession session;
    session.answer({}, Rows{.columns = {},
                            .rows = {rowOf(1, "file:///w/t1/metadata/1.json", 7), rowOf(9, "x", 1),
                                     rowOf(nullptr, "x", 1)}});
    const auto heads = readHeads(session, tables(2), Call{});
    QCOMPARE(shown(heads), QStringLiteral("corrupt 7"));
    QCOMPARE(heads->at(0).error().message,
             QStringLiteral("table c.s.t0: Trino names no metadata file"));
}

void tst_Heads::knowsATableWithoutSnapshots()
{
    ScriptedSession session;
    session.answer(
        {}, Rows{.columns = {}, .rows = {rowOf(0, "file:///w/t0/metadata/0.json", nullptr)}});
    const auto heads = readHeads(session, tables(1), Call{});
    QCOMPARE(shown(heads), QStringLiteral("-1"));
}

QTEST_GUILESS_MAIN(tst_Heads)
#include "tst_heads.moc"
