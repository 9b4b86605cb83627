// What every call that may wait carries: a way to stop it and a time by which it must end.
//
// Cheap to copy. The stop token may be triggered from any thread; everything else belongs to the
// calling thread.
#pragma once

#include "framework/base/result.h"

#include <chrono>
#include <optional>
#include <stop_token>

namespace ivm {

struct Call {
    std::stop_token stop;
    std::optional<std::chrono::steady_clock::time_point> deadline;

    // Cancelled when stopped, Timeout when past the deadline, otherwise fine. `what` names the work
    // in the message.
    Status check(QStringView what) const;

    // The same call, ending `time` from now if it would not end before; without a time, itself.
    Call within(std::optional<std::chrono::milliseconds> time) const;

    // The time left, at most `most`; never negative.
    std::chrono::milliseconds remaining(std::chrono::milliseconds most) const;
};

}  // namespace ivm
