#include "plugins/executor_duckdb/table/partition.h"

namespace ivm::duckdb {

namespace {

using iceberg::FieldType;
using iceberg::Literal;
using iceberg::TypeId;

// The whole number that Iceberg keeps for a value: days, microseconds, unscaled.
QString wholeNumber(const FieldType &type, const QString &value)
{
    switch (type.id) {
    case TypeId::Date: return QStringLiteral("(%1 - DATE '1970-01-01')").arg(value);
    case TypeId::Time:
    case TypeId::Timestamp:
    case TypeId::Timestamptz: return QStringLiteral("epoch_us(%1)").arg(value);
    case TypeId::Decimal:
        return QStringLiteral("CAST(replace(CAST(%1 AS VARCHAR), '.', '') AS HUGEINT)").arg(value);
    default: return value;
    }
}

QString bytesOf(const FieldType &type, const QString &value)
{
    switch (type.id) {
    case TypeId::String: return QStringLiteral("encode(%1)").arg(value);
    case TypeId::Uuid:
        return QStringLiteral("unhex(replace(CAST(%1 AS VARCHAR), '-', ''))").arg(value);
    default: return value;
    }
}

bool isText(const FieldType &type)
{
    return type.id == TypeId::String || type.id == TypeId::Binary || type.id == TypeId::Fixed;
}

// Folders are named after keys: they have to be short, whatever a text holds.
QString identityKey(const FieldType &type, const QString &value)
{
    if (isText(type))
        return QStringLiteral("md5(%1)").arg(value);
    const bool isFloat = type.id == TypeId::Float || type.id == TypeId::Double;
    // Both zeros and one NaN, as texts.
    return isFloat ? QStringLiteral("CAST(%1 AS VARCHAR)").arg(value) : value;
}

QString bucketKey(const FieldType &type, const QString &value, int buckets)
{
    QString hashed;
    if (isText(type) || type.id == TypeId::Uuid)
        hashed = bytesOf(type, value);
    else if (type.id == TypeId::Decimal)
        hashed = wholeNumber(type, value);
    else
        hashed = QStringLiteral("CAST(%1 AS BIGINT)").arg(wholeNumber(type, value));
    return QStringLiteral("ivm_hash(%1) % %2").arg(hashed, QString::number(buckets));
}

QString truncateKey(const FieldType &type, const QString &value, int width)
{
    if (type.id == TypeId::String)
        return QStringLiteral("md5(left(%1, %2))").arg(value, QString::number(width));
    if (type.id == TypeId::Binary)
        return QStringLiteral("md5(left(hex(%1), %2))")
            .arg(value, QString::number(2 * qint64(width)));
    const QString whole = QStringLiteral("CAST(%1 AS HUGEINT)").arg(wholeNumber(type, value));
    return QStringLiteral("%1 - (%1 % %2 + %2) % %2").arg(whole, QString::number(width));
}

// Sessions are in UTC, where Iceberg's days are.
QString timeKey(Transform kind, const QString &value)
{
    const QString date = QStringLiteral("CAST(%1 AS DATE)").arg(value);
    switch (kind) {
    case Transform::Year: return QStringLiteral("year(%1)").arg(date);
    case Transform::Month: return QStringLiteral("year(%1) * 12 + month(%1)").arg(date);
    case Transform::Day: return date;
    default: return QStringLiteral("date_trunc('hour', CAST(%1 AS TIMESTAMP))").arg(value);
    }
}

QString pathTo(const QList<iceberg::Field> &fields, int fieldId, const QString &before)
{
    for (const auto &field : fields) {
        const QString path =
            before.isEmpty()
                ? quotedIdentifier(field.name)
                : QStringLiteral("struct_extract(%1, %2)").arg(before, quotedLiteral(field.name));
        if (field.id == fieldId)
            return path;
        if (field.type.id == TypeId::Struct) {
            const QString inside = pathTo(field.type.fields, fieldId, path);
            if (!inside.isEmpty())
                return inside;
        }
    }
    return {};
}

// One of the values of a column that is not NULL in the whole file; all are of one partition.
Result<Literal> someValue(const QString &file, const QString &column, const FieldType &type,
                          Connection &connection, const Call &call)
{
    QString text = QStringLiteral("CAST(%1 AS VARCHAR)");
    if (type.id == TypeId::Binary || type.id == TypeId::Fixed)
        text = QStringLiteral("hex(%1)");
    else if (type.id != TypeId::Decimal && wholeNumber(type, column) != column)
        text = wholeNumber(type, QStringLiteral("%1"));
    const QString sql = QStringLiteral("SELECT %1 FROM read_parquet(%2) LIMIT 1")
                            .arg(text.arg(column), quotedLiteral(file));
    IVM_TRY(const auto rows, connection.rows(sql, {}, call));
    if (rows.empty())
        return fail(internalError(QStringLiteral("%1 was written without rows").arg(file)));
    const auto &data = rows.front().front().data;
    if (const auto *whole = std::get_if<qint64>(&data))
        return Literal{*whole};
    const auto *found = std::get_if<QString>(&data);
    if (!found)
        return fail(internalError(QStringLiteral("%1 has NULL for %2").arg(file, column)));
    return iceberg::literalFromText(type, *found);
}

Error mixed(const iceberg::SpecField &field)
{
    return internalError(
        QStringLiteral("rows of several partitions by '%1' were written to one file")
            .arg(field.name));
}

class PartitionReader {
public:
    PartitionReader(const WrittenFile &written, const iceberg::TableMetadata &metadata,
                    Connection &connection, const Call &call)
        : m_written(written), m_metadata(metadata), m_connection(connection), m_call(call)
    {
    }

