// INSERT: rows become new files.
#include "plugins/executor_duckdb/statement/statement.h"

#include <QSet>

namespace ivm::duckdb {

namespace {

StatementResult resultOf(const char *updateType, qint64 rows, const TableReader &reader)
{
    const auto counts = reader.counts();
    return {.statementId = {},
            .updateType = QString::fromLatin1(updateType),
            .rowsAffected = rows,
            .rowsRead = counts.rows,
            .bytesRead = counts.bytes};
}

// The table's columns that an INSERT names, in its order; all when it names none.
Result<QList<Column>> namedColumns(const sql::Insert &insert, const iceberg::Table &table,
                                   QStringView text)
{
    const auto all = iceberg::columnsOf(table.metadata.currentSchema());
    if (insert.columns.empty())
        return all;
    QList<Column> named;
    for (const auto &name : insert.columns) {
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

// The translated rows with the table's columns around them; what was not named is NULL.
Result<QString> rowsFor(const iceberg::Table &table, const QList<Column> &named,
                        const TranslatedQuery &rows)
{
    QStringList positions;
    QHash<QString, QString> values;
    for (qsizetype i = 0; i < named.size(); ++i) {
        positions.append(QStringLiteral("v%1").arg(i));
        values.insert(named[i].name, positions.back());
    }
    QStringList columns;
    for (const auto &column : iceberg::columnsOf(table.metadata.currentSchema())) {
        IVM_TRY(const QString type, duckdbType(column.type));
        const QString value = values.value(column.name, QStringLiteral("NULL"));
        columns.append(
            QStringLiteral("CAST(%1 AS %2) AS %3").arg(value, type, quotedIdentifier(column.name)));
    }
    return QStringLiteral("SELECT %1 FROM (%2) AS v(%3)")
        .arg(columns.join(QStringLiteral(", ")), rows.sql, positions.join(QStringLiteral(", ")));
}

// Appends a query's rows to a table; how many they are.
Result<qint64> append(const sql::Query &query, const iceberg::Table &table,
                      const QList<Column> &named, TableReader &reader,
                      const StatementContext &context)
{
    reader.restrict(query);
    IVM_TRY(const auto translated, translateInsert(query, named, {context.text, reader}));
    IVM_TRY(const QString select, rowsFor(table, named, translated));
    IVM_TRY(NewFiles files, writeFiles(table, select, context.connection, context.call));
    const qint64 rows = files.rows();
    IVM_TRY(const auto warehouse, context.warehouse.writing());
    // New rows are right on top of whatever others commit meanwhile.
    IVM_CHECK(commitFiles(warehouse, table, {.onConflict = iceberg::OnConflict::Retry}, files));
    return rows;
}

}  // namespace

Result<StatementResult> runInsert(const sql::Insert &insert, const StatementContext &context)
{
    TableReader reader(context.warehouse, context.connection, context.call);
    const auto load = [&]() -> Result<const iceberg::Table *> {
        IVM_TRY(const TableName name, wholeName(insert.table, context.warehouse.defaults()));
        return reader.load(name);
    };
    auto table = load();
    if (!table)
        return fail(placed(std::move(table).error(), insert.table.span, context.text));
    IVM_TRY(const auto named, namedColumns(insert, **table, context.text));
    IVM_TRY(const qint64 rows, append(*insert.query, **table, named, reader, context));
    return resultOf("INSERT", rows, reader);
}

}  // namespace ivm::duckdb
