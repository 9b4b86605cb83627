// DELETE, TRUNCATE and UPDATE: the files that hold affected rows are written again.
#include "plugins/executor_duckdb/engine/temp_table.h"
#include "plugins/executor_duckdb/statement/statement.h"

#include <QSet>

namespace ivm::duckdb {

namespace {

constexpr QStringView kGone = u"$gone";
constexpr QStringView kPlace = u"t.\"$path\", t.\"$row\"";

// A table whose rows a statement changes, as it is now.
struct Target {
    const iceberg::Table *table;
    iceberg::LiveFiles live;  // those that may hold rows that the condition lets through
};

Result<Target> targetOf(const sql::QualifiedName &name, const sql::ExprPtr &where,
                        TableReader &reader, const StatementContext &context)
{
    const auto load = [&]() -> Result<const iceberg::Table *> {
        IVM_TRY(const TableName whole, wholeName(name, context.warehouse.defaults()));
        return reader.load(whole);
    };
    auto table = load();
    if (!table)
        return fail(placed(std::move(table).error(), name.span, context.text));
    IVM_TRY(auto live, reader.files(**table, (*table)->metadata.currentSnapshotId,
                                    reader.filterOf(where, **table)));
    return Target{*table, std::move(live)};
}

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

// Takes the rows of `gone` out, puts those of `additions` in; one snapshot.
Status replaceRows(const Target &target, const TempTable &gone, const QString &additions,
                   const StatementContext &context)
{
    IVM_TRY(const auto rewrite,
            planRewrite(*target.table, target.live, gone.sql(), context.connection, context.call));
    NewFiles none;
    const QString select = unionOf({rewrite.survivors, additions});
    auto written = select.isEmpty()
                       ? Result<NewFiles>(std::move(none))
                       : writeFiles(*target.table, select, context.connection, context.call);
    if (!written)
        return fail(std::move(written).error());
    IVM_TRY(const auto warehouse, context.warehouse.writing());
    IVM_CHECK(commitFiles(warehouse, *target.table, {.removed = rewrite.removed}, *written));
    return {};
}

StatementResult resultOf(const char *updateType, qint64 rows, const TableReader &reader)
{
    const auto counts = reader.counts();
    return {.statementId = {},
            .updateType = QString::fromLatin1(updateType),
            .rowsAffected = rows,
            .rowsRead = counts.rows,
            .bytesRead = counts.bytes};
}

Result<StatementResult> deleteRows(const sql::QualifiedName &name, const sql::ExprPtr &where,
                                   const char *updateType, const StatementContext &context)
{
    TableReader reader(context.warehouse, context.connection, context.call);
    IVM_TRY(const Target target, targetOf(name, where, reader, context));
    IVM_TRY(const QString select,
            selectRows(target, kPlace.toString(), where, {context.text, reader}));
    IVM_TRY(const TempTable gone, TempTable::make(context.connection, kGone, select, context.call));
    IVM_TRY(const qint64 count,
            countOf(context.connection, QStringLiteral("SELECT count(*) FROM ") + gone.sql(),
                    context.call));
    if (count > 0)
        IVM_CHECK(replaceRows(target, gone, {}, context));
    return resultOf(updateType, count, reader);
}

// SET x = …, by column; a column once at most.
Result<QMap<QString, const sql::Assignment *>>
assignmentsOf(const sql::Update &update, const iceberg::Table &table, QStringView text)
{
    QMap<QString, const sql::Assignment *> assignments;
    for (const auto &assignment : update.assignments) {
        const auto *field = table.metadata.currentSchema().column(assignment.target.value);
        if (!field) {
            return fail(placed(invalidError(QStringLiteral("table %1 has no column '%2'")
                                                .arg(table.name.text(), assignment.target.value)),
                               assignment.target.span, text));
        }
        if (assignments.contains(field->name)) {
            return fail(
                placed(invalidError(QStringLiteral("column '%1' is set twice").arg(field->name)),
                       assignment.target.span, text));
        }
        assignments.insert(field->name, &assignment);
    }
    return assignments;
}

Result<QString> updatedColumns(const sql::Update &update, const iceberg::Table &table,
                               const Input &input)
{
    IVM_TRY(const auto assignments, assignmentsOf(update, table, input.text));
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
    const Input input{context.text, reader};
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
        IVM_CHECK(replaceRows(target, changed, additions, context));
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
