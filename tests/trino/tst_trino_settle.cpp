#include "tests/trino/real_trino.h"

#include "plugins/trino_sql/statement.h"

#include "framework/sqlexec/merge.h"

#include <thread>

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

const QString kNotLanded = QStringLiteral("not landed");

// Yields a thousand rows after a time that no test waits for.
const QString kSlow = QStringLiteral("SELECT CAST(a.orderkey % 1000 AS varchar), count(*) FROM "
                                     "tpch.sf100.lineitem a CROSS JOIN tpch.sf1.orders b "
                                     "GROUP BY 1");
const QString kQuick = QStringLiteral("SELECT name, count(*) FROM tpch.tiny.nation GROUP BY 1");

}  // namespace

class tst_TrinoSettle : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void findsACommitThatLanded();
    void knowsThatNothingDiffered();
    void knowsThatAStatementNeverStarted();
    void killsAStatementThatStillRuns();
    void findsACommitThatLandedAfterWeGaveUp();
    void doubtsACommitOnTopOfAnother();
    void tellsACommitFromWhatFollowedIt();
    void doubtsACommitOnOtherColumns();
    void doubtsWhatItMayNotFollow();
    void doesNotKnowAQueryOfAnotherCoordinator();
    void cancellingStopsTheQueryOnTheServer();
    void refusesAnotherTimeZone();

private:
    Replacement replacement(const QString &name, const QString &query)
    {
        return {m_trino.table(name),
                {{QStringLiteral("k"), {.kind = TypeKind::Varchar}, ColumnClass::Key},
                 {QStringLiteral("n"), {.kind = TypeKind::Bigint}, ColumnClass::Exact}},
                query};
    }

    Intent intent(const QString &name)
    {
        return {.id = QStringLiteral("i"),
                .view = QStringLiteral("v"),
                .target = m_trino.table(name),
                .targetHead = m_trino.head(name),
                .statementId = {},
                .summary = {}};
    }

    QString make(const QString &name)
    {
        return m_trino.problem(QStringLiteral("CREATE TABLE %1 (k varchar, n bigint)").arg(name));
    }

    QString state(const QString &queryId)
    {
        return m_trino
            .rows(QStringLiteral("SELECT state FROM system.runtime.queries WHERE query_id = '%1'")
                      .arg(queryId))
            .value(0);
    }

    // Waits until the query is in one of the states, or gives up after a while; the state it is in.
    QString waitForState(const QString &queryId, const QStringList &states)
    {
        QString now;
        for (int i = 0; i < 600 && !states.contains(now); ++i) {
            QTest::qWait(50);  // lint: allow sleep: the server tells no event; 600 looks
            now = state(queryId);
        }
        return now;
    }

    // Sends a change's statement and asks for its start, without following it to its end.
    QString start(const Change &change, const TableHead &head)
    {
        const auto merge = mergeSql(change, head);
        // Kept, since one that goes away in good order takes its statement with it.
        m_client = realClient(realOptions(m_trino.schema()));
        auto page = m_client->post(merge ? merge->sql : QString(), Call{});
        const QString id = page ? page->id : QString();
        for (int i = 0; i < 50 && page && !page->nextUri.isEmpty() && page->state != u"RUNNING";
             ++i)
            page = m_client->get(page->nextUri, Call{});
        return page && !page->error ? id : QString();
    }

    RealTrino m_trino;
    std::unique_ptr<Client> m_client;
};

void tst_TrinoSettle::initTestCase() { QCOMPARE(m_trino.open(), QString()); }

void tst_TrinoSettle::cleanupTestCase() { m_trino.close(); }

void tst_TrinoSettle::findsACommitThatLanded()
{
    QCOMPARE(make(QStringLiteral("landed")), QString());
    Intent intent = this->intent(QStringLiteral("landed"));
    const auto result = m_trino.session().commit(
        ReplaceAll{replacement(QStringLiteral("landed"), kQuick)}, intent,
        [&](const QString &id) -> Status {
            intent.statementId = id;
            return {};
        },
        Call{});
    QVERIFY2(result, qPrintable(result ? QString() : result.error().text()));
    QCOMPARE(shown(m_trino.session().settle(intent, Call{})),
             QString(QStringLiteral("landed at ") + result->target.token));
    QCOMPARE(m_trino.problem(QStringLiteral("INSERT INTO landed VALUES ('later', 1)")), QString());
    QCOMPARE(shown(m_trino.session().settle(intent, Call{})),
             QString(QStringLiteral("landed at ") + result->target.token));
}

void tst_TrinoSettle::knowsThatNothingDiffered()
{
    QCOMPARE(make(QStringLiteral("same")), QString());
    Intent intent = this->intent(QStringLiteral("same"));
    const QString none = QStringLiteral("SELECT name, nationkey FROM tpch.tiny.nation WHERE false");
    const auto result = m_trino.session().commit(
        ReplaceAll{replacement(QStringLiteral("same"), none)}, intent,
        [&](const QString &id) -> Status {
            intent.statementId = id;
            return {};
        },
        Call{});
    QVERIFY(result && !result->committed);
    QCOMPARE(shown(m_trino.session().settle(intent, Call{})), kNotLanded);
}

