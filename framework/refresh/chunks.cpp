#include "framework/refresh/chunks.h"

namespace ivm {

namespace {

constexpr qsizetype kMostChunks = 1000;

// Starts of units inside of the range, its own start excepted; nothing when they are too many.
std::optional<QList<Micros>> bordersIn(BucketUnit unit, Micros from, Micros to)
{
    QList<Micros> borders;
    for (Micros at = nextBucketStart(unit, bucketStart(unit, from)); at < to;
         at = nextBucketStart(unit, at)) {
        if (borders.size() + 1 >= kMostChunks)
            return {};
        borders.append(at);
    }
    return borders;
}

QList<Micros> bordersIn(const BucketRange &range, BucketUnit unit)
{
    if (!range.from || !range.to)
        return {};
    for (const auto wider : {unit, BucketUnit::Day, BucketUnit::Month, BucketUnit::Year}) {
        if (longestBucket(wider) < longestBucket(unit))
            continue;
        if (auto borders = bordersIn(wider, *range.from, *range.to))
            return *std::move(borders);
    }
    return {};
}

}  // namespace

QList<Chunk> chunksOf(const MeasuredColumn &column, const Type &bucketType, BucketUnit unit,
                      const FileBounds &bounds)
{
    QList<Micros> borders;
    if (column.function.keyDomain == BucketFunction::Domain::Time && bounds.lower && bounds.upper)
        borders = bordersIn(column.bucketsOf(bounds), unit);
    QList<Chunk> chunks{{.from = QStringLiteral("start"), .ranges = {}}};
    std::optional<Micros> from;
    for (const Micros border : borders) {
        const auto text = bucketText(bucketType, border);
        // Past the calendar that literals have: the rest is one chunk.
        if (!text)
            break;
        chunks.last().ranges.add(BucketRange{from, border});
        chunks.append({.from = *text, .ranges = {}});
        from = border;
    }
    chunks.last().ranges.add(BucketRange{from, std::nullopt});
    chunks.last().ranges.addNullBucket();
    return chunks;
}

}  // namespace ivm
