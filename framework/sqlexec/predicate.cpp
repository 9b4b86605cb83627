#include "framework/sqlexec/predicate.h"

namespace ivm {

namespace {

QString rangePredicate(const LiteralRange &range, const QString &column)
{
    if (range.from && range.to)
        return column + QStringLiteral(" >= ") + *range.from + QStringLiteral(" AND ") + column +
               QStringLiteral(" < ") + *range.to;
    if (range.from)
        return column + QStringLiteral(" >= ") + *range.from;
    if (range.to)
        return column + QStringLiteral(" < ") + *range.to;
    return column + QStringLiteral(" IS NOT NULL");
}

}  // namespace

QString bucketPredicate(const BucketFilter &filter, QStringView qualifier)
{
    const QString column = qualifier + u'.' + quotedIdentifier(filter.column);
    QStringList parts;
    for (const auto &range : filter.ranges)
        parts.append(rangePredicate(range, column));
    if (filter.nullBucket)
        parts.append(column + QStringLiteral(" IS NULL"));
    if (parts.isEmpty())
        return QStringLiteral("(FALSE)");
    return u'(' + parts.join(QStringLiteral(" OR ")) + u')';
}

}  // namespace ivm
