// Views of the embedded engine over a table that Trino and PyIceberg write too.
#include "tests/e2e/history/history_test.h"
#include "tests/interop/iceberg/peer.h"

#include <QRegularExpression>
#include <QTemporaryDir>
#include <QUuid>

using namespace ivm;
using namespace ivm::test;

class tst_HistoriesMixed : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyViewEqualsItsQuery();
};

namespace {

Status answered(const QJsonObject &answer)
{
    if (answer.contains(u"error"))
        return fail(internalError(answer.value(u"error").toString()));
    return {};
}

// PyIceberg knows no SQL: it makes a change of the statement's kind. What is asked afterwards is
// whether the views are their queries, whatever the change was.
Writer pyIceberg(Peer &peer)
{
    const auto change = [&peer, next = 1'000'000](const QString &table,
                                                  const QString &sql) mutable {
        QJsonObject arguments{{QStringLiteral("table"), table}};
        if (sql.startsWith(u"DELETE")) {
            arguments.insert(QStringLiteral("where"), sql.section(QStringLiteral(" WHERE "), 1));
            return answered(peer.ask(QStringLiteral("delete"), arguments));
        }
        arguments.insert(QStringLiteral("first"), next += 1'000);
        return answered(peer.ask(sql.startsWith(u"INSERT") ? QStringLiteral("append_copies")
                                                           : QStringLiteral("overwrite_letter"),
                                 arguments));
    };
    const auto takes = [](const QString &sql) {
        static const QRegularExpression simple(QStringLiteral(
            "^(INSERT |UPDATE |DELETE FROM @ WHERE (k = '.'|v = \\d+|ts IS NULL)$)"));
        return simple.match(sql).hasMatch();
    };
    return {QStringLiteral("PyIceberg"), {}, takes, change};
}

Writer trinoWriter(Session &session)
{
    return {QStringLiteral("Trino"), QStringLiteral("embedded"),
            [](const QString &) { return true; },
            [&session](const QString &, const QString &sql) -> Status {
                IVM_CHECK(execute(session, sql, {}));
                return {};
            }};
}

}  // namespace

void tst_HistoriesMixed::everyViewEqualsItsQuery()
{
    const QString warehouse = qEnvironmentVariable("IVM_TEST_EMBEDDED");
    QVERIFY2(!warehouse.isEmpty(), "IVM_TEST_EMBEDDED is not set: start a Trino with "
                                   "tests/trino/up and load the env file it names");
    QTemporaryDir folder;
    const QString schema =
        QStringLiteral("mixed_") + QUuid::createUuid().toString(QUuid::Id128).left(8);
    auto host = TestHost::embedded(warehouse, folder.filePath(QStringLiteral("state.db")));
    auto trino = TestHost::trino(QStringLiteral("embedded"), schema,
                                 folder.filePath(QStringLiteral("unused.db")));
    const auto session = host.executor().openSession({}, Call{});
    const auto trinoSession = trino.executor().openSession({}, Call{});
    QVERIFY(session && trinoSession);
    Peer peer;
    const QString problem = peer.start(warehouse);
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    QVERIFY(execute(**session, QStringLiteral("CREATE SCHEMA %1").arg(schema), {}));
    playHistories({.services = host.services(),
                   .defaults = {QStringLiteral("iceberg"), schema, {}},
                   .others = {trinoWriter(**trinoSession), pyIceberg(peer)},
                   .formatV1 = FormatV1::Sometimes},
                  isNightly() ? HistoryBudget{40, 20, 3'000} : HistoryBudget{6, 10, 200});
    QVERIFY(execute(**session, QStringLiteral("DROP SCHEMA %1").arg(schema), {}));
}

QTEST_GUILESS_MAIN(tst_HistoriesMixed)
#include "tst_histories_mixed.moc"
