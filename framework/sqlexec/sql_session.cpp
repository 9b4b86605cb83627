#include "framework/sqlexec/sql_session.h"

#include "framework/sqlexec/ddl.h"
#include "framework/sqlexec/head.h"
#include "framework/sqlexec/merge.h"
#include "framework/sqlexec/table_look.h"

namespace ivm {

namespace {

Error aboutTable(Error error, const TableName &name)
{
    error.place = {};
    if (error.kind == ErrorKind::NotFound)
        error.message = QStringLiteral("table %1 does not exist").arg(name.text());
    return error;
}

// What an error's message says behind a mark of ours, as far as the engine's own words around it.
QString behindMark(const QString &message, QStringView mark)
{
    const QString text = message.sliced(message.indexOf(mark) + mark.size());
    const qsizetype end = text.lastIndexOf(u'\'');
    return end < 0 ? text : text.first(end);
}

Error unknownOutcome(const Intent &intent, const QString &why)
{
    return commitUnknownError(QStringLiteral("whether the statement changed %1 is not known: %2")
                                  .arg(intent.target.text(), why))
        .withHint(u"The next refresh finds out, and diffs the view where it cannot");
}

// A refusal of the statement, in terms of the change.
Error refusal(Error error, const MergeStatement &statement, const Intent &intent)
{
    if (error.message.contains(kStaleHeadMark))
        return movedTarget(intent, behindMark(error.message, kStaleHeadMark));
    if (error.message.contains(kWrongZoneMark))
        return invalidError(QStringLiteral("the engine computes in the time zone %1, and the "
                                           "view's buckets are of UTC")
                                .arg(behindMark(error.message, kWrongZoneMark)))
            .withCode(u"time_zone")
            .withHint(u"Set the zone of its sessions to UTC");
    if (error.message.contains(kDuplicateKeyMark))
        return invalidError(
                   QStringLiteral("the query gives several rows for one key (%1) of %2")
                       .arg(behindMark(error.message, kDuplicateKeyMark), intent.target.text()))
            .withCode(u"duplicate_key")
            .withHint(u"Group by the key, or declare keys that tell all rows apart");
    if (error.kind == ErrorKind::CommitUnknown)
        return unknownOutcome(intent, error.message);
    error.place = statement.placeInQuery(error.place).value_or(Place{});
    return std::move(error).during(QString(QStringLiteral("writing ") + intent.target.text()));
}

// Whether the newest state is the one that a commit on `expected` made, and no other's.
bool isNextAfter(const TableLook &look, const TableHead &expected)
{
    return look.main && look.main->parent == expected.snapshot &&
           (expected.token.isEmpty() || look.before == expected.token);
}

qint64 summaryNumber(const QMap<QString, QString> &summary, QStringView key)
{
    return summary.value(key.toString()).toLongLong();
}

}  // namespace

// Selecting nothing reads no data and gives the types exactly. The query stands on lines of its own
// so that places in errors stay right but for one line.
Result<QList<Column>> SqlSession::describe(const QString &sql, const Call &call)
{
    auto result = query(
        *this, QStringLiteral("SELECT * FROM (\n") + sql + QStringLiteral("\n) LIMIT 0"), call);
    if (result)
        return result->columns;
    Error error = std::move(result).error();
    const int last = static_cast<int>(sql.count(u'\n')) + 1;
    error.place = error.place.line > 1 && error.place.line <= last + 1
                      ? Place{error.place.file, error.place.line - 1, error.place.column}
                      : Place{};
    return fail(std::move(error));
}

Result<TableInfo> SqlSession::tableInfo(const TableName &name, const Call &call)
{
    auto spec = tableSpec(name, call);
    if (!spec)
        return fail(aboutTable(std::move(spec).error(), name));
    auto look = lookAtTable(*this, name, {}, call);
    if (!look)
        return fail(aboutTable(std::move(look).error(), name));
    return TableInfo{.name = name,
                     .columns = spec->columns,
                     .partitioning = spec->partitioning,
                     .sortedBy = spec->sortedBy,
                     .head = look->head,
                     .headSummary = look->main ? look->main->summary : QMap<QString, QString>(),
                     .comment = spec->comment};
}

Status SqlSession::createTable(const TableSpec &spec, const Call &call)
{
    IVM_TRY(const QString sql, createTableSql(spec, tableProperties()));
    auto made = execute(*this, sql, call);
    if (!made && made.error().kind == ErrorKind::NotFound) {
        IVM_CHECK(execute(*this, createSchemaSql(spec.name), call));
        made = execute(*this, sql, call);
    }
    if (made)
        return {};
    Error error = std::move(made).error();
    error.place = {};
    return fail(
        std::move(error).during(QString(QStringLiteral("making table ") + spec.name.text())));
}

Status SqlSession::dropTable(const TableName &name, const Call &call)
{
    auto dropped = execute(*this, dropTableSql(name), call);
    if (!dropped)
        return fail(aboutTable(std::move(dropped).error(), name));
    return {};
}

Result<CommitResult> SqlSession::commit(const Change &change, const Intent &intent,
                                        const IntentRecorder &, const Call &call)
{
    IVM_TRY(const auto merge, mergeSql(change, intent.targetHead, dialect()));
    auto ended = execute(*this, merge.sql, call);
    if (!ended)
        return fail(refusal(std::move(ended).error(), merge, intent));
    const auto look = lookAtTable(*this, intent.target, {}, call);
    if (!look)
        return fail(unknownOutcome(intent, look.error().message));
    CommitResult result{
        .target = intent.targetHead, .rowsRead = ended->rowsRead, .bytesRead = ended->bytesRead};
    if (ended->rowsAffected < 0)
        return fail(unknownOutcome(
            intent, QStringLiteral("the engine does not tell how many rows it changed")));
    const bool stands = isAt(look->head, intent.targetHead);
    if (ended->rowsAffected == 0) {
        if (!stands)
            return fail(movedTarget(intent, look->head.token));
        return result;
    }
    if (stands)
        return fail(unknownOutcome(
            intent, QStringLiteral("it changed rows, and the table is where it was")));
    if (!isNextAfter(*look, intent.targetHead))
        return fail(conflictError(QStringLiteral("somebody else changed target %1 while it was "
                                                 "written to")
                                      .arg(intent.target.text()))
                        .withHint(kLeaveItAlone));
    result.target = look->head;
    result.committed = true;
    result.summary = look->main->summary;
    const qint64 added = summaryNumber(result.summary, u"added-records");
    result.rowsWritten = qMin(added, ended->rowsAffected);
    result.rowsDeleted = qMax<qint64>(0, ended->rowsAffected - result.rowsWritten);
    return result;
}

Result<Settlement> SqlSession::settle(const Intent &intent, const Call &call)
{
    const QString condition = madeBy(intent);
    bool ended = false;
    for (const bool wait : {false, true}) {
        if (wait) {
            IVM_TRY(ended, hasEnded(intent, call));
        }
        const auto look = lookAtTable(*this, intent.target, condition, call);
        if (!look && look.error().kind == ErrorKind::NotFound)
            return NotLanded{};
        if (!look)
            return fail(look.error());
        if (look->wanted && look->wanted->id == look->head.snapshot)
            return Landed{look->head, look->wanted->summary};
        if (look->wanted)
            return Landed{{look->head.tableId, QString(), look->wanted->id}, look->wanted->summary};
        if (wait && ended && (!condition.isEmpty() || isAt(look->head, intent.targetHead)))
            return NotLanded{};
    }
    return OutcomeUnknown{
        ended ? QStringLiteral("%1 has moved on, and the engine does not tell which statement made "
                               "a snapshot")
                    .arg(intent.target.text())
              : QStringLiteral("whether the statement has ended cannot be told")};
}

}  // namespace ivm
