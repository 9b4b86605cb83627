// INSERT: rows become new files.
#include "plugins/executor_duckdb/statement/target.h"

namespace ivm::duckdb {

namespace {

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
    IVM_TRY(const auto *table, loadTarget(insert.table, reader, context));
    IVM_TRY(const auto named, namedColumns(insert.columns, *table, context.text));
    IVM_TRY(const qint64 rows, append(*insert.query, *table, named, reader, context));
    return resultOf("INSERT", rows, reader);
}

}  // namespace ivm::duckdb
