// The right to refresh one target, held for as long as the object lives and kept alive by a thread
// of its own.
//
// Threads: made, used and destroyed by one thread. Lifetime: the store outlives it.
#pragma once

#include "framework/api/store.h"

#include <condition_variable>
#include <memory>
#include <thread>

namespace ivm {

class Lease {
public:
    // Conflict while somebody else refreshes the target; else as StateStore.
    static Result<std::unique_ptr<Lease>> acquire(StateStore &store, const LeaseRequest &request,
                                                  const Call &outer);
    ~Lease();

    Lease(const Lease &) = delete;
    Lease &operator=(const Lease &) = delete;

    // What work under the lease runs with: stopped when the caller's call is, and when the lease is
    // lost.
    const Call &call() const { return m_call; }

private:
    Lease(StateStore &store, QString token, std::chrono::seconds lifetime, const Call &outer);
    void keepAlive(const std::stop_token &ended);

    StateStore &m_store;
    QString m_token;
    std::chrono::seconds m_lifetime;
    std::stop_source m_stop;
    Call m_call;
    std::stop_callback<std::function<void()>> m_passOn;
    std::jthread m_keeper;
};

}  // namespace ivm
