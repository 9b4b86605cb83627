#include "framework/sqlexec/sql_session.h"

#include "framework/sqlexec/commit_error.h"
#include "framework/sqlexec/ddl.h"
#include "framework/sqlexec/head.h"
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
    auto look = lookAtHead(*this, name, call);
    if (!look)
        return fail(aboutTable(std::move(look).error(), name));
    return TableInfo{.name = name,
                     .columns = spec->columns,
                     .partitioning = spec->partitioning,
                     .sortedBy = spec->sortedBy,
                     .head = look->head,
                     .headSummary =
                         look->snapshot ? look->snapshot->summary : QMap<QString, QString>(),
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
        return fail(refusedMerge(std::move(ended).error(), merge, intent));
    const auto look = lookAtHead(*this, intent.target, call);
    if (!look)
        return fail(unknownCommit(intent, look.error().message));
    CommitResult result{
        .target = intent.targetHead, .rowsRead = ended->rowsRead, .bytesRead = ended->bytesRead};
    if (ended->rowsAffected < 0)
        return fail(unknownCommit(
            intent, QStringLiteral("the engine does not tell how many rows it changed")));
    const bool stands = isAt(look->head, intent.targetHead);
    if (ended->rowsAffected == 0) {
        if (!stands)
            return fail(movedTarget(intent, look->head.token));
        return result;
    }
    if (stands)
        return fail(unknownCommit(
            intent, QStringLiteral("it changed rows, and the table is where it was")));
    const auto after = look->afterCommitOn(intent.targetHead);
    if (!after)
        return fail(changedMeanwhile(intent));
    result.target = *after;
    result.committed = true;
    result.summary = look->snapshot->summary;
    const qint64 added = summaryNumber(result.summary, u"added-records");
    result.rowsWritten = qMin(added, ended->rowsAffected);
    result.rowsDeleted = qMax<qint64>(0, ended->rowsAffected - result.rowsWritten);
    return result;
}

Result<Settlement> SqlSession::settle(const Intent &intent, const Call &call)
{
    const QString told = madeBy(intent);
    const QString condition = told.isEmpty() ? QStringLiteral("FALSE") : told;
    bool ended = false;
    for (const bool wait : {false, true}) {
        if (wait) {
            IVM_TRY(ended, hasEnded(intent, call));
        }
        const auto look = lookForSnapshot(*this, intent.target, condition, call);
        if (!look && look.error().kind == ErrorKind::NotFound)
            return NotLanded{};
        if (!look)
            return fail(look.error());
        if (look->snapshot) {
            const auto after = look->afterCommitOn(intent.targetHead);
            if (!after)
                return OutcomeUnknown{changedMeanwhile(intent).message};
            return Landed{*after, look->snapshot->summary};
        }
        if (wait && ended && (!told.isEmpty() || isAt(look->head, intent.targetHead)))
            return NotLanded{};
    }
    return OutcomeUnknown{
        ended ? QStringLiteral("%1 has moved on, and the engine does not tell which statement made "
                               "a snapshot")
                    .arg(intent.target.text())
              : QStringLiteral("whether the statement has ended cannot be told")};
}

}  // namespace ivm
