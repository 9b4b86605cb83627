// A view's target in the hands of one who changes it otherwise than by a refresh: nobody else
// refreshes it meanwhile, and no commit of the view is left open.
//
// CREATE OR REPLACE TABLE, RENAME and a rollback have no guard on the table's state: it is looked
// at right before, and whoever shares the state store is kept off by the lease. Who writes the
// target with a state store of his own between that look and the statement loses what he wrote; he
// finds a head that is not his, and recomputes.
//
// Threads: the calling thread's. Lifetime: services and view outlive it.
#pragma once

#include "framework/refresh/target_version.h"

namespace ivm {

class HeldTarget {
public:
    // Conflict while somebody else is at work, be it a statement of a run that is gone. Else as
    // Executor::openSession, Session::settle, the store.
    static Result<std::unique_ptr<HeldTarget>> take(RefreshServices &services, const View &view,
                                                    const Call &call);

    const Call &call() const { return m_lease->call(); }
    Session &session() { return *m_session; }

    Result<TargetVersion> now();

    // Runs one statement that changes the target, if that still stands there. Conflict where it
    // does not; as Session::run.
    Result<StatementResult> change(const TableHead &expected, const QString &sql);

    // Whether the target's head is a snapshot that CREATE OR REPLACE TABLE has made, and nothing
    // came after it; no snapshot is none with rows.
    Result<bool> isReplacedAt(const TableHead &head);

private:
    HeldTarget(RefreshServices &services, const View &view) : m_services(services), m_view(view) {}
    Status prepare(const Call &call);
    Status checkStillAt(const TableHead &expected);

    RefreshServices &m_services;
    const View &m_view;
    std::unique_ptr<Lease> m_lease;
    std::unique_ptr<Session> m_session;
};

}  // namespace ivm
