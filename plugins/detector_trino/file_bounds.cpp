#include "plugins/detector_trino/file_bounds.h"

#include "framework/iceberg/transform.h"

namespace ivm::trino {

namespace {

std::optional<iceberg::FieldType> fieldType(const Type &type)
{
    int lastId = 0;
    auto field = iceberg::toIceberg(type, &lastId);
    return field ? std::optional(*field) : std::nullopt;
}

std::optional<qint64> boundFrom(const iceberg::FieldType &type, const QString &text)
{
    const auto literal = text.isEmpty() ? fail(Error{}) : iceberg::literalFromText(type, text);
    return literal ? iceberg::boundUnits(type, *literal) : std::nullopt;
}

NullState nullStateFrom(const ColumnMetrics &metrics, qint64 records)
{
    if (!metrics.nulls || *metrics.nulls < 0)
        return NullState::Unknown;
    if (*metrics.nulls == 0)
        return NullState::Never;
    return *metrics.nulls >= metrics.values.value_or(records) ? NullState::Always : NullState::Some;
}

// The name Iceberg gives a partition field. Iceberg's `PartitionSpec.Builder`.
QString fieldName(const PartitionField &field)
{
    switch (field.transform) {
    case Transform::Identity: return field.column;
    case Transform::Year: return field.column + QStringLiteral("_year");
    case Transform::Month: return field.column + QStringLiteral("_month");
    case Transform::Day: return field.column + QStringLiteral("_day");
    case Transform::Hour: return field.column + QStringLiteral("_hour");
    case Transform::Truncate: return field.column + QStringLiteral("_trunc");
    default: return {};
    }
}

iceberg::Literal literalOf(const Value &value, const iceberg::FieldType &type)
{
    if (const auto *whole = std::get_if<qint64>(&value.data))
        return {*whole};
    const auto *text = std::get_if<QString>(&value.data);
    const auto literal = text ? iceberg::literalFromText(type, *text) : fail(Error{});
    return literal ? *literal : iceberg::Literal{};
}

}  // namespace

FileBounds boundsFromMetrics(const Type &type, const ColumnMetrics &metrics, qint64 records)
{
    FileBounds bounds;
    bounds.nullState = nullStateFrom(metrics, records);
    const auto field = fieldType(type);
    if (!field || bounds.nullState == NullState::Always)
        return bounds;
    bounds.lower = boundFrom(*field, metrics.lower);
    bounds.upper = boundFrom(*field, metrics.upper);
    return bounds;
}

FileBounds boundsFromPartition(const Column &column, const QList<PartitionField> &partitioning,
                               const Type &partitionType, const Value &partition)
{
    FileBounds bounds;
    const auto source = fieldType(column.type);
    const auto *values = std::get_if<std::vector<Value>>(&partition.data);
    // Fields of an earlier spec may have had these names, and other widths or columns. The row has
    // the fields of every spec: where they are as many as today's, there never were others.
    if (!source || !values || partitionType.fields.size() != partitioning.size())
        return bounds;
    for (const auto &field : partitioning) {
        if (field.column.compare(column.name, Qt::CaseInsensitive) != 0)
            continue;
        const auto transform = iceberg::makeTransform(field.transform, field.argument);
        const auto type = iceberg::transformedType(transform, *source);
        for (size_t i = 0;
             type && i < values->size() && i < static_cast<size_t>(partitionType.fields.size());
             ++i) {
            const bool isField =
                partitionType.fields[static_cast<qsizetype>(i)].name == fieldName(field);
            // NULL may also stand for a file of another spec, which has no such field.
            if (isField && !(*values)[i].isNull())
                bounds = completed(bounds, iceberg::boundsOfPartition(
                                               transform, *source, literalOf((*values)[i], *type)));
        }
    }
    return bounds;
}

FileBounds completed(FileBounds bounds, const FileBounds &other)
{
    if (bounds.nullState == NullState::Always)
        return bounds;
    if (!bounds.lower)
        bounds.lower = other.lower;
    if (!bounds.upper)
        bounds.upper = other.upper;
    if (bounds.nullState == NullState::Unknown)
        bounds.nullState = other.nullState;
    return bounds;
}

}  // namespace ivm::trino
