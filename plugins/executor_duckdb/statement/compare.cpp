#include "plugins/executor_duckdb/statement/compare.h"

#include <algorithm>

namespace ivm::duckdb {

namespace {

QString notDistinct(const QString &name)
{
    return QStringLiteral("f.%1 IS NOT DISTINCT FROM c.%1").arg(name);
}

// DuckDB takes 0.0 and -0.0 for one.
QString sameBits(const QString &name)
{
    return QStringLiteral(
               "(f.%1 IS NOT DISTINCT FROM c.%1 AND (f.%1 IS NULL OR f.%1 <> 0 OR signbit(f.%1) = "
               "signbit(c.%1)))")
        .arg(name);
}

// As texts zeros differ; NaN has no sign.
QString sameBitsInside(const QString &name)
{
    return QStringLiteral("(f.%1 IS NOT DISTINCT FROM c.%1 AND replace(f.%1::VARCHAR, '-nan', "
                          "'nan') IS NOT DISTINCT FROM replace(c.%1::VARCHAR, '-nan', 'nan'))")
        .arg(name);
}

// DuckDB's NaN equals itself and is above every number. The 1e308 keeps an infinite difference from
// passing as small against an infinite value.
QString nearlySame(const QString &name)
{
    return QStringLiteral(
               "coalesce(f.%1 = c.%1 OR abs(f.%1::DOUBLE - c.%1::DOUBLE) <= least(1e-9 * "
               "greatest(abs(f.%1::DOUBLE), abs(c.%1::DOUBLE), 1e-300), 1e308), f.%1 IS NULL AND "
               "c.%1 IS NULL)")
        .arg(name);
}

bool holdsFloats(const Type &type)
{
    return type.isFloat() ||
           std::any_of(type.fields.begin(), type.fields.end(),
                       [](const TypeField &field) { return holdsFloats(field.type); });
}

QString sameValue(const OutputColumn &column)
{
    const QString name = quotedIdentifier(column.name);
    if (column.type.isNested() && holdsFloats(column.type))
        return sameBitsInside(name);
    if (!column.type.isFloat())
        return notDistinct(name);
    return column.columnClass == ColumnClass::Float ? nearlySame(name) : sameBits(name);
}

QString all(const QStringList &conditions)
{
    return conditions.isEmpty() ? QStringLiteral("true") : conditions.join(QStringLiteral(" AND "));
}

}  // namespace

QString sameKeys(const QList<OutputColumn> &columns)
{
    QStringList conditions;
    for (const auto &column : columns) {
        if (column.columnClass == ColumnClass::Key)
            conditions.append(notDistinct(quotedIdentifier(column.name)));
    }
    // A full join wants a comparison.
    return conditions.isEmpty() ? QStringLiteral("f.\"$one\" = c.\"$one\"") : all(conditions);
}

QString sameValues(const QList<OutputColumn> &columns)
{
    QStringList conditions;
    for (const auto &column : columns) {
        if (column.columnClass != ColumnClass::Key)
            conditions.append(sameValue(column));
    }
    return all(conditions);
}

QString keyList(const QList<OutputColumn> &columns)
{
    QStringList keys;
    for (const auto &column : columns) {
        if (column.columnClass == ColumnClass::Key)
            keys.append(quotedIdentifier(column.name));
    }
    return keys.isEmpty() ? QStringLiteral("\"$one\"") : keys.join(QStringLiteral(", "));
}

}  // namespace ivm::duckdb