void tst_TrinoSettle::knowsThatAStatementNeverStarted()
{
    QCOMPARE(make(QStringLiteral("unstarted")), QString());
    Intent intent = this->intent(QStringLiteral("unstarted"));
    const auto merge =
        mergeSql(ReplaceAll{replacement(QStringLiteral("unstarted"), kQuick)}, intent.targetHead);
    QVERIFY(merge);
    const auto client = realClient(realOptions(m_trino.schema()));
    const auto page = client->post(merge->sql, Call{});
    QVERIFY(page);
    intent.statementId = page->id;
    QCOMPARE(shown(m_trino.session().settle(intent, Call{})), kNotLanded);
    QCOMPARE(m_trino.rows(QStringLiteral("SELECT count(*) FROM unstarted")),
             QStringList(QStringLiteral("0")));
    QVERIFY(client->cancel(page->nextUri));
}

void tst_TrinoSettle::killsAStatementThatStillRuns()
{
    QCOMPARE(make(QStringLiteral("killed")), QString());
    Intent intent = this->intent(QStringLiteral("killed"));
    intent.statementId =
        start(ReplaceAll{replacement(QStringLiteral("killed"), kSlow)}, intent.targetHead);
    QVERIFY(!intent.statementId.isEmpty());
    QVERIFY(state(intent.statementId) != u"FAILED");
    QCOMPARE(shown(m_trino.session().settle(intent, Call{})), kNotLanded);
    QCOMPARE(state(intent.statementId), QStringLiteral("FAILED"));
    QCOMPARE(
        m_trino.rows(
            QStringLiteral(
                "SELECT count(*) FROM system.runtime.tasks WHERE query_id = '%1' AND state NOT IN "
                "('FINISHED', 'CANCELED', 'ABORTED', 'FAILED')")
                .arg(intent.statementId)),
        QStringList(QStringLiteral("0")));
    QCOMPARE(m_trino.head(QStringLiteral("killed")), intent.targetHead);
}

// Its client is gone, and it commits all the same.
void tst_TrinoSettle::findsACommitThatLandedAfterWeGaveUp()
{
    QCOMPARE(make(QStringLiteral("late")), QString());
    Intent intent = this->intent(QStringLiteral("late"));
    intent.statementId =
        start(ReplaceAll{replacement(QStringLiteral("late"), kQuick)}, intent.targetHead);
    QVERIFY(!intent.statementId.isEmpty());
    waitForState(intent.statementId, {QStringLiteral("FINISHING"), QStringLiteral("FINISHED")});
    for (int i = 0; i < 600 && m_trino.head(QStringLiteral("late")) == intent.targetHead; ++i)
        QTest::qWait(50);  // lint: allow sleep: the server tells no event; 600 looks
    QCOMPARE(shown(m_trino.session().settle(intent, Call{})),
             QString(QStringLiteral("landed at ") + m_trino.head(QStringLiteral("late")).token));
}

// A plain INSERT conflicts with nothing, so it can come between the look at the head and the
// commit.
void tst_TrinoSettle::doubtsACommitOnTopOfAnother()
{
    QCOMPARE(make(QStringLiteral("topped")), QString());
    Intent intent = this->intent(QStringLiteral("topped"));
    const auto insert =
        execute(m_trino.session(), QStringLiteral("INSERT INTO topped VALUES ('a', 1)"), Call{});
    QVERIFY(insert);
    const auto second =
        execute(m_trino.session(), QStringLiteral("INSERT INTO topped VALUES ('b', 1)"), Call{});
    QVERIFY(second);
    intent.statementId = second->statementId;
    QCOMPARE(shown(m_trino.session().settle(intent, Call{})),
             QStringLiteral("unknown: somebody else changed target iceberg.%1.topped while query "
                            "%2 was writing to it")
                 .arg(m_trino.schema(), second->statementId));
}

// The columns of a table change without a snapshot: the state of the commit is the one before.
void tst_TrinoSettle::tellsACommitFromWhatFollowedIt()
{
    QCOMPARE(make(QStringLiteral("followed")), QString());
    Intent intent = this->intent(QStringLiteral("followed"));
    const auto result = m_trino.session().commit(
        ReplaceAll{replacement(QStringLiteral("followed"), kQuick)}, intent,
        [&](const QString &id) -> Status {
            intent.statementId = id;
            return {};
        },
        Call{});
    QVERIFY2(result, qPrintable(result ? QString() : result.error().text()));
    QCOMPARE(m_trino.problem({QStringLiteral("ALTER TABLE followed DROP COLUMN n"),
                              QStringLiteral("ALTER TABLE followed ADD COLUMN n bigint")}),
             QString());
    const TableHead now = m_trino.head(QStringLiteral("followed"));
    QCOMPARE(now.snapshot, result->target.snapshot);
    QVERIFY(now.token != result->target.token);
    QCOMPARE(shown(m_trino.session().settle(intent, Call{})),
             QString(QStringLiteral("landed at ") + result->target.token));
}

