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

bool isTime(const PartitionTransform &transform)
{
    return transform.kind == Transform::Year || transform.kind == Transform::Month ||
           transform.kind == Transform::Day || transform.kind == Transform::Hour;
}

// Puts together the fields of a spec, without their ids.
class SpecMaker {
public:
    SpecMaker(const Schema &schema, const QList<SpecField> &kept) : m_schema(schema)
    {
        m_spec.fields = kept;
    }

    // Those that are not kept.
    Status add(const QList<PartitionField> &partitioning)
    {
        QList<PartitionField> wanted;
        for (const auto &field : partitioning) {
            PartitionField known = field;
            known.column = field.column.toLower();
            if (wanted.contains(known))
                return fail(
                    invalidError(QStringLiteral("partitioning names %1 twice").arg(field.text())));
            wanted.append(known);
            IVM_CHECK(add(field));
        }
        return {};
    }

    PartitionSpec spec() const { return m_spec; }

private:
    Status add(const PartitionField &wanted)
    {
        IVM_TRY(const Field *column, columnFor(m_schema, wanted.column));
        const auto transform = makeTransform(wanted.transform, wanted.argument);
        for (const auto &field : std::as_const(m_spec.fields)) {
            if (field.sourceId != column->id)
                continue;
            if (field.transform == transform)
                return {};
            if (isTime(field.transform) && isTime(transform))
                return fail(invalidError(
                    QStringLiteral("partitioning by %1 is redundant beside %2 of the same column")
                        .arg(wanted.text(), field.transform.text)));
        }
        IVM_CHECK(transformedType(transform, column->type));
        m_spec.fields.append(
            SpecField{.sourceId = column->id,
                      .name = freeName(fieldName(wanted, column->name), wanted, m_schema, names()),
                      .transform = transform});
        return {};
    }

    QSet<QString> names() const
    {
        QSet<QString> taken;
        for (const auto &field : m_spec.fields)
            taken.insert(field.name);
        return taken;
    }

    const Schema &m_schema;
    PartitionSpec m_spec;
};

// With the field ids: one that some spec had keeps its own (table spec, "Partition Evolution").
PartitionSpec numbered(PartitionSpec spec, const QList<PartitionSpec> &known, int lastId)
{
    for (auto &field : spec.fields) {
        const auto isSame = [&](const SpecField &other) {
            return other.sourceId == field.sourceId && other.transform == field.transform;
        };
        field.fieldId = 0;
        for (const auto &other : known) {
            const auto found = std::ranges::find_if(other.fields, isSame);
            if (found != other.fields.end())
                field.fieldId = found->fieldId;
        }
        if (field.fieldId == 0)
            field.fieldId = ++lastId;
    }
    return spec;
}

// The fields of the present spec that are wanted again.
Result<QList<SpecField>> keptFields(const TableMetadata &metadata,
                                    const QList<PartitionField> &partitioning)
{
    QList<SpecField> kept;
    for (const auto &field : metadata.defaultSpec().fields) {
        for (const auto &wanted : partitioning) {
            IVM_TRY(const Field *column, columnFor(metadata.currentSchema(), wanted.column));
            if (column->id == field.sourceId &&
                makeTransform(wanted.transform, wanted.argument) == field.transform)
                kept.append(field);
        }
    }
    return kept;
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
    SpecMaker maker(schema, {});
    IVM_CHECK(maker.add(partitioning));
    return numbered(maker.spec(), {}, kFirstPartitionFieldId - 1);
}

Status setPartitioning(TableMetadata &metadata, const QList<PartitionField> &partitioning)
{
    IVM_TRY(const auto kept, keptFields(metadata, partitioning));
    SpecMaker maker(metadata.currentSchema(), kept);
    IVM_CHECK(maker.add(partitioning));
    useSpec(metadata, maker.spec());
    return {};
}

Status checkPartitionNames(const QList<PartitionSpec> &specs, const Schema &schema)
{
    for (const auto &spec : specs) {
        for (const auto &field : spec.fields) {
            const auto column = std::ranges::find(schema.fields, field.name, &Field::name);
            const bool isItself = column != schema.fields.end() && column->id == field.sourceId &&
                                  field.transform.kind == Transform::Identity;
            if (column != schema.fields.end() && !isItself) {
                return fail(unsupportedError(
                                QStringLiteral("a column cannot be called '%1': a partition field "
                                               "of the table is, or was, %2")
                                    .arg(field.name, field.transform.text))
                                .withHint(u"Choose another name"));
            }
        }
    }
    return {};
}

void useSpec(TableMetadata &metadata, PartitionSpec spec)
{
    spec = numbered(std::move(spec), metadata.specs, metadata.lastPartitionId);
    int highest = -1;
    for (const auto &known : std::as_const(metadata.specs)) {
        highest = std::max(highest, known.id);
        if (known.fields == spec.fields) {
            metadata.defaultSpecId = known.id;
            return;
        }
    }
    spec.id = highest + 1;
    for (const auto &field : spec.fields)
        metadata.lastPartitionId = std::max(metadata.lastPartitionId, field.fieldId);
    metadata.defaultSpecId = spec.id;
    metadata.specs.append(std::move(spec));
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

void useSortOrder(TableMetadata &metadata, SortOrder order)
{
    int highest = 0;
    for (const auto &known : std::as_const(metadata.sortOrders)) {
        highest = std::max(highest, known.id);
        if (known.fields == order.fields) {
            metadata.defaultSortOrderId = known.id;
            return;
        }
    }
    order.id = order.fields.isEmpty() ? 0 : highest + 1;
    metadata.defaultSortOrderId = order.id;
    metadata.sortOrders.append(std::move(order));
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
