#include "framework/api/detector.h"

#include <algorithm>

namespace ivm {

namespace {

// Whether a column that is so in some files and so in others is NULL in some rows.
NullState together(NullState left, NullState right)
{
    if (left == right)
        return left;
    const bool isKnown = left != NullState::Unknown && right != NullState::Unknown;
    return isKnown ? NullState::Some : NullState::Unknown;
}

}  // namespace

bool mayHold(const FileBounds &bounds, const FileBounds &interval)
{
    if (bounds.nullState == NullState::Always)
        return false;
    if (bounds.lower && interval.upper && *bounds.lower > *interval.upper)
        return false;
    return !(bounds.upper && interval.lower && *bounds.upper < *interval.lower);
}

void FileTotals::add(const FileChange &file)
{
    const FileBounds &other = file.bounds;
    if (files == 0) {
        bounds = other;
    } else {
        const bool isKnown = bounds.lower && bounds.upper && other.lower && other.upper;
        const bool wasNull = bounds.nullState == NullState::Always;
        if (wasNull) {
            bounds.lower = other.lower;
            bounds.upper = other.upper;
        } else if (isKnown) {
            bounds.lower = std::min(*bounds.lower, *other.lower);
            bounds.upper = std::max(*bounds.upper, *other.upper);
        } else if (other.nullState != NullState::Always) {
            bounds.lower.reset();
            bounds.upper.reset();
        }
        bounds.nullState = together(bounds.nullState, other.nullState);
    }
    ++files;
    records += file.records;
    bytes += file.bytes;
}

}  // namespace ivm
