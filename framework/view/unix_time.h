// Times as seconds since 1970, and back.
//
// Pure; any thread.
#pragma once

#include "framework/view/bucket_value.h"

namespace ivm {

// to_unixtime(time): a double.
Following secondsOf(Following time);

// CAST(seconds AS bigint), of such seconds.
Following roundedSeconds(const Following &seconds);

// floor(seconds / by) * by, of such seconds.
Following flooredSeconds(const Following &seconds, qint64 by);

// from_unixtime(seconds), of such seconds.
Following instantOf(const Following &seconds);

// from_unixtime() of a whole number that counts so many microseconds, each `slack` off at most.
Following instantOf(const Following &number, qint64 microsOfOne, Micros slack,
                    const QString &column);

}  // namespace ivm
