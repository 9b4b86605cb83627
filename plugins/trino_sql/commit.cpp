#include "plugins/trino_sql/commit.h"

#include "framework/base/fail_point.h"
#include "framework/sqlexec/head.h"
#include "framework/sqlexec/merge.h"
#include "plugins/trino_sql/settle.h"
#include "plugins/trino_sql/statement.h"
#include "plugins/trino_sql/target_look.h"

namespace ivm::trino {

namespace {

// What an error's message says behind a mark of ours, as far as Trino's own words around it.
QString behindMark(const QString &message, QStringView mark)
{
    QString text = message.sliced(message.indexOf(mark) + mark.size());
    const qsizetype end = text.lastIndexOf(u"' to BOOLEAN", -1, Qt::CaseInsensitive);
    return end < 0 ? text : text.first(end);
}

Error unknownOutcome(const Intent &intent, const QString &statementId, const QString &why)
{
    return commitUnknownError(QStringLiteral("whether query %1 changed %2 is not known: %3")
                                  .arg(statementId, intent.target.text(), why))
        .withHint(u"The next refresh finds out, and diffs the view where it cannot");
}

// A refusal of the statement, in terms of the change.
Error refusal(const TrinoError &failure, const MergeStatement &statement, const Intent &intent)
{
    if (failure.message.contains(kStaleHeadMark))
        return movedTarget(intent, behindMark(failure.message, kStaleHeadMark));
    if (failure.message.contains(kWrongZoneMark))
        return invalidError(QStringLiteral("Trino computes in the time zone %1, and the view's "
                                           "buckets are of UTC")
                                .arg(behindMark(failure.message, kWrongZoneMark)))
            .withCode(u"time_zone")
            .withHint(u"Take sql.forced-session-time-zone out of the cluster's configuration, or "
                      u"set it to UTC");
    if (failure.message.contains(kDuplicateKeyMark))
        return invalidError(
                   QStringLiteral("the query gives several rows for one key (%1) of %2")
                       .arg(behindMark(failure.message, kDuplicateKeyMark), intent.target.text()))
            .withCode(u"duplicate_key")
            .withHint(u"Group by the key, or declare keys that tell all rows apart");
    Error error = failure.toError();
    error.place = statement.placeInQuery(failure.place).value_or(Place{});
    return std::move(error).during(QString(QStringLiteral("writing ") + intent.target.text()));
}

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
    const auto looked = lookForCommit(session, intent.target, ended.statementId, call);
    if (!looked)
        return fail(unknownOutcome(intent, ended.statementId, looked.error().message));
    const TargetLook &look = *looked;
    CommitResult result{
        .target = look.head, .rowsRead = ended.rowsRead, .bytesRead = ended.bytesRead};
    if (!look.snapshot) {
        if (ended.rowsAffected > 0)
            return fail(
                unknownOutcome(intent, ended.statementId,
                               QStringLiteral("its snapshot is not in the table any more")));
        if (!isAt(look.head, intent.targetHead))
            return fail(movedTarget(intent, look.head.token));
        result.target = intent.targetHead;
        return result;
    }
    const auto after = headAfter(session, intent, look, call);
    if (!after)
        return fail(unknownOutcome(intent, ended.statementId, after.error().message));
    if (!*after)
        return fail(
            conflictError(QStringLiteral("somebody else changed target %1 while query %2 was "
                                         "writing to it")
                              .arg(intent.target.text(), ended.statementId))
                .withHint(kLeaveItAlone));
    takeLanded(result, {**after, look.snapshot->summary});
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
        return fail(unknownOutcome(intent, intent.statementId, error.message));
    if (const auto *landed = std::get_if<Landed>(&*settled)) {
        CommitResult result;
        takeLanded(result, *landed);
        return result;
    }
    if (std::holds_alternative<OutcomeUnknown>(*settled) || !settles)
        return fail(unknownOutcome(intent, intent.statementId, error.message));
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
        return fail(statement.failure() ? refusal(*statement.failure(), merge, intent)
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
            return fail(unknownOutcome(intent, statement.id(), ended.error().message));
        const Error error = refusal(*failure, merge, intent);
        return failure->leavesNothing() ? fail(error)
                                        : afterDoubt(session, client, sent, error,
                                                     !failure->catalogDidNotAnswer(), call);
    }
    IVM_CHECK(failPoint(u"trino.ended"));
    return outcome(session, *ended, intent, call);
}

}  // namespace ivm::trino
