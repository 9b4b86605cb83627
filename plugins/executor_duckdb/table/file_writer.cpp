#include "plugins/executor_duckdb/table/file_writer.h"

#include "framework/base/fail_point.h"
#include "plugins/executor_duckdb/table/file_stats.h"
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

// The value that decides a row's partition, printed by the engine as literalFromText() reads it.
Result<QString> partitionExpression(const iceberg::SpecField &field, const iceberg::Schema &schema)
{
    const auto *source = schema.field(field.sourceId);
    if (!source || !field.transform.isWritten()) {
        return fail(
            unsupportedError(
                QStringLiteral("partition field '%1' (%2) cannot be written by this engine")
                    .arg(field.name, field.transform.text))
                .withHint(u"It writes tables that are partitioned by columns and by day(column)"));
    }
    const QString column = quotedIdentifier(source->name);
    // Sessions are in UTC, where Iceberg's days are.
    return field.transform.kind == Transform::Day ? QStringLiteral("CAST(%1 AS DATE)").arg(column)
                                                  : column;
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

QString sortKeys(const iceberg::TableMetadata &metadata)
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
    return keys.isEmpty() ? QString() : QStringLiteral(" ORDER BY ") + join(keys);
}

Result<QString> copySql(const iceberg::TableMetadata &metadata, const QString &select,
                        const QString &folder)
{
    const auto &schema = metadata.currentSchema();
    IVM_CHECK(checkWritable(schema.fields));
    QStringList columns;
    for (const auto &field : schema.fields)
        columns.append(quotedIdentifier(field.name));
    QStringList partitions;
    const auto &spec = metadata.defaultSpec();
    for (qsizetype i = 0; i < spec.fields.size(); ++i) {
        IVM_TRY(const QString expression, partitionExpression(spec.fields[i], schema));
        partitions.append(quotedIdentifier(partitionColumn(i)));
        columns.append(expression + QStringLiteral(" AS ") + partitions.back());
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
        .arg(join(columns), select, sortKeys(metadata), quotedLiteral(destination), options);
}

Status checkRequired(const iceberg::DataFile &file, const iceberg::Table &table)
{
    for (const auto &field : table.metadata.currentSchema().fields) {
        if (field.required && file.nullValueCounts.value(field.id) > 0) {
            return fail(
                invalidError(QStringLiteral("NULL value not allowed for NOT NULL column: %1")
                                 .arg(field.name))
                    .withCode(u"not_null")
                    .during(table.name.text()));
        }
    }
    return {};
}

}  // namespace

NewFiles::~NewFiles()
{
    for (const auto &file : m_files) {
        if (const auto path = iceberg::localPath(file.path))
            QFile::remove(*path);
    }
}

qint64 NewFiles::rows() const
{
    qint64 rows = 0;
    for (const auto &file : m_files)
        rows += file.recordCount;
    return rows;
}

Result<NewFiles> writeFiles(const iceberg::Table &table, const QString &select,
                            Connection &connection, const Call &call)
{
    const auto &metadata = table.metadata;
    IVM_TRY(const QString location, iceberg::localPath(metadata.location));
    const QString dataFolder = location + QStringLiteral("/data");
    IVM_TRY(const Staging staging, Staging::make(dataFolder));
    IVM_TRY(const QString sql, copySql(metadata, select, staging.path()));
    IVM_TRY(const auto rows, connection.rows(sql, {}, call));
    IVM_CHECK(failPoint(u"duckdb.files_staged"));
    NewFiles made;
    for (const auto &row : rows) {
        IVM_TRY(WrittenFile written, writtenFile(row, metadata));
        if (written.file.recordCount == 0)
            continue;
        IVM_CHECK(checkRequired(written.file, table));
        written.file.path = iceberg::newDataFileLocation(metadata);
        IVM_TRY(const QString destination, iceberg::localPath(written.file.path));
        IVM_CHECK(staging.moveOut(written.path, destination));
        made.add(std::move(written.file));
    }
    if (!made.files().isEmpty())
        IVM_CHECK(Staging::sync(dataFolder));
    IVM_CHECK(failPoint(u"duckdb.files_written"));
    return made;
}

}  // namespace ivm::duckdb
