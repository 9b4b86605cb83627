#include "framework/sqlexec/sql_session.h"

#include <QTest>

using namespace ivm;

namespace {

const TableName kTarget{QStringLiteral("iceberg"), QStringLiteral("main"), QStringLiteral("v")};
const QString kFolder = QStringLiteral("s3://w/v/metadata/");

QString metadataFile(int number)
{
    return kFolder + QStringLiteral("%1-x.json").arg(number, 5, 10, QLatin1Char('0'));
}

Value text(const QString &value) { return {value}; }

// An engine that answers what it is told, and knows one table by its log.
class ScriptedSession final : public SqlSession {
public:
    Result<StatementResult> run(const QString &sql, RowSink &sink, const Call &call) override
    {
        IVM_CHECK(call.check(u"the statement"));
        if (sql.startsWith(u"MERGE")) {
            statement = sql;
            if (!merge)
                return merge;
            head += lands ? 1 : 0;
            return merge;
        }
        if (!lookFails.message.isEmpty())
            return fail(lookFails);
        IVM_CHECK(sink.columns({}));
        for (int file = 1; file <= head + foreign; ++file)
            IVM_CHECK(sink.row(
                {text(metadataFile(file)), text(QStringLiteral("t")), {qint64(file)}, {}, {}, {}}));
        IVM_CHECK(sink.row({{}, {}, {qint64(head + foreign)}, {}, {}, {}}));
        const qint64 asked = sql.contains(u"WHERE mine")      ? mine
                             : sql.contains(u"snapshot_id =") ? head + foreign
                                                              : 0;
        if (asked > 0)
            IVM_CHECK(sink.row({{},
                                {},
                                {},
                                {asked},
                                {asked - 1},
                                {std::vector<Value>{text(QStringLiteral("added-records")),
                                                    text(QStringLiteral("2"))}}}));
        return StatementResult{};
    }

    Result<StatementResult> merge = StatementResult{
        .statementId = {}, .updateType = QStringLiteral("MERGE"), .rowsAffected = 3};
    bool lands = true;
    int head = 4;
    int foreign = 0;  // commits of others after it
    int mine = 5;     // the snapshot that a condition `mine` holds for
    Error lookFails;
    bool ended = true;
    QString condition;
    QString statement;

protected:
    Result<TableSpec> tableSpec(const TableName &name, const Call &) override
    {
        return TableSpec{.name = name, .columns = {}};
    }
    Result<bool> hasEnded(const Intent &, const Call &) override { return ended; }
    QString madeBy(const Intent &) const override { return condition; }
};

TableHead headAt(int number) { return {QStringLiteral("s3://w/v"), metadataFile(number), number}; }

Intent intent()
{
    return {.id = QStringLiteral("i"),
            .view = QStringLiteral("v"),
            .target = kTarget,
            .targetHead = headAt(4),
            .statementId = {},
            .summary = {}};
}

const Change kChange =
    ReplaceAll{{kTarget,
                {{QStringLiteral("k"), {.kind = TypeKind::Varchar}, ColumnClass::Key},
                 {QStringLiteral("n"), {.kind = TypeKind::Bigint}, ColumnClass::Exact}},
                QStringLiteral("SELECT k,\n  n FROM s")}};

Result<CommitResult> commit(ScriptedSession &session)
{
    return session.commit(kChange, intent(), [](const QString &) -> Status { return {}; }, {});
}

QString shown(const Result<Settlement> &settled)
{
    if (!settled)
        return settled.error().text();
    if (const auto *landed = std::get_if<Landed>(&*settled))
        return QStringLiteral("landed at ") + landed->target.token;
    if (const auto *unknown = std::get_if<OutcomeUnknown>(&*settled))
        return unknown->reason;
    return QStringLiteral("not landed");
}

Error engineSays(const QString &message) { return invalidError(message); }

}  // namespace

class tst_SqlSession : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void commitsWhatDiffers();
    void commitsNothingWhereNothingDiffers();
    void saysWhatBecameOfTheCommit_data();
    void saysWhatBecameOfTheCommit();
    void putsTheEnginesPlaceIntoTheQuery();
    void settlesByWhatTheTableShows_data();
    void settlesByWhatTheTableShows();
};

