#include "framework/sqlexec/commit_error.h"

#include "framework/sqlexec/head.h"

namespace ivm {

namespace {

constexpr QStringView kLeaveItAlone =
    u"The next refresh looks again. Only a view's refreshes should write to its target";

// What an error's message says behind a mark of ours, as far as the engine's own words around it.
QString behindMark(const QString &message, QStringView mark)
{
    const QString text = message.sliced(message.indexOf(mark) + mark.size());
    const qsizetype end = text.lastIndexOf(u'\'');
    return end < 0 ? text : text.first(end);
}

QString named(const QString &statementId)
{
    return statementId.isEmpty() ? QStringLiteral("the statement")
                                 : QString(QStringLiteral("query ") + statementId);
}

}  // namespace

Error refusedMerge(Error error, const MergeStatement &statement, const Intent &intent,
                   const QString &statementId)
{
    if (error.message.contains(kStaleHeadMark))
        return movedTarget(intent, behindMark(error.message, kStaleHeadMark));
    if (error.message.contains(kWrongZoneMark))
        return invalidError(QStringLiteral("the engine computes in the time zone %1, and the "
                                           "view's buckets are of UTC")
                                .arg(behindMark(error.message, kWrongZoneMark)))
            .withCode(u"time_zone")
            .withHint(u"Set the zone of its sessions to UTC; on Trino, take "
                      u"sql.forced-session-time-zone out of the cluster's configuration");
    if (error.message.contains(kDuplicateKeyMark))
        return invalidError(
                   QStringLiteral("the query gives several rows for one key (%1) of %2")
                       .arg(behindMark(error.message, kDuplicateKeyMark), intent.target.text()))
            .withCode(u"duplicate_key")
            .withHint(u"Group by the key, or declare keys that tell all rows apart");
    if (error.kind == ErrorKind::CommitUnknown)
        return unknownCommit(intent, error.message, statementId);
    error.place = statement.placeInQuery(error.place).value_or(Place{});
    return std::move(error).during(QString(QStringLiteral("writing ") + intent.target.text()));
}

Error movedTarget(const Intent &intent, const QString &found)
{
    const TableHead &head = intent.targetHead;
    const QString expected = !head.token.isEmpty() ? head.token
                             : head.snapshot       ? QString::number(*head.snapshot)
                                                   : QStringLiteral("no snapshot");
    return conflictError(
               QStringLiteral("target %1 is at %2, not at %3 any more: somebody else changed it")
                   .arg(intent.target.text(), found, expected))
        .withHint(kLeaveItAlone);
}

Error changedMeanwhile(const Intent &intent, const QString &statementId)
{
    return conflictError(
               QStringLiteral("somebody else changed target %1 while %2 was writing to it")
                   .arg(intent.target.text(), named(statementId)))
        .withHint(kLeaveItAlone);
}

Error unknownCommit(const Intent &intent, const QString &why, const QString &statementId)
{
    return commitUnknownError(QStringLiteral("whether %1 changed %2 is not known: %3")
                                  .arg(named(statementId), intent.target.text(), why))
        .withHint(u"The next refresh finds out, and diffs the view where it cannot");
}

}  // namespace ivm
