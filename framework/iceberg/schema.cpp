#include "framework/iceberg/schema.h"

#include <algorithm>
#include <array>

namespace ivm::iceberg {

namespace {

const Field *findField(const QList<Field> &fields, int id)
{
    for (const auto &field : fields) {
        if (field.id == id)
            return &field;
        if (const Field *inside = findField(field.type.fields, id))
            return inside;
    }
    return nullptr;
}

int highestIdIn(const QList<Field> &fields)
{
    int highest = 0;
    for (const auto &field : fields)
        highest = std::max({highest, field.id, highestIdIn(field.type.fields)});
    return highest;
}

QString structText(const QList<Field> &fields)
{
    QStringList parts;
    for (const auto &field : fields)
        parts.append(field.name + QStringLiteral(": ") + field.type.text());
    return QStringLiteral("struct<%1>").arg(parts.join(QStringLiteral(", ")));
}

}  // namespace

bool FieldType::operator==(const FieldType &) const = default;

QString FieldType::text() const
{
    // In the order of TypeId.
    static constexpr std::array kNames = {
        u"boolean", u"int",       u"long",        u"float",  u"double", u"decimal", u"date",
        u"time",    u"timestamp", u"timestamptz", u"string", u"uuid",   u"fixed",   u"binary"};
    switch (id) {
    case TypeId::Decimal: return QStringLiteral("decimal(%1,%2)").arg(precision).arg(scale);
    case TypeId::Fixed: return QStringLiteral("fixed[%1]").arg(length);
    case TypeId::Struct: return structText(fields);
    case TypeId::List: return QStringLiteral("list<%1>").arg(fields[0].type.text());
    case TypeId::Map:
        return QStringLiteral("map<%1, %2>").arg(fields[0].type.text(), fields[1].type.text());
    default: return QString::fromUtf16(kNames[size_t(id)]);
    }
}

const Field *Schema::field(int wanted) const { return findField(fields, wanted); }

const Field *Schema::column(QStringView name) const
{
    const Field *found = nullptr;
    for (const auto &candidate : fields) {
        if (candidate.name == name)
            return &candidate;
        if (!found && candidate.name.compare(name, Qt::CaseInsensitive) == 0)
            found = &candidate;
    }
    return found;
}

int Schema::highestId() const { return highestIdIn(fields); }

}  // namespace ivm::iceberg