void tst_SqlSession::commitsWhatDiffers()
{
    ScriptedSession session;
    const auto done = commit(session);
    QVERIFY2(done, qPrintable(done ? QString() : done.error().text()));
    QVERIFY(done->committed);
    QCOMPARE(done->target, headAt(5));
    QCOMPARE(done->rowsWritten, 2);
    QCOMPARE(done->rowsDeleted, 1);
    QVERIFY(session.statement.contains(metadataFile(4)));
}

void tst_SqlSession::commitsNothingWhereNothingDiffers()
{
    ScriptedSession session;
    session.lands = false;
    session.merge->rowsAffected = 0;
    const auto done = commit(session);
    QVERIFY2(done, qPrintable(done ? QString() : done.error().text()));
    QVERIFY(!done->committed);
    QCOMPARE(done->target, headAt(4));
}

void tst_SqlSession::saysWhatBecameOfTheCommit_data()
{
    QTest::addColumn<std::function<void(ScriptedSession &)>>("world");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const std::function<void(ScriptedSession &)> &world,
                        ErrorKind kind, const QString &message) {
        QTest::newRow(name) << world << kind << message;
    };
    const auto refused = [](const QString &message) {
        return [message](ScriptedSession &session) { session.merge = fail(engineSays(message)); };
    };
    row("a stale head",
        refused(QStringLiteral("Cannot cast 'ivm stale head: s3://m.json' to BOOLEAN")),
        ErrorKind::Conflict,
        QStringLiteral("target iceberg.main.v is at s3://m.json, not at %1 any more: somebody else "
                       "changed it. The next refresh looks again. Only a view's refreshes should "
                       "write to its target")
            .arg(metadataFile(4)));
    row("a key twice",
        refused(QStringLiteral("Cannot cast 'ivm duplicate key: k = it's' to BOOLEAN")),
        ErrorKind::Invalid,
        QStringLiteral("the query gives several rows for one key (k = it's) of iceberg.main.v. "
                       "Group by the key, or declare keys that tell all rows apart"));
    row("another zone", refused(QStringLiteral("cast 'ivm time zone: Asia/Tokyo' to BOOLEAN")),
        ErrorKind::Invalid,
        QStringLiteral(
            "the engine computes in the time zone Asia/Tokyo, and the view's buckets are "
            "of UTC. Set the zone of its sessions to UTC; on Trino, take "
            "sql.forced-session-time-zone out of the cluster's configuration"));
    const QString next =
        QStringLiteral(". The next refresh finds out, and diffs the view where it cannot");
    const QString unknown =
        QStringLiteral("whether the statement changed iceberg.main.v is not known: ");
    row(
        "a lost answer",
        [](ScriptedSession &session) {
            session.merge = fail(commitUnknownError(QStringLiteral("the line is dead")));
        },
        ErrorKind::CommitUnknown, unknown + QStringLiteral("the line is dead") + next);
    row(
        "a look that fails",
        [](ScriptedSession &session) {
            session.lookFails = unavailableError(QStringLiteral("nobody answers"));
        },
        ErrorKind::CommitUnknown, unknown + QStringLiteral("nobody answers") + next);
    row(
        "rows that are not counted",
        [](ScriptedSession &session) { session.merge->rowsAffected = -1; },
        ErrorKind::CommitUnknown,
        unknown + QStringLiteral("the engine does not tell how many rows it changed") + next);
    row(
        "a head that does not move", [](ScriptedSession &session) { session.lands = false; },
        ErrorKind::CommitUnknown,
        unknown + QStringLiteral("it changed rows, and the table is where it was") + next);
    const QString leave = QStringLiteral(". The next refresh looks again. Only a view's refreshes "
                                         "should write to its target");
    row(
        "somebody after it", [](ScriptedSession &session) { session.foreign = 1; },
        ErrorKind::Conflict,
        QStringLiteral(
            "somebody else changed target iceberg.main.v while the statement was writing to it") +
            leave);
    row(
        "somebody, and nothing of ours",
        [](ScriptedSession &session) {
            session.lands = false;
            session.foreign = 1;
            session.merge->rowsAffected = 0;
        },
        ErrorKind::Conflict,
        QStringLiteral(
            "target iceberg.main.v is at %1, not at %2 any more: somebody else changed it")
                .arg(metadataFile(5), metadataFile(4)) +
            leave);
}

