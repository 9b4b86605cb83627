// Which buckets of a view are to be recomputed: a union of disjoint half-open ranges, and perhaps
// the NULL bucket.
//
// Plain data; any thread.
#pragma once

#include "framework/view/bucket.h"

#include <QList>

#include <functional>

namespace ivm {

// [from, to); a missing bound is open.
struct BucketRange {
    std::optional<Micros> from;
    std::optional<Micros> to;

    bool operator==(const BucketRange &) const = default;
};

class RangeSet {
public:
    bool isEmpty() const { return m_ranges.isEmpty() && !m_nullBucket; }
    bool coversEverything() const;
    bool hasNullBucket() const { return m_nullBucket; }
    // Ascending, disjoint and not touching one another.
    const QList<BucketRange> &ranges() const { return m_ranges; }

    void add(BucketRange range);
    void addNullBucket() { m_nullBucket = true; }
    void addEverything();
    void add(const RangeSet &other);

    // Closes the gaps that are narrower than a hundredth of the ranges together: one wider range
    // costs an engine less than two conditions that hold for nearly the same rows.
    void closeNarrowGaps();
    // Closes the gaps that are narrower than `width`.
    void closeGapsBelow(quint64 width);
    // Closes the smallest gaps until at most `most` ranges (at least 1) are left: more buckets,
    // never fewer.
    void limitTo(qsizetype most);

    bool operator==(const RangeSet &) const = default;

private:
    quint64 gapBefore(qsizetype index) const;
    void closeGaps(const std::function<bool(qsizetype)> &isClosed);

    QList<BucketRange> m_ranges;
    bool m_nullBucket = false;
};

}  // namespace ivm
