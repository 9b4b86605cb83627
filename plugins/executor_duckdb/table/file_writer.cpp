#include "plugins/executor_duckdb/table/file_writer.h"

#include "framework/base/fail_point.h"
#include "plugins/executor_duckdb/engine/temp_table.h"
#include "plugins/executor_duckdb/table/file_stats.h"
#include "plugins/executor_duckdb/table/partition.h"
#include "plugins/executor_duckdb/table/staging.h"

#include <QFile>
#include <QFileInfo>
#include <QUuid>

namespace ivm::duckdb {

namespace {

QString join(const QStringList &parts) { return parts.join(QStringLiteral(", ")); }

// {"a": 1, "s": {__duckdb_field_id: 2, "x": 3}}
QString fieldIds(const QList<iceberg::Field> &fields, const QStringList &before = {})
{
    QStringList parts = before;
    for (const auto &field : fields) {
        const QString id = QString::number(field.id);
        const QString value =
            field.type.isNested()
                ? fieldIds(field.type.fields, {QStringLiteral("__duckdb_field_id: ") + id})
                : id;
        parts.append(quotedIdentifier(field.name) + QStringLiteral(": ") + value);
    }
    return u'{' + join(parts) + u'}';
}

Status checkWritable(const QList<iceberg::Field> &fields)
{
    for (const auto &field : fields) {
        if (field.type.id == iceberg::TypeId::Fixed) {
            return fail(unsupportedError(
                QStringLiteral(
                    "column '%1' is of Iceberg type %2, which this engine does not write")
                    .arg(field.name, field.type.text())));
        }
        IVM_CHECK(checkWritable(field.type.fields));
    }
    return {};
}

// The keys of the table's own order; none where it is one that the engine cannot make.
QStringList sortKeys(const iceberg::TableMetadata &metadata)
{
    QStringList keys;
    for (const auto &field : metadata.defaultSortOrder().fields) {
        const auto *column = metadata.currentSchema().field(field.sourceId);
        if (!column || field.transform != u"identity")
            return {};
        keys.append(
            quotedIdentifier(column->name) +
            (field.descending ? QStringLiteral(" DESC") : QStringLiteral(" ASC")) +
            (field.nullsFirst ? QStringLiteral(" NULLS FIRST") : QStringLiteral(" NULLS LAST")));
    }
    return keys;
}

// Partition by partition: the engine closes files when it has more than some hundred open, and rows
// in any order would give each partition a file for every half a million rows that are written.
QString orderSql(const QStringList &partitions, RowOrder order,
                 const iceberg::TableMetadata &metadata)
{
    const bool isSorted = order == RowOrder::ByFile;
    const QStringList keys = (isSorted ? QStringList() : partitions) + sortKeys(metadata);
    return keys.isEmpty() ? QString() : QStringLiteral(" ORDER BY ") + join(keys);
}

Result<QString> copySql(const iceberg::TableMetadata &metadata, const QString &select,
                        RowOrder order, const QString &folder)
{
    const auto &schema = metadata.currentSchema();
    IVM_CHECK(checkWritable(schema.fields));
    QStringList columns;
    for (const auto &field : schema.fields)
        columns.append(quotedIdentifier(field.name));
    QStringList partitions;
    for (const auto &field : metadata.defaultSpec().fields) {
        IVM_TRY(const QString key, partitionKey(field, schema));
        if (key.isEmpty())
            continue;
        partitions.append(QStringLiteral("\"$p%1\"").arg(partitions.size()));
        columns.append(key + QStringLiteral(" AS ") + partitions.back());
    }
    QString options =
        QStringLiteral("FORMAT parquet, RETURN_STATS, FIELD_IDS ") + fieldIds(schema.fields);
    QString destination = folder;
    if (partitions.isEmpty())
        destination += QStringLiteral("/rows.parquet");
    else
        options += QStringLiteral(", PARTITION_BY (%1), FILENAME_PATTERN '{uuid}', APPEND")
                       .arg(join(partitions));
    return QStringLiteral("COPY (SELECT %1 FROM (%2) AS written%3) TO %4 (%5)")
        .arg(join(columns), select, orderSql(partitions, order, metadata),
             quotedLiteral(destination), options);
}

// Whether a value lacks something that must not be NULL inside of it; empty when nothing must.
QString lacking(const iceberg::FieldType &type, const QString &value);

QString lackingField(const iceberg::Field &field, const QString &value)
{
    const QString inside = lacking(field.type, value);
    if (!field.required)
        return inside;
    const QString isNull = value + QStringLiteral(" IS NULL");
    return inside.isEmpty() ? isNull : QStringLiteral("(%1 OR %2)").arg(isNull, inside);
}

QString lackingElement(const iceberg::Field &field, const QString &list)
{
    const QString inside = lackingField(field, QStringLiteral("e%1").arg(field.id));
    return inside.isEmpty() ? QString()
                            : QStringLiteral("len(list_filter(%1, lambda e%2: %3)) > 0")
                                  .arg(list, QString::number(field.id), inside);
}

QString lacking(const iceberg::FieldType &type, const QString &value)
{
    QStringList parts;
    if (type.id == iceberg::TypeId::List) {
        parts.append(lackingElement(type.fields[0], value));
    } else if (type.id == iceberg::TypeId::Map) {
        parts.append(lackingElement(type.fields[0], QStringLiteral("map_keys(%1)").arg(value)));
        parts.append(lackingElement(type.fields[1], QStringLiteral("map_values(%1)").arg(value)));
    } else {
        for (const auto &field : type.fields)
            parts.append(lackingField(
                field,
                QStringLiteral("struct_extract(%1, %2)").arg(value, quotedLiteral(field.name))));
    }
    parts.removeAll(QString());
    return parts.isEmpty() ? QString()
                           : QStringLiteral("(%1 IS NOT NULL AND (%2))")
                                 .arg(value, parts.join(QStringLiteral(" OR ")));
}

Error notNull(const iceberg::Field &column, const iceberg::Table &table)
{
    return invalidError(
               QStringLiteral("NULL value not allowed for NOT NULL column: %1").arg(column.name))
        .withCode(u"not_null")
        .during(table.name.text());
}

Status checkRequired(const WrittenFile &written, const iceberg::Table &table,
                     Connection &connection, const Call &call)
{
    for (const auto &field : table.metadata.currentSchema().fields) {
        if (field.required && written.file.nullValueCounts.value(field.id) > 0)
            return fail(notNull(field, table));
        const QString condition = lacking(field.type, quotedIdentifier(field.name));
        if (condition.isEmpty())
            continue;
        IVM_TRY(const qint64 rows,
                countOf(connection,
                        QStringLiteral("SELECT count(*) FROM read_parquet(%1) WHERE %2")
                            .arg(quotedLiteral(written.path), condition),
                        call));
        if (rows > 0)
            return fail(notNull(field, table));
    }
    return {};
}

// How many NaN there are, and the bounds of the rest, which the engine does not tell.
Status addNaN(WrittenFile &written, const iceberg::Schema &schema, Connection &connection,
              const Call &call)
{
    for (const int id : std::as_const(written.withNaN)) {
        const auto *field = schema.field(id);
        const auto column = columnExpression(schema, id);
        if (!field || !column)
            continue;
        const QString sql =
            QStringLiteral("SELECT count(*) FILTER (isnan(v)), min(v) FILTER (NOT isnan(v)), "
                           "max(v) FILTER (NOT isnan(v)) FROM (SELECT %1 AS v FROM "
                           "read_parquet(%2))")
                .arg(*column, quotedLiteral(written.path));
        IVM_TRY(const auto rows, connection.rows(sql, {}, call));
        auto &file = written.file;
        file.nanValueCounts.insert(id, std::get<qint64>(rows.front()[0].data));
        const auto *least = std::get_if<double>(&rows.front()[1].data);
        const auto *greatest = std::get_if<double>(&rows.front()[2].data);
        if (!least || !greatest)
            continue;
        file.lowerBounds.insert(
            id, iceberg::literalToBytes(field->type, *iceberg::lowerBound(field->type, {*least})));
        file.upperBounds.insert(
            id,
            iceberg::literalToBytes(field->type, *iceberg::upperBound(field->type, {*greatest})));
    }
    return {};
}

}  // namespace

NewFiles::~NewFiles()
{
    for (const auto &file : m_files) {
        if (const auto path = localPath(file.path))
            QFile::remove(*path);
    }
}

qint64 NewFiles::rows() const
{
    qint64 rows = 0;
    for (const auto &file : m_files)
        rows += file.content == iceberg::FileContent::Data ? file.recordCount : 0;
    return rows;
}

Result<NewFiles> writeFiles(const iceberg::Table &table, const QString &select,
                            Connection &connection, const Call &call, RowOrder order)
{
    const auto &metadata = table.metadata;
    IVM_CHECK(iceberg::checkWritable(metadata, table.name));
    IVM_TRY(const QString location, localPath(metadata.location));
    const QString dataFolder = location + QStringLiteral("/data");
    IVM_TRY(const Staging staging, Staging::make(dataFolder));
    IVM_TRY(const QString sql, copySql(metadata, select, order, staging.path()));
    IVM_TRY(const auto rows, connection.rows(sql, {}, call));
    IVM_CHECK(failPoint(u"duckdb.files_staged"));
    NewFiles made;
    for (const auto &row : rows) {
        IVM_TRY(WrittenFile written, writtenFile(row, metadata.currentSchema()));
        written.file.specId = metadata.defaultSpecId;
        if (written.file.recordCount == 0)
            continue;
        IVM_CHECK(checkRequired(written, table, connection, call));
        IVM_CHECK(addNaN(written, metadata.currentSchema(), connection, call));
        IVM_TRY(written.file.partition, partitionOf(written, metadata, connection, call));
        written.file.path = iceberg::newDataFileLocation(metadata);
        IVM_TRY(const QString destination, localPath(written.file.path));
        IVM_CHECK(staging.moveOut(written.path, destination));
        made.add(std::move(written.file));
    }
    if (!made.files().isEmpty())
        IVM_CHECK(Staging::sync(dataFolder));
    IVM_CHECK(failPoint(u"duckdb.files_written"));
    return made;
}

}  // namespace ivm::duckdb
