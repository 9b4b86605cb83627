#include "framework/view/rewrite.h"

#include <algorithm>

namespace ivm {

namespace {

struct Insertion {
    qsizetype offset;
    QString text;
};

// Insertions at one offset stay in the order of the list.
QString withInsertions(const QString &text, QList<Insertion> insertions)
{
    std::ranges::stable_sort(insertions, {}, &Insertion::offset);
    QString result;
    qsizetype done = 0;
    for (const auto &insertion : insertions) {
        result += QStringView(text).sliced(done, insertion.offset - done);
        result += insertion.text;
        done = insertion.offset;
    }
    return result + QStringView(text).sliced(done);
}

// A quoted name may be followed by the next word at once: FROM "t"u.
QStringView spaceBefore(const QString &text, qsizetype offset)
{
    const bool isWord = offset < text.size() && (text[offset].isLetterOrNumber() ||
                                                 text[offset] == u'_' || text[offset] == u'"');
    return isWord ? u" " : u"";
}

QList<Insertion> pinInsertions(const ViewShape &shape, const Pins &pins)
{
    QList<Insertion> insertions;
    for (const auto &source : shape.sources) {
        if (const auto pin = pins.constFind(source.table); pin != pins.cend())
            insertions.append({source.span.end, QStringLiteral(" FOR VERSION AS OF %1").arg(*pin) +
                                                    spaceBefore(shape.query, source.span.end)});
    }
    return insertions;
}

QString both(const QString &a, const QString &b)
{
    return a.isEmpty() ? b : b.isEmpty() ? a : a + QStringLiteral(" AND ") + b;
}

// One half-open range as a condition; empty when it is open at both ends.
QString rangeCondition(const QString &value, const std::optional<QString> &from,
                       const std::optional<QString> &to)
{
    const QString above = from ? value + QStringLiteral(" >= ") + *from : QString();
    const QString below = to ? value + QStringLiteral(" < ") + *to : QString();
    return both(above, below);
}

// A disjunction in parentheses. A part that is empty is true for every value but NULL.
QString anyOf(const QStringList &parts, const QString &value, bool orNull)
{
    QStringList terms;
    for (const auto &part : parts)
        terms.append(part.isEmpty() ? value + QStringLiteral(" IS NOT NULL") : part);
    if (orNull)
        terms.append(value + QStringLiteral(" IS NULL"));
    return terms.isEmpty() ? QStringLiteral("false")
                           : u'(' + terms.join(QStringLiteral(" OR ")) + u')';
}

std::optional<QString> literalFrom(const Type &type, const std::optional<Micros> &bound)
{
    return bound ? bucketLiteral(type, *bound) : std::nullopt;
}

std::optional<QString> literalTo(const Type &type, const std::optional<Micros> &bound)
{
    return bound ? bucketLiteral(type, roundedUp(type, *bound)) : std::nullopt;
}

QString oneUnit(BucketUnit unit)
{
    switch (unit) {
    case BucketUnit::Millisecond: return QStringLiteral("INTERVAL '0.001' SECOND");
    case BucketUnit::Second: return QStringLiteral("INTERVAL '1' SECOND");
    case BucketUnit::Minute: return QStringLiteral("INTERVAL '1' MINUTE");
    case BucketUnit::Hour: return QStringLiteral("INTERVAL '1' HOUR");
    case BucketUnit::Day: return QStringLiteral("INTERVAL '1' DAY");
    case BucketUnit::Week: return QStringLiteral("INTERVAL '7' DAY");
    case BucketUnit::Month: return QStringLiteral("INTERVAL '1' MONTH");
    case BucketUnit::Quarter: return QStringLiteral("INTERVAL '3' MONTH");
    case BucketUnit::Year: return QStringLiteral("INTERVAL '1' YEAR");
    }
    Q_UNREACHABLE();
}

// An upper bound for the bare column that no row of a bucket below `to` can reach: the end of the
// last bucket that starts before `to`, by the engine's own calendar. Buckets start at whole
// seconds, or milliseconds, so the last of those before `to` is in that bucket.
std::optional<QString> columnUpperBound(const ShapeBucket &bucket, const BucketTypes &types,
                                        const std::optional<Micros> &to)
{
    // Beyond what a literal can say the buckets are open, and so is the column.
    if (!literalTo(types.bucket, to))
        return {};
    // A date is midnight, where each bucket of less than a day that it is in starts.
    const bool isWithinDay = types.column.is(TypeKind::Date) && bucket.unit < BucketUnit::Day;
    if (bucket.form == ShapeBucket::Form::Date || isWithinDay)
        return literalTo(types.column, to);
    const auto start =
        bucket.unit == BucketUnit::Millisecond ? BucketUnit::Millisecond : BucketUnit::Second;
    const auto before = bucketLiteral(types.column, bucketStart(start, *to - 1));
    if (!before)
        return {};
    return QStringLiteral("date_trunc('%1', %2) + %3")
        .arg(bucketUnitName(bucket.unit), *before, oneUnit(bucket.unit));
}

// Dates start at whole days, and literals of them are rounded outward to days.
BucketRange roundedOutward(const Type &bucketType, const BucketRange &range)
{
    if (!bucketType.is(TypeKind::Date))
        return range;
    BucketRange whole = range;
    if (whole.from)
        whole.from = bucketStart(BucketUnit::Day, *whole.from);
    if (whole.to)
        whole.to = roundedUp(bucketType, *whole.to);
    return whole;
}

// What the bare column is in the rows of `range`, or more.
QString columnCondition(const ShapeBucket &bucket, const QString &column, const BucketRange &range,
                        const BucketTypes &types)
{
    const Type &type = types.column;
    if (bucket.form == ShapeBucket::Form::Computed) {
        const BucketRange wide = bucket.function.columnRange(range);
        return rangeCondition(column, literalFrom(type, wide.from), literalTo(type, wide.to));
    }
    // Truncation never goes up, so a row of a bucket from `from` on is not before `from` either.
    return rangeCondition(column, literalFrom(type, range.from),
                          columnUpperBound(bucket, types, range.to));
}

QString rangeFilter(const ViewShape &shape, const RangeSet &ranges, const BucketTypes &types)
{
    const QString value = shape.bucket->expression.of(shape.query).toString();
    const QString column = shape.bucket->columnSpan.of(shape.query).toString();
    QStringList onBucket;
    QStringList onColumn;
    for (const auto &given : ranges.ranges()) {
        const BucketRange range = roundedOutward(types.bucket, given);
        onBucket.append(rangeCondition(value, literalFrom(types.bucket, range.from),
                                       literalTo(types.bucket, range.to)));
        onColumn.append(columnCondition(*shape.bucket, column, range, types));
    }
    return anyOf(onBucket, value, ranges.hasNullBucket()) + QStringLiteral(" AND ") +
           anyOf(onColumn, column, ranges.hasNullBucket());
}

}  // namespace

QString pinnedQuery(const ViewShape &shape, const Pins &pins)
{
    return withInsertions(shape.query, pinInsertions(shape, pins));
}

QString rangeQuery(const ViewShape &shape, const Pins &pins, const RangeSet &ranges,
                   const BucketTypes &types)
{
    Q_ASSERT(shape.bucket);
    auto insertions = pinInsertions(shape, pins);
    const QString filter = rangeFilter(shape, ranges, types);
    if (shape.where.empty()) {
        insertions.append({shape.whereOffset, QStringLiteral(" WHERE ") + filter});
    } else {
        insertions.append({shape.where.end, QStringLiteral(") AND ") + filter});
        insertions.append({shape.where.begin, QStringLiteral("(")});
    }
    return withInsertions(shape.query, insertions);
}

BucketFilter targetFilter(const ViewShape &shape, const RangeSet &ranges,
                          const Type &storedBucketType)
{
    Q_ASSERT(shape.bucket);
    BucketFilter filter{.column = shape.columns[shape.bucket->output].name,
                        .ranges = {},
                        .nullBucket = ranges.hasNullBucket()};
    for (const auto &range : ranges.ranges())
        filter.ranges.append(
            {literalFrom(storedBucketType, range.from), literalTo(storedBucketType, range.to)});
    return filter;
}

}  // namespace ivm
