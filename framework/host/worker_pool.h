// A bounded number of threads that run jobs as plain synchronous code, in the order in which they
// were given.
//
// Threads: made, used and destroyed by one. Jobs run elsewhere and must not outlive what they refer
// to: the destructor stops them and waits for them.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace ivm {

class WorkerPool {
public:
    // The token is triggered by stop(); a job that waits heeds it.
    using Job = std::function<void(std::stop_token)>;

    explicit WorkerPool(int threads);
    ~WorkerPool();
    WorkerPool(const WorkerPool &) = delete;
    WorkerPool &operator=(const WorkerPool &) = delete;

    void run(Job job);

    // No job begins any more, and those that run are asked to end.
    void stop();
    // Whether all have ended by then.
    bool waitUntil(std::chrono::steady_clock::time_point end);

private:
    void work();

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Job> m_jobs;
    int m_busy = 0;
    std::stop_source m_stop;
    std::vector<std::jthread> m_threads;
};

}  // namespace ivm
