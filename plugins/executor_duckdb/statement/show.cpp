// SHOW TABLES, SHOW SCHEMAS, DESCRIBE.
#include "plugins/executor_duckdb/statement/ddl.h"
#include "plugins/executor_duckdb/table/table_reader.h"

#include <QRegularExpression>

namespace ivm::duckdb {

namespace {

// LIKE: % for any text, _ for any character.
Result<QRegularExpression> patternOf(const std::optional<sql::ShowPattern> &like)
{
    if (!like)
        return QRegularExpression(QStringLiteral(".*"));
    if (like->escape && like->escape->size() != 1)
        return fail(invalidError(
            QStringLiteral("ESCAPE takes one character, not '%1'").arg(*like->escape)));
    QString expression;
    for (qsizetype i = 0; i < like->pattern.size(); ++i) {
        QChar c = like->pattern[i];
        const bool escaped =
            like->escape && c == like->escape->front() && i + 1 < like->pattern.size();
        if (escaped)
            c = like->pattern[++i];
        if (!escaped && c == u'%')
            expression += QStringLiteral(".*");
        else if (!escaped && c == u'_')
            expression += u'.';
        else
            expression += QRegularExpression::escape(QString(c));
    }
    return QRegularExpression(QRegularExpression::anchoredPattern(expression),
                              QRegularExpression::DotMatchesEverythingOption);
}

Column textColumn(const char *name)
{
    return {.name = QString::fromLatin1(name), .type = {.kind = TypeKind::Varchar}};
}

Result<StatementResult> send(const QList<Column> &columns, const QList<QStringList> &rows,
                             RowSink &sink)
{
    IVM_CHECK(sink.columns(columns));
    for (const auto &texts : rows) {
        Row row;
        for (const QString &text : texts)
            row.push_back(Value{text});
        IVM_CHECK(sink.row(std::move(row)));
    }
    return StatementResult{};
}

// Nothing is there before there is a warehouse.
template <typename T>
Result<T> orEmpty(Result<T> found)
{
    if (!found && found.error().code == u"no_warehouse")
        return T{};
    return found;
}

}  // namespace

Result<StatementResult> runShowTables(const sql::ShowTables &statement, WarehouseFolder &warehouse,
                                      RowSink &sink)
{
    QString schema = warehouse.defaults().schema;
    if (statement.schema) {
        IVM_TRY(schema, schemaName(*statement.schema, warehouse.defaults()));
    }
    IVM_TRY(const auto pattern, patternOf(statement.like));
    const auto list = [&]() -> Result<QList<iceberg::CatalogEntry>> {
        IVM_TRY(const auto open, warehouse.reading());
        IVM_TRY(const auto schemas, open.catalog.schemas());
        if (!schemas.contains(schema))
            return fail(notFoundError(QStringLiteral("schema '%1' does not exist").arg(schema)));
        return open.catalog.list(schema);
    };
    IVM_TRY(const auto entries, orEmpty(list()));
    QList<QStringList> rows;
    for (const auto &entry : entries) {
        if (pattern.match(entry.name.table).hasMatch())
            rows.append({entry.name.table});
    }
    return send({textColumn("Table")}, rows, sink);
}

Result<StatementResult> runShowSchemas(const sql::ShowSchemas &statement,
                                       WarehouseFolder &warehouse, RowSink &sink)
{
    if (statement.catalog && statement.catalog->value.toLower() != warehouse.defaults().catalog)
        return fail(notFoundError(
            QStringLiteral("catalog '%1' does not exist").arg(statement.catalog->value)));
    IVM_TRY(const auto pattern, patternOf(statement.like));
    const auto list = [&]() -> Result<QStringList> {
        IVM_TRY(const auto open, warehouse.reading());
        return open.catalog.schemas();
    };
    IVM_TRY(const auto schemas, orEmpty(list()));
    QList<QStringList> rows;
    for (const QString &schema : schemas) {
        if (pattern.match(schema).hasMatch())
            rows.append({schema});
    }
    return send({textColumn("Schema")}, rows, sink);
}

Result<StatementResult> runShowColumns(const sql::ShowColumns &statement,
                                       WarehouseFolder &warehouse, RowSink &sink)
{
    IVM_TRY(const TableName name, wholeName(statement.table, warehouse.defaults()));
    IVM_TRY(const auto pattern, patternOf(statement.like));
    IVM_TRY(const auto open, warehouse.reading());
    IVM_TRY(const auto table, iceberg::loadTable(open, name));
    QList<QStringList> rows;
    for (const auto &column : iceberg::columnsOf(table.metadata.currentSchema())) {
        if (pattern.match(column.name).hasMatch())
            rows.append({column.name, column.type.text(), QStringLiteral(""), column.comment});
    }
    return send(
        {textColumn("Column"), textColumn("Type"), textColumn("Extra"), textColumn("Comment")},
        rows, sink);
}

}  // namespace ivm::duckdb
