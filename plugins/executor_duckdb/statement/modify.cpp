// DELETE, TRUNCATE and UPDATE: changeRows() takes the affected rows out of their files.
#include "plugins/executor_duckdb/engine/temp_table.h"
#include "plugins/executor_duckdb/statement/target.h"

namespace ivm::duckdb {

namespace {

constexpr QStringView kGone = u"$gone";
constexpr QStringView kPlace = u"t.\"$path\", t.\"$row\"";

RowScope scopeOf(const iceberg::Table &table)
{
    return {.name = table.name,
            .columns = iceberg::columnsOf(table.metadata.currentSchema()),
            .alias = QStringLiteral("t")};
}

// `columns` of the rows that the condition lets through.
Result<QString> selectRows(const Target &target, const QString &columns, const sql::ExprPtr &where,
                           const Input &input)
{
    IVM_TRY(const QString rows, relationSql({target.table->metadata, target.live}, WithRow::Yes));
    const QString sql = QStringLiteral("SELECT %1 FROM %2 AS t").arg(columns, rows);
    if (!where)
        return sql;
    IVM_TRY(const auto condition, translateCondition(where, scopeOf(*target.table), input));
    return QString(sql + QStringLiteral(" WHERE ") + condition.sql);
}

Result<StatementResult> deleteRows(const sql::QualifiedName &name, const sql::ExprPtr &where,
                                   const char *updateType, const StatementContext &context)
{
    TableReader reader(context.warehouse, context.connection, context.call);
    IVM_TRY(const Target target, targetOf(name, where, reader, context));
    IVM_TRY(const QString select,
            selectRows(target, kPlace.toString(), where, context.input(reader)));
    IVM_TRY(const TempTable gone, TempTable::make(context.connection, kGone, select, context.call));
    IVM_TRY(const qint64 count,
            countOf(context.connection, QStringLiteral("SELECT count(*) FROM ") + gone.sql(),
                    context.call));
    if (count > 0)
        IVM_CHECK(changeRows(target, gone.sql(), {}, context));
    return resultOf(updateType, count, reader);
}

Result<QString> updatedColumns(const sql::Update &update, const iceberg::Table &table,
                               const Input &input)
{
    IVM_TRY(const auto assignments, assignmentsOf(update.assignments, table, input.text));
    const RowScope scope = scopeOf(table);
    QStringList columns;
    for (const auto &column : scope.columns) {
        const auto *assignment = assignments.value(column.name);
        QString value = QStringLiteral("t.") + quotedIdentifier(column.name);
        if (assignment) {
            IVM_TRY(const auto translated,
                    translateAssignment(assignment->value, column, scope, input));
            value = translated.sql;
        }
        columns.append(value + QStringLiteral(" AS ") + quotedIdentifier(column.name));
    }
    return columns.join(QStringLiteral(", "));
}

Result<StatementResult> updateRows(const sql::Update &update, const StatementContext &context)
{
    TableReader reader(context.warehouse, context.connection, context.call);
    IVM_TRY(const Target target, targetOf(update.table, update.where, reader, context));
    const Input input = context.input(reader);
    IVM_TRY(const QString columns, updatedColumns(update, *target.table, input));
    IVM_TRY(const QString select,
            selectRows(target, kPlace.toString() + QStringLiteral(", ") + columns, update.where,
                       input));
    IVM_TRY(const TempTable changed,
            TempTable::make(context.connection, kGone, select, context.call));
    IVM_TRY(const qint64 count,
            countOf(context.connection, QStringLiteral("SELECT count(*) FROM ") + changed.sql(),
                    context.call));
    const QString additions =
        QStringLiteral("SELECT %1 FROM %2").arg(columnList(*target.table), changed.sql());
    if (count > 0)
        IVM_CHECK(changeRows(target, changed.sql(), additions, context));
    return resultOf("UPDATE", count, reader);
}

}  // namespace

Result<StatementResult> runDelete(const sql::Delete &statement, const StatementContext &context)
{
    return retried(context.call,
                   [&] { return deleteRows(statement.table, statement.where, "DELETE", context); });
}

Result<StatementResult> runTruncate(const sql::TruncateTable &statement,
                                    const StatementContext &context)
{
    return retried(context.call, [&]() -> Result<StatementResult> {
        IVM_TRY(auto result, deleteRows(statement.name, {}, "TRUNCATE TABLE", context));
        result.rowsAffected = -1;
        return result;
    });
}

Result<StatementResult> runUpdate(const sql::Update &statement, const StatementContext &context)
{
    return retried(context.call, [&] { return updateRows(statement, context); });
}

}  // namespace ivm::duckdb
