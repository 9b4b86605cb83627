#include "framework/api/detector.h"

namespace ivm {

bool mayHold(const FileBounds &bounds, const FileBounds &interval)
{
    if (bounds.nullState == NullState::Always)
        return false;
    if (bounds.lower && interval.upper && *bounds.lower > *interval.upper)
        return false;
    return !(bounds.upper && interval.lower && *bounds.upper < *interval.lower);
}

}  // namespace ivm
