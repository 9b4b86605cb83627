#include "framework/iceberg/metadata.h"

#include <QRegularExpression>
#include <QSet>

namespace ivm::iceberg {

namespace {

constexpr int kFirstPartitionFieldId = 1000;

// As Trino and the Java library name partition fields.
QString fieldName(const PartitionField &field, const QString &column)
{
    switch (field.transform) {
    case Transform::Identity: return column;
    case Transform::Year: return column + QStringLiteral("_year");
    case Transform::Month: return column + QStringLiteral("_month");
    case Transform::Day: return column + QStringLiteral("_day");
    case Transform::Hour: return column + QStringLiteral("_hour");
    case Transform::Bucket: return column + QStringLiteral("_bucket");
    case Transform::Truncate: return column + QStringLiteral("_trunc");
    case Transform::Void: return column + QStringLiteral("_null");
    }
    Q_UNREACHABLE();
}

// A field may bear a column's name only when it is that column.
QString freeName(const QString &wanted, const PartitionField &field, const Schema &schema,
                 const QSet<QString> &taken)
{
    const auto isFree = [&](const QString &name) {
        return !taken.contains(name) &&
               (field.transform == Transform::Identity || !schema.column(name));
    };
    QString name = wanted;
    for (int i = 2; !isFree(name); ++i)
        name = wanted + u'_' + QString::number(i);
    return name;
}

Result<const Field *> columnFor(const Schema &schema, QStringView name)
{
    if (const Field *field = schema.column(name))
        return field;
    QStringList names;
    for (const auto &field : schema.fields)
        names.append(field.name);
    return fail(invalidError(QStringLiteral("there is no column '%1' (there are: %2)")
                                 .arg(name, names.join(QStringLiteral(", ")))));
}

// Takes the column's name, bare or quoted, off the front of `text`.
QString takeColumn(QString &text)
{
    static const QRegularExpression quoted(QStringLiteral(R"re(^"((?:[^"]|"")+)")re"));
    static const QRegularExpression bare(QStringLiteral(R"(^[^\s"]+)"));
    auto match = quoted.match(text);
    QString name = match.captured(1).replace(QStringLiteral("\"\""), QStringLiteral("\""));
    if (!match.hasMatch()) {
        match = bare.match(text);
        name = match.captured();
    }
    text = text.mid(match.capturedLength()).simplified().toUpper();
    return name;
}

Result<SortField> sortFieldFrom(const QString &text, const Schema &schema)
{
    QString rest = text.trimmed();
    const QString name = takeColumn(rest);
    static const QRegularExpression shape(QStringLiteral("^(ASC|DESC)?( ?NULLS (FIRST|LAST))?$"));
    const auto match = shape.match(rest);
    if (name.isEmpty() || !match.hasMatch())
        return fail(invalidError(QStringLiteral("'%1' is not a sort column").arg(text.left(200)))
                        .withHint(u"Write a column, with ASC or DESC and NULLS FIRST or NULLS LAST "
                                  u"after it if need be"));
    IVM_TRY(const Field *column, columnFor(schema, name));
    if (column->type.isNested())
        return fail(
            invalidError(QStringLiteral("rows cannot be sorted by '%1', which is of type %2")
                             .arg(name, column->type.text())));
    SortField field{.sourceId = column->id};
    field.descending = match.capturedView(1) == u"DESC";
    field.nullsFirst = match.hasCaptured(3) ? match.capturedView(3) == u"FIRST" : !field.descending;
    return field;
}

QString sortText(const SortField &field, const QString &name)
{
    QString text = name;
    if (field.descending)
        text += QStringLiteral(" DESC");
    if (field.descending == field.nullsFirst) {
        if (!field.descending)
            text += QStringLiteral(" ASC");
        text += field.nullsFirst ? QStringLiteral(" NULLS FIRST") : QStringLiteral(" NULLS LAST");
    }
    return text;
}

}  // namespace

Result<PartitionSpec> makeSpec(const QList<PartitionField> &partitioning, const Schema &schema)
{
    PartitionSpec spec;
    QSet<QString> names;
    for (const auto &wanted : partitioning) {
        IVM_TRY(const Field *column, columnFor(schema, wanted.column));
        const auto transform = makeTransform(wanted.transform, wanted.argument);
        IVM_CHECK(transformedType(transform, column->type));
        for (const auto &field : spec.fields) {
            if (field.sourceId == column->id && field.transform == transform)
                return fail(
                    invalidError(QStringLiteral("partitioning names %1 twice").arg(wanted.text())));
        }
        const QString name = freeName(fieldName(wanted, column->name), wanted, schema, names);
        names.insert(name);
        spec.fields.append(SpecField{.sourceId = column->id,
                                     .fieldId = kFirstPartitionFieldId + int(spec.fields.size()),
                                     .name = name,
                                     .transform = transform});
    }
    return spec;
}

QList<PartitionField> partitioningOf(const PartitionSpec &spec, const Schema &schema)
{
    QList<PartitionField> out;
    for (const auto &field : spec.fields) {
        const Field *column = schema.field(field.sourceId);
        if (column && field.transform.kind)
            out.append(
                PartitionField{*field.transform.kind, column->name, field.transform.argument});
    }
    return out;
}

Result<SortOrder> makeSortOrder(const QStringList &sortedBy, const Schema &schema)
{
    SortOrder order;
    for (const auto &text : sortedBy) {
        IVM_TRY(const auto field, sortFieldFrom(text, schema));
        order.fields.append(field);
    }
    order.id = order.fields.isEmpty() ? 0 : 1;
    return order;
}

QStringList sortedByOf(const SortOrder &order, const Schema &schema)
{
    QStringList out;
    for (const auto &field : order.fields) {
        const Field *column = schema.field(field.sourceId);
        if (column && field.transform == u"identity")
            out.append(sortText(field, column->name));
    }
    return out;
}

}  // namespace ivm::iceberg
