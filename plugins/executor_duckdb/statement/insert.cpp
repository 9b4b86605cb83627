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

// A query's rows as files of a table.
Result<NewFiles> writeRows(const sql::Query &query, const iceberg::Table &table,
                           const QList<Column> &named, TableReader &reader,
                           const StatementContext &context)
{
    reader.restrict(query);
    IVM_TRY(const auto translated, translateInsert(query, named, context.input(reader)));
    IVM_TRY(const QString select, rowsFor(table, named, translated));
    return writeFiles(table, select, context.connection, context.call);
}

// Rows that were written for a table and are not part of it yet.
struct Written {
    NewFiles files;
    QString uuid;
    int schemaId = 0;
    StatementResult result;

    // New rows are right on top of whatever others committed, as long as the columns are the same.
    bool fits(const iceberg::Table &table) const
    {
        return table.metadata.uuid == uuid && table.metadata.currentSchemaId == schemaId;
    }
};

Result<StatementResult> insertRows(const sql::Insert &insert, std::unique_ptr<Written> &written,
                                   const StatementContext &context)
{
    TableReader reader(context.warehouse, context.connection, context.call);
    IVM_TRY(const auto *table, loadTarget(insert.table, reader, context));
    if (!written || !written->fits(*table)) {
        written.reset();
        IVM_TRY(const auto named, namedColumns(insert.columns, *table, context.text));
        IVM_TRY(auto files, writeRows(*insert.query, *table, named, reader, context));
        const auto result = resultOf("INSERT", files.rows(), reader);
        written = std::make_unique<Written>(std::move(files), table->metadata.uuid,
                                            table->metadata.currentSchemaId, result);
    }
    IVM_TRY(const auto warehouse, context.warehouse.writing());
    IVM_CHECK(commitFiles(warehouse, *table, {}, written->files));
    return written->result;
}

}  // namespace

Result<StatementResult> runInsert(const sql::Insert &insert, const StatementContext &context)
{
    std::unique_ptr<Written> written;
    return retried(context.call, [&] { return insertRows(insert, written, context); });
}

}  // namespace ivm::duckdb
