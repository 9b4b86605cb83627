// The right to change one line of history, held for as long as the object lives and kept alive by a
// thread of its own.
//
// Threads: made, used and destroyed by one thread. Lifetime: the store outlives it.
#pragma once

#include "framework/api/history.h"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace ivm::migrate {

class LockKeeper {
public:
    // As HistoryStore::acquire().
    static Result<std::unique_ptr<LockKeeper>>
    acquire(HistoryStore &store, const LockRequest &request, const Call &outer);
    ~LockKeeper();
    LockKeeper(const LockKeeper &) = delete;
    LockKeeper &operator=(const LockKeeper &) = delete;

    const QString &token() const { return m_lock.token; }
    // What work under the lock runs with: stopped when the caller's call is, and when the lock is
    // lost.
    const Call &call() const { return m_call; }
    bool isLost() const { return m_isLost; }
    // Before something that only the holder may do: a heartbeat, which tells whether somebody has
    // taken the lock meanwhile. Conflict, and the kinds of HistoryStore::renew().
    Status confirm(const Call &call);
    // For people who look at the lock; told with the next heartbeat.
    void doing(const QString &what);

private:
    LockKeeper(HistoryStore &store, MigrationLock lock, const LockRequest &request,
               const Call &outer);
    void keepAlive(const std::stop_token &ended);

    HistoryStore &m_store;
    MigrationLock m_lock;
    const std::chrono::seconds m_lifetime;
    std::stop_source m_stop;
    Call m_call;
    std::stop_callback<std::function<void()>> m_passOn;
    std::mutex m_mutex;
    QString m_doing;
    std::atomic<bool> m_isLost = false;
    std::jthread m_keeper;
};

}  // namespace ivm::migrate
