#include "framework/base/call.h"

#include <algorithm>

namespace ivm {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

Status Call::check(QStringView what) const
{
    if (stop.stop_requested())
        return fail(cancelledError(what + QStringLiteral(" was cancelled")));
    if (deadline && steady_clock::now() >= *deadline)
        return fail(timeoutError(what + QStringLiteral(" ran out of time")));
    return {};
}

Call Call::within(std::optional<milliseconds> time) const
{
    if (!time)
        return *this;
    const auto end = steady_clock::now() + *time;
    return {.stop = stop, .deadline = deadline && *deadline < end ? deadline : end};
}

milliseconds Call::remaining(milliseconds most) const
{
    if (!deadline)
        return most;
    const auto left = std::chrono::ceil<milliseconds>(*deadline - steady_clock::now());
    return std::clamp(left, milliseconds::zero(), most);
}

}  // namespace ivm
