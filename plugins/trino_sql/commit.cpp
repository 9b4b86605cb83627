#include "plugins/trino_sql/commit.h"

#include "framework/base/fail_point.h"
#include "framework/sqlexec/commit_error.h"
#include "framework/sqlexec/head.h"
#include "framework/sqlexec/table_look.h"
#include "plugins/trino_sql/settle.h"
#include "plugins/trino_sql/statement.h"

namespace ivm::trino {

namespace {

// What a commit did, as its snapshot tells.
void takeLanded(CommitResult &result, const Landed &landed)
{
    result.target = landed.target;
    result.committed = true;
    result.summary = landed.summary;
    result.rowsWritten = landed.summary.value(QStringLiteral("added-records")).toLongLong();
}

// The statement ended well: what it did, and whether it did it to the state it was meant for.
Result<CommitResult> outcome(Session &session, const StatementResult &ended, const Intent &intent,
                             const Call &call)
{
    const auto look = lookForSnapshot(session, intent.target, madeByQuery(ended.statementId), call);
    if (!look)
        return fail(unknownCommit(intent, look.error().message, ended.statementId));
    CommitResult result{
        .target = look->head, .rowsRead = ended.rowsRead, .bytesRead = ended.bytesRead};
    if (!look->snapshot) {
        if (ended.rowsAffected > 0)
            return fail(unknownCommit(intent,
                                      QStringLiteral("its snapshot is not in the table any more"),
                                      ended.statementId));
        if (!isAt(look->head, intent.targetHead))
            return fail(movedTarget(intent, look->head.token));
        result.target = intent.targetHead;
        return result;
    }
    const auto after = look->afterCommitOn(intent.targetHead);
    if (!after)
        return fail(changedMeanwhile(intent, ended.statementId));
    takeLanded(result, {*after, look->snapshot->summary});
    result.rowsDeleted = qMax<qint64>(0, ended.rowsAffected - result.rowsWritten);
    return result;
}

// The statement failed at a time when it may have committed already. `settles`: once it has ended,
// the target's history tells.
Result<CommitResult> afterDoubt(Session &session, Client &client, const Intent &intent,
                                const Error &error, bool settles, const Call &call)
{
    const auto settled = settleIntent(session, client, intent, call);
    if (!settled)
        return fail(unknownCommit(intent, error.message, intent.statementId));
    if (const auto *landed = std::get_if<Landed>(&*settled)) {
        CommitResult result;
        takeLanded(result, *landed);
        return result;
    }
    if (std::holds_alternative<OutcomeUnknown>(*settled) || !settles)
        return fail(unknownCommit(intent, error.message, intent.statementId));
    return fail(error);
}

}  // namespace

Result<CommitResult> commitChange(Session &session, Client &client, const Change &change,
                                  const Intent &intent, const IntentRecorder &record,
                                  const Call &call)
{
    IVM_TRY(const auto merge, mergeSql(change, intent.targetHead));
    Statement statement(client);
    if (const auto sent = statement.send(merge.sql, call); !sent)
        return fail(statement.failure()
                        ? refusedMerge(statement.failure()->toError(), merge, intent)
                        : sent.error());
    IVM_CHECK(failPoint(u"trino.sent"));
    if (auto recorded = record(statement.id()); !recorded)
        return fail(std::move(recorded).error().during(u"recording the intent"));

    RowSink none;
    Intent sent = intent;
    sent.statementId = statement.id();
    const auto ended = statement.follow(none, call);
    if (!ended) {
        const auto &failure = statement.failure();
        if (!failure && !statement.mayHaveStarted())
            return fail(ended.error());
        // Where only the statement's own time is over there is time to find out.
        if (!failure && ended.error().kind == ErrorKind::Timeout && call.check({}))
            return afterDoubt(session, client, sent, ended.error(), true, call);
        if (!failure)
            return fail(unknownCommit(intent, ended.error().message, statement.id()));
        const Error error = refusedMerge(failure->toError(), merge, intent);
        return failure->leavesNothing() ? fail(error)
                                        : afterDoubt(session, client, sent, error,
                                                     !failure->catalogDidNotAnswer(), call);
    }
    IVM_CHECK(failPoint(u"trino.ended"));
    return outcome(session, *ended, intent, call);
}

}  // namespace ivm::trino
