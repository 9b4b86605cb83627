#include "framework/host/time_share.h"

#include <algorithm>

#include <ctime>

namespace ivm {

namespace {

using namespace std::chrono_literals;

std::chrono::nanoseconds processorTime()
{
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

TimeShare::TimeShare(int part, std::chrono::nanoseconds burst)
    : m_part(part), m_burst(burst), m_seen(std::chrono::steady_clock::now()),
      m_used(processorTime())
{
}

std::chrono::nanoseconds TimeShare::rest()
{
    const auto now = std::chrono::steady_clock::now();
    const auto used = processorTime();
    const std::chrono::nanoseconds earned = (now - m_seen) / m_part;
    m_owed = std::clamp(m_owed + (used - m_used) - earned, 0ns, 2 * m_burst);
    m_seen = now;
    m_used = used;
    return std::max(0ns, m_owed - m_burst) * m_part;
}

}  // namespace ivm
