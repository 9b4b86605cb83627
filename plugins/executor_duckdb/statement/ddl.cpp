#include "plugins/executor_duckdb/statement/ddl.h"

#include "framework/base/log.h"
#include "plugins/executor_duckdb/table/table_reader.h"

#include <QDir>
#include <QRegularExpression>

namespace ivm::duckdb {

namespace {

StatementResult done(const char *updateType)
{
    return {.statementId = {}, .updateType = QString::fromLatin1(updateType)};
}

// Trino's Iceberg connector keeps names in lower case, quoted ones too.
Result<QList<Column>> storedColumns(const QList<Column> &columns)
{
    QList<Column> stored;
    for (Column column : columns) {
        auto type = iceberg::storedType(column.type);
        if (!type)
            return fail(
                std::move(type).error().during(QStringLiteral("column '%1'").arg(column.name)));
        column.type = type->type;
        column.name = column.name.toLower();
        stored.append(std::move(column));
    }
    return stored;
}

Result<QList<Column>> definedColumns(const sql::CreateTable &statement, QStringView text)
{
    QList<Column> columns;
    for (const auto &element : statement.elements) {
        const auto *definition = std::get_if<sql::ColumnDefinition>(&element);
        if (!definition) {
            return fail(
                unsupportedError(
                    QStringLiteral("LIKE in CREATE TABLE is not supported by the embedded engine"))
                    .withHint(u"Write the columns out")
                    .at(sql::placeOf(text, std::get<sql::LikeClause>(element).span.begin)));
        }
        if (!definition->properties.empty()) {
            return fail(unsupportedError(
                            QStringLiteral(
                                "properties of a column are not supported by the embedded engine"))
                            .at(sql::placeOf(text, definition->span.begin)));
        }
        IVM_TRY(const Type type, boundType(definition->type, text));
        columns.append({.name = definition->name.last().value,
                        .type = type,
                        .nullable = !definition->notNull,
                        .comment = definition->comment.value_or(QString())});
    }
    return columns;
}

// Why the folder of a dropped table is not to be removed: only one that we named ourselves is
// certainly the table's own, and even there another entry of the catalog may point into it.
std::optional<QString> reasonToKeep(const QString &folder, const WarehouseFolder &warehouse,
                                    iceberg::Catalog &catalog)
{
    static const QRegularExpression ours(QStringLiteral("/[^/]+-[0-9a-f]{32}$"));
    if (!folder.startsWith(QDir::cleanPath(warehouse.folder()) + u'/'))
        return QStringLiteral("it is outside of the warehouse");
    if (!ours.match(folder).hasMatch())
        return QStringLiteral("another program named it");
    const auto tables = tablesIn(folder, catalog);
    if (!tables)
        return tables.error().message;
    if (!tables->isEmpty())
        return QStringLiteral("table %1 is in it").arg(tables->first().text());
    return {};
}

void removeFiles(const iceberg::Table &table, const WarehouseFolder &warehouse,
                 iceberg::Catalog &catalog)
{
    const auto path = localPath(table.metadata.location);
    const QString folder = path ? QDir::cleanPath(*path) : QString();
    if (const auto why = reasonToKeep(folder, warehouse, catalog))
        qCWarning(logExecutor, "the files of dropped table %s stay in %s: %s",
                  qPrintable(table.name.text()), qPrintable(table.metadata.location),
                  qPrintable(*why));
    else if (!QDir(folder).removeRecursively())
        qCWarning(logExecutor, "files of dropped table %s are left in %s",
                  qPrintable(table.name.text()), qPrintable(folder));
}

}  // namespace

Result<QList<TableName>> tablesIn(const QString &folder, iceberg::Catalog &catalog)
{
    IVM_TRY(const auto entries, catalog.list());
    const QString inside = QDir::cleanPath(folder) + u'/';
    QList<TableName> found;
    for (const auto &entry : entries) {
        const auto metadata = localPath(entry.metadataLocation);
        if (metadata && QDir::cleanPath(*metadata).startsWith(inside))
            found.append(entry.name);
    }
    return found;
}

Result<QString> schemaName(const sql::QualifiedName &name, const TableName &defaults)
{
    if (name.parts.size() > 2)
        return fail(invalidError(QStringLiteral("a schema's name has one or two parts")));
    if (name.parts.size() == 2 && name.parts[0].value.toLower() != defaults.catalog)
        return fail(
            notFoundError(QStringLiteral("catalog '%1' does not exist").arg(name.parts[0].value)));
    return name.last().value.toLower();
}

Result<TableSpec> tableSpec(const sql::CreateTable &statement, const TableName &name,
                            QStringView text)
{
    IVM_TRY(const auto columns, definedColumns(statement, text));
    IVM_TRY(const auto properties, tableProperties(statement.properties, text));
    return TableSpec{.name = name,
                     .columns = columns,
                     .partitioning = properties.partitioning,
                     .sortedBy = properties.sortedBy,
                     .format = properties.format,
                     .comment = statement.comment.value_or(QString())};
}

Result<iceberg::NewTable> newTable(const TableSpec &spec, const WarehouseFolder &warehouse,
                                   qint64 nowMs)
{
    IVM_TRY(const auto columns, storedColumns(spec.columns));
    IVM_TRY(const auto schema, iceberg::makeSchema(columns));
    iceberg::NewTable table{.location = iceberg::newTableLocation(warehouse.uri(), spec.name),
                            .schema = schema,
                            .spec = {},
                            .sortOrder = {},
                            .properties = {},
                            .nowMs = nowMs};
    IVM_TRY(table.spec, iceberg::makeSpec(spec.partitioning, schema));
    IVM_TRY(table.sortOrder, iceberg::makeSortOrder(spec.sortedBy, schema));
    if (!spec.comment.isEmpty())
        table.properties.insert(QStringLiteral("comment"), spec.comment);
    return table;
}

Result<iceberg::Table> createTable(WarehouseFolder &warehouse, const TableSpec &spec,
                                   MissingSchema missingSchema)
{
    IVM_TRY(const auto open, warehouse.writing());
    // Looked at before anything is written, which would leave a folder.
    if (open.catalog.load(spec.name))
        return fail(
            alreadyExistsError(QStringLiteral("table %1 is there already").arg(spec.name.text())));
    IVM_TRY(const auto table, newTable(spec, warehouse, open.clock.now().toMSecsSinceEpoch()));
    if (missingSchema == MissingSchema::Make) {
        const auto made = open.catalog.createSchema(spec.name.schema);
        if (!made && made.error().kind != ErrorKind::AlreadyExists)
            return fail(made.error());
    }
    return iceberg::createTable(open, spec.name, iceberg::makeMetadata(table));
}

Status dropTable(WarehouseFolder &warehouse, const TableName &name)
{
    IVM_TRY(const auto open, warehouse.reading());
    IVM_TRY(const auto entry, open.catalog.load(name));
    // A table whose metadata can't be read can still be dropped; its files stay then.
    const auto table = iceberg::loadTable(open, name);
    IVM_TRY(const auto writing, warehouse.writing());
    IVM_CHECK(writing.catalog.drop(name));
    if (table)
        removeFiles(*table, warehouse, writing.catalog);
    else
        qCWarning(logExecutor, "the files of dropped table %s stay (%s): %s",
                  qPrintable(name.text()), qPrintable(entry.metadataLocation),
                  qPrintable(table.error().text()));
    return {};
}

Result<StatementResult> runCreateSchema(const sql::CreateSchema &statement,
                                        WarehouseFolder &warehouse)
{
    IVM_TRY(const QString schema, schemaName(statement.name, warehouse.defaults()));
    if (!statement.properties.empty())
        return fail(unsupportedError(
            QStringLiteral("properties of a schema are not supported by the embedded engine")));
    IVM_TRY(const auto open, warehouse.writing());
    const auto made = open.catalog.createSchema(schema);
    if (!made && !(statement.ifNotExists && made.error().kind == ErrorKind::AlreadyExists))
        return fail(made.error());
    return done("CREATE SCHEMA");
}

Result<StatementResult> runDropSchema(const sql::DropSchema &statement, WarehouseFolder &warehouse)
{
    IVM_TRY(const QString schema, schemaName(statement.name, warehouse.defaults()));
    if (statement.cascade) {
        return fail(
            unsupportedError(
                QStringLiteral("DROP SCHEMA … CASCADE is not supported by the embedded engine"))
                .withHint(u"DROP its tables first"));
    }
    IVM_TRY(const auto open, warehouse.writing());
    const auto dropped = open.catalog.dropSchema(schema);
    if (!dropped && !(statement.ifExists && dropped.error().kind == ErrorKind::NotFound))
        return fail(dropped.error());
    return done("DROP SCHEMA");
}

Result<StatementResult> runCreateTable(const sql::CreateTable &statement,
                                       WarehouseFolder &warehouse, QStringView text)
{
    IVM_TRY(const TableName name, wholeName(statement.name, warehouse.defaults()));
    IVM_TRY(const TableSpec spec, tableSpec(statement, name, text));
    const auto made = createTable(warehouse, spec, MissingSchema::Fail);
    const bool kept = !made && made.error().kind == ErrorKind::AlreadyExists &&
                      statement.whenExists == sql::WhenExists::Keep;
    if (!made && !kept)
        return fail(Error(made.error()).at(sql::placeOf(text, statement.name.span.begin)));
    return done("CREATE TABLE");
}

Result<StatementResult> runDropTable(const sql::DropTable &statement, WarehouseFolder &warehouse)
{
    IVM_TRY(const TableName name, wholeName(statement.name, warehouse.defaults()));
    const auto dropped = dropTable(warehouse, name);
    if (!dropped && !(statement.ifExists && dropped.error().kind == ErrorKind::NotFound))
        return fail(dropped.error());
    return done("DROP TABLE");
}

}  // namespace ivm::duckdb
