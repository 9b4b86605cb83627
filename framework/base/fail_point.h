// Named points at which a test lets the program die or fail, to see what the next run makes of it.
//
// Off unless the environment names one: IVM_FAIL_POINT=<point>[:<nth>]=kill|error, where `nth` (1
// without it) says how many times the point has to be reached. Compiled out where the tests are not
// built. Threads: any. Lifetime: read once, when a point is first reached.
#pragma once

#include "framework/base/result.h"

namespace ivm {

// At the point that is named: the process ends as by kill -9, or this is Unavailable (code
// `fail_point`), naming the point.
#ifdef IVM_NO_FAIL_POINTS
inline Status failPoint(QStringView) { return {}; }
#else
Status failPoint(QStringView point);
#endif

}  // namespace ivm
