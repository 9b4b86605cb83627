#include "plugins/trino_sql/settle.h"

#include "framework/base/log.h"
#include "framework/sqlexec/commit_error.h"
#include "framework/sqlexec/table_look.h"

#include <algorithm>

namespace ivm::trino {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{1000};
// Trino gives up on a query without a client after five minutes by default; a call without a
// deadline waits for twice that.
constexpr std::chrono::minutes kLongestWait{10};

struct QueryState {
    bool known = false;  // to the coordinator that was asked
    bool ended = false;  // and no task of it runs any more
    bool terminal = false;
    QString coordinator;  // the part of query ids that names one run of a coordinator
};

// 20260101_120000_00042_abcde: the last part differs each time a coordinator starts. Trino's
// `QueryIdGenerator`.
QString coordinatorOf(const QString &statementId) { return statementId.section(u'_', -1); }

QString stateSql(const QString &statementId)
{
    return QStringLiteral("SELECT q.state, (SELECT count(*) FROM system.runtime.tasks AS t WHERE "
                          "t.query_id = %1 "
                          "AND t.state NOT IN ('FINISHED', 'CANCELED', 'ABORTED', 'FAILED'))\n"
                          "FROM system.runtime.queries AS q WHERE q.query_id = %1")
        .arg(quotedLiteral(statementId));
}

Result<QueryState> askState(Session &session, const QString &statementId, const Call &call)
{
    QueryState state;
    RowSink sink{.row = [&](Row &&row) -> Status {
        const QString word = row[0].text();
        state.known = true;
        state.terminal = word == u"FINISHED" || word == u"FAILED";
        state.ended = state.terminal && row[1] == Value{qint64(0)};
        return {};
    }};
    IVM_TRY(const auto result, session.run(stateSql(statementId), sink, call));
    state.coordinator = coordinatorOf(result.statementId);
    return state;
}

// Does not matter if it fails: the query may have ended in between, or only an administrator may
// kill it.
void kill(Session &session, const QString &statementId, const Call &call)
{
    const QString sql =
        QStringLiteral("CALL system.runtime.kill_query(query_id => %1, message => 'settled')")
            .arg(quotedLiteral(statementId));
    if (const auto killed = execute(session, sql, call); !killed)
        qCInfo(logExecutor).noquote()
            << "query" << statementId
            << "is waited for, since it cannot be killed:" << killed.error().message;
}

// Waits until the statement cannot do anything any more. Nothing, or why that cannot be told.
Result<std::optional<QString>> waitForEnd(Session &session, Client &client, const Intent &intent,
                                          const Call &call)
{
    const auto end = steady_clock::now() + kLongestWait;
    bool killed = false;
    for (milliseconds pause = kFirstPause; steady_clock::now() < end;
         pause = std::min(pause * 2, kLongestPause)) {
        const auto asked = askState(session, intent.statementId, call);
        if (!asked && asked.error().code == u"permission_denied")
            return std::optional(
                QStringLiteral("query %1 cannot be followed, since system.runtime may not be read")
                    .arg(intent.statementId));
        IVM_TRY(const QueryState state, asked);
        // A coordinator forgets only queries that have ended, and never knew one that was not
        // started.
        if (!state.known && state.coordinator == coordinatorOf(intent.statementId))
            return std::optional<QString>();
        if (!state.known)
            return std::optional(
                QStringLiteral(
                    "query %1 ran on a coordinator that has been restarted, or on another one")
                    .arg(intent.statementId));
        if (state.ended)
            return std::optional<QString>();
        if (!state.terminal && !std::exchange(killed, true))
            kill(session, intent.statementId, call);
        IVM_CHECK(client.pause(pause, call));
    }
    return std::optional(QStringLiteral("query %1 does not end").arg(intent.statementId));
}

// The commit as the target's history shows it; nothing when it is not there.
Result<std::optional<Settlement>> landing(Session &session, const Intent &intent, const Call &call)
{
    const auto look =
        lookForSnapshot(session, intent.target, madeByQuery(intent.statementId), call);
    if (!look && look.error().kind == ErrorKind::NotFound)
        return std::optional<Settlement>();
    if (!look)
        return fail(look.error());
    if (!look->snapshot)
        return std::optional<Settlement>();
    const auto after = look->afterCommitOn(intent.targetHead);
    if (!after)
        return std::optional<Settlement>(
            OutcomeUnknown{changedMeanwhile(intent, intent.statementId).message});
    return std::optional<Settlement>(Landed{*after, look->snapshot->summary});
}

}  // namespace

QString madeByQuery(const QString &statementId)
{
    return QStringLiteral("element_at(summary, 'trino_query_id') = ") + quotedLiteral(statementId);
}

Result<Settlement> settleIntent(Session &session, Client &client, const Intent &intent,
                                const Call &call)
{
    // The id is recorded before a statement can start.
    if (intent.statementId.isEmpty())
        return NotLanded{};
    IVM_TRY(auto landed, landing(session, intent, call));
    if (landed)
        return *landed;
    IVM_TRY(const auto doubt, waitForEnd(session, client, intent, call));
    IVM_TRY(landed, landing(session, intent, call));
    if (landed)
        return *landed;
    if (doubt)
        return OutcomeUnknown{*doubt};
    return NotLanded{};
}

}  // namespace ivm::trino
