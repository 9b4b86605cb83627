#include "framework/host/worker_pool.h"

#include <utility>

namespace ivm {

WorkerPool::WorkerPool(int threads)
{
    for (int i = 0; i < threads; ++i)
        m_threads.emplace_back([this] { work(); });
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::run(Job job)
{
    {
        const std::lock_guard lock(m_mutex);
        m_jobs.push_back(std::move(job));
    }
    m_changed.notify_one();
}

void WorkerPool::stop()
{
    {
        const std::lock_guard lock(m_mutex);
        m_stop.request_stop();
        m_jobs.clear();
    }
    m_changed.notify_all();
}

bool WorkerPool::waitUntil(std::chrono::steady_clock::time_point end)
{
    std::unique_lock lock(m_mutex);
    return m_changed.wait_until(lock, end, [this] { return m_jobs.empty() && m_busy == 0; });
}

void WorkerPool::work()
{
    std::unique_lock lock(m_mutex);
    while (true) {
        m_changed.wait(lock, [this] { return m_stop.stop_requested() || !m_jobs.empty(); });
        if (m_stop.stop_requested())
            return;
        const Job job = std::move(m_jobs.front());
        m_jobs.pop_front();
        ++m_busy;
        lock.unlock();
        job(m_stop.get_token());
        lock.lock();
        --m_busy;
        m_changed.notify_all();
    }
}

}  // namespace ivm