    Result<Literal> read(const iceberg::SpecField &field)
    {
        const auto *source = m_metadata.currentSchema().field(field.sourceId);
        if (!source)
            return fail(internalError(
                QStringLiteral("partition field '%1' has no column").arg(field.name)));
        const auto &file = m_written.file;
        const auto nulls = file.nullValueCounts.constFind(source->id);
        if (nulls == file.nullValueCounts.cend())
            return fail(internalError(
                QStringLiteral("DuckDB did not say where '%1' is NULL").arg(source->name)));
        if (field.transform.kind == Transform::Void || *nulls == file.recordCount)
            return Literal{};
        if (*nulls != 0)
            return fail(mixed(field));
        const auto least = m_written.least.constFind(source->id);
        const auto greatest = m_written.greatest.constFind(source->id);
        const bool known = least != m_written.least.cend() && greatest != m_written.greatest.cend();
        if (!known)
            return readFile(field, *source);
        IVM_TRY(auto first, iceberg::applyTransform(field.transform, source->type, *least));
        IVM_TRY(const auto last, iceberg::applyTransform(field.transform, source->type, *greatest));
        if (first != last)
            return fail(mixed(field));
        return first;
    }

private:
    Result<Literal> readFile(const iceberg::SpecField &field, const iceberg::Field &source)
    {
        const auto column = columnExpression(m_metadata.currentSchema(), source.id);
        IVM_TRY(const auto value, someValue(m_written.path, column.value_or(QString()), source.type,
                                            m_connection, m_call));
        return iceberg::applyTransform(field.transform, source.type, value);
    }

    const WrittenFile &m_written;
    const iceberg::TableMetadata &m_metadata;
    Connection &m_connection;
    const Call &m_call;
};

}  // namespace

std::optional<QString> columnExpression(const iceberg::Schema &schema, int fieldId)
{
    const QString path = pathTo(schema.fields, fieldId, {});
    return path.isEmpty() ? std::nullopt : std::optional(path);
}

Result<QString> partitionKey(const iceberg::SpecField &field, const iceberg::Schema &schema)
{
    const auto column = columnExpression(schema, field.sourceId);
    const auto *source = schema.field(field.sourceId);
    if (!column || !source || !field.transform.kind) {
        return fail(unsupportedError(
            QStringLiteral("partition field '%1' (%2) cannot be written by this engine")
                .arg(field.name, field.transform.text)));
    }
    IVM_CHECK(iceberg::transformedType(field.transform, source->type));
    switch (*field.transform.kind) {
    case Transform::Void: return QString();
    case Transform::Identity: return identityKey(source->type, *column);
    case Transform::Bucket: return bucketKey(source->type, *column, field.transform.argument);
    case Transform::Truncate: return truncateKey(source->type, *column, field.transform.argument);
    default: return timeKey(*field.transform.kind, *column);
    }
}

Result<QList<Literal>> partitionOf(const WrittenFile &written,
                                   const iceberg::TableMetadata &metadata, Connection &connection,
                                   const Call &call)
{
    QList<Literal> partition;
    PartitionReader reader(written, metadata, connection, call);
    for (const auto &field : metadata.defaultSpec().fields) {
        IVM_TRY(auto value, reader.read(field));
        partition.append(std::move(value));
    }
    return partition;
}

}  // namespace ivm::duckdb
