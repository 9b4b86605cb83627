#include "plugins/executor_duckdb/engine/interrupter.h"

#include <condition_variable>
#include <mutex>

namespace ivm::duckdb {

namespace {

// An interrupt that comes before the statement has begun is lost, so it is repeated.
constexpr auto kRepeat = std::chrono::milliseconds(20);

void watch(const std::stop_token &done, duckdb_connection connection, const Call &call)
{
    std::mutex mutex;
    std::condition_variable_any wake;
    const std::stop_callback onStop(call.stop, [&] {
        {
            const std::lock_guard lock(mutex);
        }
        wake.notify_all();
    });
    std::unique_lock lock(mutex);
    const auto stopped = [&] { return call.stop.stop_requested(); };
    if (call.deadline)
        wake.wait_until(lock, done, *call.deadline, stopped);
    else
        wake.wait(lock, done, stopped);
    while (!done.stop_requested()) {
        duckdb_interrupt(connection);
        wake.wait_for(lock, done, kRepeat, [] { return false; });
    }
}

}  // namespace

Interrupter::Interrupter(duckdb_connection connection, const Call &call)
{
    if (call.deadline || call.stop.stop_possible())
        m_watch = std::jthread(
            [connection, call](const std::stop_token &done) { watch(done, connection, call); });
}

}  // namespace ivm::duckdb
