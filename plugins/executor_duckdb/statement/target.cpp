#include "plugins/executor_duckdb/statement/target.h"

#include <algorithm>

namespace ivm::duckdb {

Result<const iceberg::Table *> loadTarget(const sql::QualifiedName &name, TableReader &reader,
                                          const StatementContext &context)
{
    const auto load = [&]() -> Result<const iceberg::Table *> {
        IVM_TRY(const TableName whole, wholeName(name, context.warehouse.defaults()));
        return reader.load(whole);
    };
    auto table = load();
    if (!table)
        return fail(placed(std::move(table).error(), name.span, context.text));
    return table;
}

Result<Target> targetOf(const sql::QualifiedName &name, const sql::ExprPtr &where,
                        TableReader &reader, const StatementContext &context)
{
    IVM_TRY(const auto *table, loadTarget(name, reader, context));
    IVM_TRY(auto live, reader.files(*table, table->metadata.currentSnapshotId,
                                    reader.filterOf(where, *table)));
    return Target{table, std::move(live)};
}

Status changeRows(const Target &target, const QString &gone, const QString &additions,
                  const StatementContext &context)
{
    IVM_TRY(auto rewrite,
            planRewrite(*target.table, target.live, gone, context.connection, context.call));
    NewFiles none;
    const QString select = unionOf({rewrite.survivors, additions});
    const auto order = additions.isEmpty() ? RowOrder::ByFile : RowOrder::Any;
    auto written = select.isEmpty()
                       ? Result<NewFiles>(std::move(none))
                       : writeFiles(*target.table, select, context.connection, context.call, order);
    if (!written)
        return fail(std::move(written).error());
    written->take(std::move(rewrite.deletes));
    IVM_TRY(const auto warehouse, context.warehouse.writing());
    IVM_CHECK(commitFiles(warehouse, *target.table, {.removed = rewrite.removed}, *written));
    return {};
}

Result<QMap<QString, const sql::Assignment *>>
assignmentsOf(const std::vector<sql::Assignment> &assignments, const iceberg::Table &table,
              QStringView text)
{
    QMap<QString, const sql::Assignment *> byColumn;
    for (const auto &assignment : assignments) {
        const auto *field = table.metadata.currentSchema().column(assignment.target.value);
        if (!field) {
            return fail(placed(invalidError(QStringLiteral("table %1 has no column '%2'")
                                                .arg(table.name.text(), assignment.target.value)),
                               assignment.target.span, text));
        }
        if (byColumn.contains(field->name)) {
            return fail(
                placed(invalidError(QStringLiteral("column '%1' is set twice").arg(field->name)),
                       assignment.target.span, text));
        }
        byColumn.insert(field->name, &assignment);
    }
    return byColumn;
}

Result<QList<Column>> namedColumns(const std::vector<sql::Identifier> &names,
                                   const iceberg::Table &table, QStringView text)
{
    const auto all = iceberg::columnsOf(table.metadata.currentSchema());
    if (names.empty())
        return all;
    QList<Column> named;
    for (const auto &name : names) {
        const auto column = std::ranges::find_if(
            all, [&](const Column &other) { return sql::sameName(other.name, name.value); });
        if (column == all.end()) {
            return fail(placed(invalidError(QStringLiteral("table %1 has no column '%2'")
                                                .arg(table.name.text(), name.value)),
                               name.span, text));
        }
        if (named.contains(*column)) {
            return fail(
                placed(invalidError(QStringLiteral("column '%1' is named twice").arg(column->name)),
                       name.span, text));
        }
        named.append(*column);
    }
    return named;
}

}  // namespace ivm::duckdb
