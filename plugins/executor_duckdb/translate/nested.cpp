#include "plugins/executor_duckdb/translate/nested.h"

#include "framework/api/table.h"
#include "plugins/executor_duckdb/translate/typing.h"

#include <algorithm>

namespace ivm::duckdb {

namespace {

constexpr int kOutermost = 0;

// The parameter of a lambda; lambdas inside of lambdas need names of their own.
QString parameter(int depth) { return QStringLiteral("p%1").arg(depth); }

QString equalAt(const Type &type, const QString &a, const QString &b, int depth);

// AND over a list of booleans, NULL among them.
QString allOf(const QString &booleans, int depth)
{
    return QStringLiteral("list_reduce(%1, lambda %2, %3: %2 AND %3, TRUE)")
        .arg(booleans, parameter(depth), parameter(depth + 1));
}

QString equalRows(const Type &type, const QString &a, const QString &b, int depth)
{
    QStringList fields;
    for (qsizetype i = 0; i < type.fields.size(); ++i)
        fields.append(equalAt(type.fields[i].type, fieldText(a, i), fieldText(b, i), depth));
    return u'(' + fields.join(QStringLiteral(" AND ")) + u')';
}

QString whereAsLong(const QString &a, const QString &b, const QString &equal)
{
    return QStringLiteral("CASE WHEN %1 IS NULL OR %2 IS NULL THEN NULL WHEN len(%1) <> len(%2) "
                          "THEN FALSE ELSE %3 END")
        .arg(a, b, equal);
}

QString equalArrays(const Type &type, const QString &a, const QString &b, int depth)
{
    const QString pair = parameter(depth);
    const QString equal = equalAt(type.fields[0].type, pair + QStringLiteral("[1]"),
                                  pair + QStringLiteral("[2]"), depth + 1);
    const QString each =
        QStringLiteral("list_transform(list_zip(%1, %2), lambda %3: %4)").arg(a, b, pair, equal);
    return whereAsLong(a, b, allOf(each, depth));
}

QString equalMaps(const Type &type, const QString &a, const QString &b, int depth)
{
    const QString entry = parameter(depth);
    const QString key = fieldText(entry, 0);
    const QString equal = equalAt(type.fields[1].type, fieldText(entry, 1),
                                  QStringLiteral("%1[%2]").arg(b, key), depth + 1);
    const QString each = QStringLiteral("list_transform(map_entries(%1), lambda %3: CASE WHEN "
                                        "map_contains(%2, %4) THEN %5 ELSE FALSE END)")
                             .arg(a, b, entry, key, equal);
    const auto keys = QStringLiteral("map_keys(%1)");
    return whereAsLong(keys.arg(a), keys.arg(b), allOf(each, depth));
}

QString equalAt(const Type &type, const QString &a, const QString &b, int depth)
{
    switch (type.kind) {
    case TypeKind::Row: return equalRows(type, a, b, depth);
    case TypeKind::Array: return equalArrays(type, a, b, depth);
    case TypeKind::Map: return equalMaps(type, a, b, depth);
    default: break;
    }
    const QString equal = QStringLiteral("(%1 = %2)").arg(a, b);
    return type.isFloat()
               ? QStringLiteral("(%1 AND NOT (isnan(%2) AND isnan(%3)))").arg(equal, a, b)
               : equal;
}

QString nullInside(const Type &type, const QString &value, int depth)
{
    QStringList tests;
    if (type.is(TypeKind::Array)) {
        tests.append(QStringLiteral("len(%1) <> list_count(%1)").arg(value));
        const QString element = parameter(depth);
        if (type.fields[0].type.isNested()) {
            tests.append(
                QStringLiteral("list_bool_or(list_transform(%1, lambda %2: %3))")
                    .arg(value, element, nullInside(type.fields[0].type, element, depth + 1)));
        }
    } else {
        for (qsizetype i = 0; i < type.fields.size(); ++i) {
            const QString field = fieldText(value, i);
            tests.append(field + QStringLiteral(" IS NULL"));
            if (type.fields[i].type.isNested())
                tests.append(nullInside(type.fields[i].type, field, depth));
        }
    }
    return QStringLiteral("(%1 IS NOT NULL AND (%2))")
        .arg(value, tests.join(QStringLiteral(" OR ")));
}

bool holdsMap(const Type &type)
{
    return type.is(TypeKind::Map) ||
           std::any_of(type.fields.begin(), type.fields.end(),
                       [](const TypeField &field) { return holdsMap(field.type); });
}

QString canonicalAt(const Type &type, const QString &value, int depth);

QString canonicalRow(const Type &type, const QString &value, int depth)
{
    QStringList fields;
    for (qsizetype i = 0; i < type.fields.size(); ++i)
        fields.append(canonicalAt(type.fields[i].type, fieldText(value, i), depth));
    return QStringLiteral("CASE WHEN %1 IS NOT NULL THEN %2 END").arg(value, rowText(type, fields));
}

QString canonicalMap(const Type &type, const QString &value, int depth)
{
    const QString entry = parameter(depth);
    const QString part = canonicalAt(type.fields[1].type, fieldText(entry, 1), depth + 1);
    return QStringLiteral("map_from_entries(list_sort(list_transform(map_entries(%1), lambda %2: "
                          "struct_pack(k := %3, v := %4))))")
        .arg(value, entry, fieldText(entry, 0), part);
}

QString canonicalAt(const Type &type, const QString &value, int depth)
{
    if (!holdsMap(type))
        return value;
    if (type.is(TypeKind::Row))
        return canonicalRow(type, value, depth);
    if (type.is(TypeKind::Map))
        return canonicalMap(type, value, depth);
    const QString element = parameter(depth);
    return QStringLiteral("list_transform(%1, lambda %2: %3)")
        .arg(value, element, canonicalAt(type.fields[0].type, element, depth + 1));
}

bool allFields(const Type &type, bool (*holds)(const Type &))
{
    return std::all_of(type.fields.begin(), type.fields.end(),
                       [holds](const TypeField &field) { return holds(field.type); });
}

bool isOrdered(const Type &type)
{
    return isNestedOrder(type) || (isOrderable(type) && !type.isFloat());
}

}  // namespace

Type arrayOf(const Type &element) { return {.kind = TypeKind::Array, .fields = {{{}, element}}}; }

QString fieldName(const Type &row, qsizetype index)
{
    const QString &name = row.fields[index].name;
    return quotedIdentifier(name.isEmpty() ? QStringLiteral("$%1").arg(index + 1) : name);
}

QString fieldText(const QString &row, qsizetype index)
{
    return QStringLiteral("struct_extract_at(%1, %2)").arg(row, QString::number(index + 1));
}

QString rowText(const Type &row, const QStringList &values)
{
    QStringList fields;
    for (qsizetype i = 0; i < values.size(); ++i)
        fields.append(fieldName(row, i) + QStringLiteral(" := ") + values[i]);
    return QStringLiteral("struct_pack(") + fields.join(QStringLiteral(", ")) + u')';
}

qsizetype partCount(const Type &type)
{
    qsizetype count = 1;
    for (const auto &field : type.fields)
        count += partCount(field.type);
    return count;
}

int depthOf(const Type &type)
{
    int inside = 0;
    for (const auto &field : type.fields)
        inside = std::max(inside, depthOf(field.type));
    return type.isNested() ? inside + 1 : 0;
}

bool isEquatable(const Type &type)
{
    if (type.is(TypeKind::Map)) {
        const Type &key = type.fields[0].type;
        return isOrderable(key) && !key.isFloat() && isEquatable(type.fields[1].type);
    }
    return type.isNested() ? allFields(type, isEquatable) : isOrderable(type);
}

bool isComparable(const Type &type) { return isEquatable(type) && !holdsMap(type); }

bool isNestedOrder(const Type &type)
{
    return (type.is(TypeKind::Array) || type.is(TypeKind::Row)) && allFields(type, isOrdered);
}

QString canonicalText(const Type &type, const QString &value)
{
    return canonicalAt(type, value, kOutermost);
}

QString equalText(const Type &type, const QString &a, const QString &b)
{
    return equalAt(type, a, b, kOutermost);
}

QString orderedText(const Type &type, const QString &value)
{
    return QStringLiteral("CASE WHEN %1 THEN error('arrays and rows with NULL inside have no order "
                          "in the embedded engine') ELSE %2 END")
        .arg(nullInside(type, value, kOutermost), value);
}

}  // namespace ivm::duckdb