void tst_SqlSession::saysWhatBecameOfTheCommit()
{
    QFETCH(std::function<void(ScriptedSession &)>, world);
    QFETCH(ErrorKind, kind);
    QFETCH(QString, message);
    ScriptedSession session;
    world(session);
    const auto done = commit(session);
    QVERIFY(!done);
    QCOMPARE(done.error().text(), message);
    QCOMPARE(done.error().kind, kind);
}

void tst_SqlSession::putsTheEnginesPlaceIntoTheQuery()
{
    ScriptedSession session;
    Error error = engineSays(QStringLiteral("no such column"));
    error.place = {{}, 10, 3};
    session.merge = fail(error);
    auto done = commit(session);
    QVERIFY(!done);
    const qsizetype before =
        session.statement.first(session.statement.indexOf(u"SELECT k,\n")).count(u'\n');
    error.place.line = int(before) + 2;
    session.merge = fail(error);
    done = commit(session);
    QVERIFY(!done);
    QCOMPARE(done.error().place, (Place{{}, 2, 3}));
    QCOMPARE(done.error().message, QStringLiteral("writing iceberg.main.v: no such column"));
}

void tst_SqlSession::settlesByWhatTheTableShows_data()
{
    QTest::addColumn<int>("foreign");
    QTest::addColumn<bool>("ended");
    QTest::addColumn<QString>("condition");
    QTest::addColumn<QString>("outcome");
    const QString mine = QStringLiteral("mine = 1");
    const QString moved =
        QStringLiteral("iceberg.main.v has moved on, and the engine does not tell "
                       "which statement made a snapshot");
    const QString running = QStringLiteral("whether the statement has ended cannot be told");
    QTest::newRow("it stands, and nothing runs")
        << 0 << true << QString() << QStringLiteral("not landed");
    QTest::newRow("it stands, and something may run") << 0 << false << QString() << running;
    QTest::newRow("it moved on") << 1 << true << QString() << moved;
    QTest::newRow("it moved on, by ours")
        << 1 << true << mine << QString(QStringLiteral("landed at ") + metadataFile(5));
    QTest::newRow("by ours, and then by others")
        << 3 << true << mine << QString(QStringLiteral("landed at ") + metadataFile(5));
    QTest::newRow("it moved on, by others")
        << 1 << true << QStringLiteral("other = 1") << QStringLiteral("not landed");
    QTest::newRow("by others, and something may run")
        << 1 << false << QStringLiteral("other = 1") << running;
}

void tst_SqlSession::settlesByWhatTheTableShows()
{
    QFETCH(int, foreign);
    QFETCH(bool, ended);
    QFETCH(QString, condition);
    QFETCH(QString, outcome);
    ScriptedSession session;
    session.foreign = foreign;
    session.ended = ended;
    session.condition = condition;
    QCOMPARE(shown(session.settle(intent(), {})), outcome);
    session.mine = 6;
    if (foreign > 1)
        QCOMPARE(shown(session.settle(intent(), {})),
                 QStringLiteral("somebody else changed target iceberg.main.v while the statement "
                                "was writing to it"));
    session.lookFails = notFoundError(QStringLiteral("gone"));
    QCOMPARE(shown(session.settle(intent(), {})), QStringLiteral("not landed"));
    session.lookFails = unavailableError(QStringLiteral("nobody answers"));
    QCOMPARE(shown(session.settle(intent(), {})), QStringLiteral("nobody answers"));
}

QTEST_GUILESS_MAIN(tst_SqlSession)
#include "tst_sql_session.moc"
