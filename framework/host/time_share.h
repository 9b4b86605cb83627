// A share of a thread's processor time, for work that must leave the rest to others.
//
// Threads: the one whose time it is.
#pragma once

#include <chrono>

namespace ivm {

class TimeShare {
public:
    // One part in so many; a burst of work is free, after as much rest as it takes to earn it.
    TimeShare(int part, std::chrono::nanoseconds burst);

    // How long to wait before more work, to keep to the share; never longer than a burst takes to
    // earn: nobody waits for ever where other work of the thread uses it up.
    std::chrono::nanoseconds rest();

private:
    const int m_part;
    const std::chrono::nanoseconds m_burst;
    std::chrono::steady_clock::time_point m_seen;
    std::chrono::nanoseconds m_used;     // of the thread, at m_seen
    std::chrono::nanoseconds m_owed{0};  // worked and not earned yet
};

}  // namespace ivm
