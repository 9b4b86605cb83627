// Division that rounds down, as calendars and partitions need it before 1970.
//
// Pure; any thread.
#pragma once

#include <QtGlobal>

namespace ivm {

// `by` is positive.
constexpr qint64 floorDivide(qint64 value, qint64 by)
{
    return value / by - (value % by < 0 ? 1 : 0);
}

}  // namespace ivm
