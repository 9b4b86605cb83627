#include "plugins/trino_sql/session.h"

#include "framework/sqlexec/ddl.h"
#include "framework/sqlexec/table_look.h"
#include "plugins/trino_sql/at_work.h"
#include "plugins/trino_sql/commit.h"
#include "plugins/trino_sql/create_table.h"
#include "plugins/trino_sql/privileges.h"
#include "plugins/trino_sql/settle.h"
#include "plugins/trino_sql/statement.h"

namespace ivm::trino {

namespace {

// A writing statement that had started and whose end is not known.
Error unknownOutcome(const Statement &statement, const Error &error)
{
    return commitUnknownError(QStringLiteral("the outcome of query %1 is not known: %2")
                                  .arg(statement.id(), error.message))
        .withHint(u"Look at the table before running it again");
}

Error aboutTable(Error error, const TableName &name)
{
    error.place = {};
    if (error.kind == ErrorKind::NotFound)
        error.message = QStringLiteral("table %1 does not exist").arg(name.text());
    return error;
}

}  // namespace

Result<StatementResult> ClientSession::run(const QString &sql, RowSink &sink, const Call &call)
{
    Statement statement(*m_client);
    IVM_CHECK(statement.send(sql, call));
    auto result = statement.follow(sink, call);
    if (result)
        return result;
    if (onlyReads(sql) || !statement.mayHaveStarted()) {
        Error error = std::move(result).error();
        const bool lost = error.kind == ErrorKind::Unavailable && statement.lostAnAnswer();
        return fail(
            lost ? std::move(error).during(QString(QStringLiteral("query ") + statement.id()))
                 : error);
    }
    const auto &failure = statement.failure();
    // Unsupported is our own word about an answer that did arrive.
    const bool lost = !failure && result.error().kind != ErrorKind::Unsupported;
    if (lost || (failure && failure->leavesDoubt()))
        return fail(unknownOutcome(statement, result.error()));
    return result;
}

// Selecting nothing costs one statement that reads no data, and gives the types exactly. The query
// stands on lines of its own so that places in errors stay right but for one line.
Result<QList<Column>> ClientSession::describe(const QString &sql, const Call &call)
{
    QList<Column> columns;
    RowSink sink{.columns = [&](const QList<Column> &all) -> Status {
        columns = all;
        return {};
    }};
    const QString wrapped =
        QStringLiteral("SELECT * FROM (\n") + sql + QStringLiteral("\n) LIMIT 0");
    auto result = run(wrapped, sink, call);
    if (result)
        return columns;
    Error error = std::move(result).error();
    const int last = static_cast<int>(sql.count(u'\n')) + 1;
    error.place = error.place.line > 1 && error.place.line <= last + 1
                      ? Place{error.place.file, error.place.line - 1, error.place.column}
                      : Place{};
    return fail(std::move(error));
}

Result<TableInfo> ClientSession::tableInfo(const TableName &name, const Call &call)
{
    const auto shown = query(*this, QStringLiteral("SHOW CREATE TABLE ") + name.quoted(), call);
    if (!shown && shown.error().kind == ErrorKind::Unsupported)
        return fail(unsupportedError(QStringLiteral("%1 is not an Iceberg table: %2")
                                         .arg(name.text(), shown.error().message)));
    if (!shown)
        return fail(aboutTable(shown.error(), name));
    const auto *text =
        shown->rows.empty() ? nullptr : std::get_if<QString>(&shown->rows.front().front().data);
    IVM_TRY(auto table, readCreateTable(text ? *text : QString()));
    auto look = lookAtHead(*this, name, call);
    if (!look && look.error().kind == ErrorKind::NotFound)
        return fail(
            unsupportedError(QStringLiteral("%1 is not an Iceberg table").arg(name.text())));
    if (!look)
        return fail(aboutTable(std::move(look).error(), name));
    return TableInfo{.name = name,
                     .columns = table.columns,
                     .partitioning = table.partitioning,
                     .sortedBy = table.sortedBy,
                     .head = look->head,
                     .headSummary =
                         look->snapshot ? look->snapshot->summary : QMap<QString, QString>(),
                     .comment = table.comment};
}

Status ClientSession::createTable(const TableSpec &spec, const Call &call)
{
    IVM_TRY(const QString sql, createTableSql(spec));
    auto made = execute(*this, sql, call);
    const bool noSchema = !made && made.error().kind == ErrorKind::NotFound &&
                          made.error().code != u"catalog_not_found";
    if (noSchema) {
        IVM_CHECK(execute(*this, createSchemaSql(spec.name), call));
        made = execute(*this, sql, call);
    }
    // Catalogs tell of a table that somebody else made meanwhile in words of their own.
    if (!made && made.error().kind == ErrorKind::Unavailable && tableInfo(spec.name, call))
        return fail(
            alreadyExistsError(QStringLiteral("table %1 is there already").arg(spec.name.text())));
    if (!made)
        return fail(std::move(made)
                        .error()
                        .during(QString(QStringLiteral("making table ") + spec.name.text()))
                        .at({}));
    return {};
}

Status ClientSession::dropTable(const TableName &name, const Call &call)
{
    auto dropped = execute(*this, dropTableSql(name), call);
    if (!dropped)
        return fail(aboutTable(std::move(dropped).error(), name));
    return {};
}

Result<CommitResult> ClientSession::commit(const Change &change, const Intent &intent,
                                           const IntentRecorder &record, const Call &call)
{
    return commitChange(*this, *m_client, change, intent, record, call);
}

Result<QList<Error>> ClientSession::missingPrivileges(const Replacement &view,
                                                      const QList<TableName> &sources,
                                                      const Call &call)
{
    return trino::missingPrivileges(*this, view, sources, call);
}

Result<Settlement> ClientSession::settle(const Intent &intent, const Call &call)
{
    return settleIntent(*this, *m_client, intent, call);
}

Result<bool> ClientSession::isAtWork(const QString &purpose, const Call &call)
{
    return trino::isAtWork(*this, purpose, call);
}

}  // namespace ivm::trino
