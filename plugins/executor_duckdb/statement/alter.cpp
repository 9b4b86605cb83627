#include "plugins/executor_duckdb/statement/alter.h"

#include "framework/iceberg/schema_change.h"
#include "plugins/executor_duckdb/statement/ddl.h"

namespace ivm::duckdb {

namespace {

using MetadataChange = std::function<Status(iceberg::TableMetadata &)>;

StatementResult done(QStringView updateType)
{
    return {.statementId = {}, .updateType = updateType.toString()};
}

Result<iceberg::Table> load(const TableName &name, WarehouseFolder &warehouse)
{
    IVM_TRY(const auto open, warehouse.reading());
    return iceberg::loadTable(open, name);
}

Status changeOnce(const TableName &name, const MetadataChange &change, const AlterContext &context)
{
    IVM_TRY(const auto table, load(name, context.warehouse));
    iceberg::TableMetadata next = table.metadata;
    IVM_CHECK(change(next));
    if (next == table.metadata)
        return {};
    IVM_TRY(const auto warehouse, context.warehouse.writing());
    IVM_CHECK(iceberg::commitMetadata(warehouse, table, std::move(next)));
    return {};
}

enum class Missing { Fail, Fine };

struct Alteration {
    const sql::QualifiedName &table;
    Missing missingTable;
    QStringView updateType;
    const sql::Span &place;  // of what an error of the change is about
};

Result<StatementResult> alter(const Alteration &what, const AlterContext &context,
                              const MetadataChange &change)
{
    IVM_TRY(const TableName name, wholeName(what.table, context.warehouse.defaults()));
    auto changed = retried(context.call, [&]() -> Result<StatementResult> {
        IVM_CHECK(changeOnce(name, change, context));
        return done(what.updateType);
    });
    if (changed)
        return changed;
    const bool isMissing =
        changed.error().kind == ErrorKind::NotFound && changed.error().code != u"no_column";
    if (isMissing && what.missingTable == Missing::Fine)
        return done(what.updateType);
    return fail(
        placed(std::move(changed).error(), isMissing ? what.table.span : what.place, context.text));
}

Missing missing(bool fine) { return fine ? Missing::Fine : Missing::Fail; }

// Nothing is wrong when the error is the one that IF EXISTS or IF NOT EXISTS is there for.
Status unless(bool ifSo, QStringView code, Status status)
{
    return !status && ifSo && status.error().code == code ? Status() : std::move(status);
}

iceberg::FieldPath pathOf(const sql::QualifiedName &name)
{
    iceberg::FieldPath path;
    for (const auto &part : name.parts)
        path.append(part.value);
    return path;
}

Status checkName(const QString &name)
{
    if (name != kPathColumn && name != kRowColumn)
        return {};
    return fail(
        alreadyExistsError(QStringLiteral("every table has a hidden column '%1'").arg(name)));
}

// Data files are read by the ids of their columns, but by the names of what is inside of them.
Status checkReadable(const iceberg::TableMetadata &next, const sql::QualifiedName &column)
{
    if (column.parts.size() == 1)
        return {};
    auto readable = relationSql({next, {}}, WithRow::No);
    if (readable)
        return {};
    return fail(
        std::move(readable).error().withHint(u"Choose a name that no field of this row has had"));
}

iceberg::FieldPosition positionOf(const sql::ColumnPosition &position)
{
    using Kind = iceberg::FieldPosition::Kind;
    if (position.after)
        return {Kind::After, position.after->value};
    return {position.first ? Kind::First : Kind::Last, {}};
}

}  // namespace

Result<StatementResult> runAlter(const sql::RenameTable &statement, const AlterContext &context)
{
    const auto rename = [&]() -> Status {
        IVM_TRY(const TableName from, wholeName(statement.table, context.warehouse.defaults()));
        const TableName beside{from.catalog, from.schema, {}};
        const auto to = wholeName(statement.to, beside);
        if (!to)
            return fail(placed(to.error(), statement.to.span, context.text));
        IVM_TRY(const auto reading, context.warehouse.reading());
        IVM_CHECK(reading.catalog.load(from));
        if (from == *to)
            return fail(placed(
                alreadyExistsError(QStringLiteral("table %1 is there already").arg(to->text())),
                statement.to.span, context.text));
        IVM_TRY(const auto warehouse, context.warehouse.writing());
        auto renamed = warehouse.catalog.rename(from, *to);
        if (!renamed)
            return fail(placed(std::move(renamed).error(), statement.to.span, context.text));
        return {};
    };
    auto renamed = rename();
    const bool isMissing =
        !renamed && renamed.error().kind == ErrorKind::NotFound && renamed.error().place == Place();
    if (renamed || (statement.ifExists && isMissing))
        return done(u"RENAME TABLE");
    return fail(placed(std::move(renamed).error(), statement.table.span, context.text));
}

Result<StatementResult> runAlter(const sql::AddColumn &statement, const AlterContext &context)
{
    const auto &definition = statement.column;
    if (!definition.properties.empty())
        return fail(placed(unsupportedError(QStringLiteral(
                               "properties of a column are not supported by the embedded engine")),
                           definition.span, context.text));
    IVM_TRY(const Type type, boundType(definition.type, context.text));
    iceberg::FieldPath path = pathOf(definition.name);
    // Trino's Iceberg connector keeps new names in lower case.
    path.back() = path.back().toLower();
    const Column column{.name = path.back(),
                        .type = type,
                        .nullable = !definition.notNull,
                        .comment = definition.comment.value_or(QString())};
    return alter(
        {statement.table, missing(statement.ifExists), u"ADD COLUMN", definition.name.span},
        context, [&](iceberg::TableMetadata &metadata) -> Status {
            IVM_CHECK(checkName(path.back()));
            IVM_CHECK(unless(statement.ifNotExists, u"column_exists",
                             addField(metadata, path, column, positionOf(statement.position))));
            return checkReadable(metadata, definition.name);
        });
}

Result<StatementResult> runAlter(const sql::DropColumn &statement, const AlterContext &context)
{
    return alter(
        {statement.table, missing(statement.ifExists), u"DROP COLUMN", statement.column.span},
        context, [&](iceberg::TableMetadata &metadata) {
            return unless(statement.ifColumnExists, u"no_column",
                          dropField(metadata, pathOf(statement.column)));
        });
}

Result<StatementResult> runAlter(const sql::RenameColumn &statement, const AlterContext &context)
{
    const QString to = statement.to.value.toLower();
    return alter(
        {statement.table, missing(statement.ifExists), u"RENAME COLUMN", statement.column.span},
        context, [&](iceberg::TableMetadata &metadata) -> Status {
            IVM_CHECK(checkName(to));
            IVM_CHECK(unless(statement.ifColumnExists, u"no_column",
                             renameField(metadata, pathOf(statement.column), to)));
            return checkReadable(metadata, statement.column);
        });
}

Result<StatementResult> runAlter(const sql::SetColumnType &statement, const AlterContext &context)
{
    IVM_TRY(const Type type, boundType(statement.type, context.text));
    return alter(
        {statement.table, missing(statement.ifExists), u"SET COLUMN TYPE", statement.column.span},
        context, [&](iceberg::TableMetadata &metadata) {
            return setFieldType(metadata, pathOf(statement.column), type);
        });
}

Result<StatementResult> runAlter(const sql::DropNotNull &statement, const AlterContext &context)
{
    return alter(
        {statement.table, missing(statement.ifExists), u"DROP NOT NULL", statement.column.span},
        context, [&](iceberg::TableMetadata &metadata) {
            return dropNotNull(metadata, statement.column.value);
        });
}

Result<StatementResult> runAlter(const sql::SetTableProperties &statement,
                                 const AlterContext &context)
{
    return alter({statement.table, Missing::Fail, u"SET PROPERTIES", statement.table.span}, context,
                 [&](iceberg::TableMetadata &metadata) {
                     return setProperties(metadata, statement.properties, context.text);
                 });
}

Result<StatementResult> runAlter(const sql::CommentOnTable &statement, const AlterContext &context)
{
    const QString key = QStringLiteral("comment");
    return alter({statement.table, Missing::Fail, u"COMMENT", statement.table.span}, context,
                 [&](iceberg::TableMetadata &metadata) -> Status {
                     if (statement.comment)
                         metadata.properties.insert(key, *statement.comment);
                     else
                         metadata.properties.remove(key);
                     return {};
                 });
}

Result<StatementResult> runAlter(const sql::CommentOnColumn &statement, const AlterContext &context)
{
    return alter({statement.table, Missing::Fail, u"COMMENT", statement.column.span}, context,
                 [&](iceberg::TableMetadata &metadata) {
                     return setComment(metadata, statement.column.value,
                                       statement.comment.value_or(QString()));
                 });
}

}  // namespace ivm::duckdb
