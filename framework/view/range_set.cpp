#include "framework/view/range_set.h"

#include <algorithm>

namespace ivm {

namespace {

// Whether `a` ends before `b` begins, with a gap between them.
bool endsBefore(const BucketRange &a, const BucketRange &b)
{
    return a.to && b.from && *a.to < *b.from;
}

void stretch(BucketRange &range, const BucketRange &by)
{
    if (!by.from || (range.from && *by.from < *range.from))
        range.from = by.from;
    if (!by.to || (range.to && *by.to > *range.to))
        range.to = by.to;
}

}  // namespace

bool RangeSet::coversEverything() const { return m_nullBucket && m_ranges == QList{BucketRange{}}; }

void RangeSet::add(BucketRange range)
{
    if (range.from && range.to && *range.from >= *range.to)
        return;
    const auto first =
        std::partition_point(m_ranges.cbegin(), m_ranges.cend(),
                             [&](const auto &have) { return endsBefore(have, range); });
    const auto last = std::partition_point(
        first, m_ranges.cend(), [&](const auto &have) { return !endsBefore(range, have); });
    std::for_each(first, last, [&](const auto &have) { stretch(range, have); });
    m_ranges.insert(m_ranges.erase(first, last), range);
}

void RangeSet::addEverything()
{
    m_ranges = {BucketRange{}};
    m_nullBucket = true;
}

void RangeSet::add(const RangeSet &other)
{
    for (const auto &range : other.m_ranges)
        add(range);
    m_nullBucket = m_nullBucket || other.m_nullBucket;
}

// Gap i lies before range i, between two bounds that are there; an unsigned width cannot overflow.
quint64 RangeSet::gapBefore(qsizetype index) const
{
    return quint64(*m_ranges[index].from) - quint64(*m_ranges[index - 1].to);
}

void RangeSet::closeGaps(const std::function<bool(qsizetype)> &isClosed)
{
    QList<BucketRange> joined;
    for (qsizetype i = 0; i < m_ranges.size(); ++i) {
        if (i > 0 && isClosed(i))
            stretch(joined.last(), m_ranges[i]);
        else
            joined.append(m_ranges[i]);
    }
    m_ranges = joined;
}

void RangeSet::closeNarrowGaps()
{
    quint64 covered = 0;
    for (const auto &range : m_ranges) {
        if (range.from && range.to)
            covered += quint64(*range.to) - quint64(*range.from);
    }
    closeGapsBelow(covered / 100);
}

void RangeSet::closeGapsBelow(quint64 width)
{
    closeGaps([&](qsizetype i) { return gapBefore(i) < width; });
}

void RangeSet::limitTo(qsizetype most)
{
    Q_ASSERT(most >= 1);
    const qsizetype surplus = m_ranges.size() - most;
    if (surplus <= 0)
        return;
    QList<qsizetype> gaps;
    for (qsizetype i = 1; i < m_ranges.size(); ++i)
        gaps.append(i);
    std::nth_element(gaps.begin(), gaps.begin() + surplus - 1, gaps.end(),
                     [&](qsizetype a, qsizetype b) {
                         return std::pair(gapBefore(a), a) < std::pair(gapBefore(b), b);
                     });
    gaps.resize(surplus);
    std::ranges::sort(gaps);
    closeGaps([&](qsizetype i) { return std::ranges::binary_search(gaps, i); });
}

}  // namespace ivm