void tst_TrinoSettle::doubtsACommitOnOtherColumns()
{
    QCOMPARE(make(QStringLiteral("altered")), QString());
    Intent intent = this->intent(QStringLiteral("altered"));
    QCOMPARE(m_trino.problem(QStringLiteral("ALTER TABLE altered ADD COLUMN more bigint")),
             QString());
    const auto insert = execute(m_trino.session(),
                                QStringLiteral("INSERT INTO altered VALUES ('a', 1, 1)"), Call{});
    QVERIFY2(insert, qPrintable(insert ? QString() : insert.error().text()));
    intent.statementId = insert->statementId;
    QCOMPARE(shown(m_trino.session().settle(intent, Call{})),
             QStringLiteral("unknown: somebody else changed target iceberg.%1.altered while query "
                            "%2 was writing to it")
                 .arg(m_trino.schema(), insert->statementId));
}

// Whoever may not see the cluster's queries cannot wait for one, and must not wait for ever.
void tst_TrinoSettle::doubtsWhatItMayNotFollow()
{
    QCOMPARE(make(QStringLiteral("unseen")), QString());
    Intent intent = this->intent(QStringLiteral("unseen"));
    intent.statementId = QStringLiteral("20260101_000000_00001_other");
    auto options = realOptions(m_trino.schema());
    options.user = QStringLiteral("ivm-partial");
    const auto executor = realExecutor(options);
    const auto session = executor->openSession({}, Call{});
    QCOMPARE(shown((*session)->settle(intent, Call{})),
             QStringLiteral("unknown: query 20260101_000000_00001_other cannot be followed, since "
                            "system.runtime may not be read"));
}

void tst_TrinoSettle::doesNotKnowAQueryOfAnotherCoordinator()
{
    QCOMPARE(make(QStringLiteral("foreign_query")), QString());
    Intent intent = this->intent(QStringLiteral("foreign_query"));
    intent.statementId = QStringLiteral("20260101_000000_00001_other");
    QCOMPARE(shown(m_trino.session().settle(intent, Call{})),
             QStringLiteral("unknown: query 20260101_000000_00001_other ran on a coordinator that "
                            "has been restarted, or on another one"));
}

void tst_TrinoSettle::cancellingStopsTheQueryOnTheServer()
{
    std::stop_source stop;
    Result<StatementResult> result = fail(internalError(QStringLiteral("not run")));
    std::jthread worker([&] {
        const auto session = m_trino.executor().openSession({}, Call{});
        result = execute(**session, kSlow, Call{.stop = stop.get_token(), .deadline = {}});
    });
    const QString running = QStringLiteral("SELECT query_id FROM system.runtime.queries WHERE "
                                           "source = 'ivm-test-%1' AND state = 'RUNNING' "
                                           "AND query = '%2'")
                                .arg(m_trino.schema(), kSlow);
    QStringList ids;
    for (int i = 0; i < 600 && ids.isEmpty(); ++i) {
        QTest::qWait(50);  // lint: allow sleep: the server tells no event; 600 looks
        ids = m_trino.rows(running);
    }
    QCOMPARE(ids.size(), 1);
    stop.request_stop();
    worker.join();
    QVERIFY(!result);
    QCOMPARE(errorKindName(result.error().kind), QStringLiteral("cancelled"));
    QCOMPARE(waitForState(ids[0], {QStringLiteral("FAILED")}), QStringLiteral("FAILED"));
}

// As a cluster with sql.forced-session-time-zone does it to every session.
void tst_TrinoSettle::refusesAnotherTimeZone()
{
    QCOMPARE(make(QStringLiteral("zoned")), QString());
    auto options = realOptions(m_trino.schema());
    options.sessionProperties.insert(QStringLiteral("time_zone_id"),
                                     QStringLiteral("America/New_York"));
    const auto executor = realExecutor(options);
    const auto session = executor->openSession({}, Call{});
    const Intent intent = this->intent(QStringLiteral("zoned"));
    const auto refused = (*session)->commit(
        ReplaceAll{replacement(QStringLiteral("zoned"), kQuick)}, intent,
        [](const QString &) -> Status { return {}; }, Call{});
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::Invalid);
    QCOMPARE(refused.error().code, QStringLiteral("time_zone"));
    QCOMPARE(refused.error().message,
             QStringLiteral("the engine computes in the time zone America/New_York, and the view's "
                            "buckets are of UTC"));
    QCOMPARE(m_trino.head(QStringLiteral("zoned")), intent.targetHead);
}

QTEST_GUILESS_MAIN(tst_TrinoSettle)
#include "tst_trino_settle.moc"
