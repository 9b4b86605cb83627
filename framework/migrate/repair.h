// What a person does to the history itself: saying where a line stands, settling what a run left
// that died, taking away its lock.
//
// Threads: one thread. Lifetime: what the services refer to outlives it.
#pragma once

#include "framework/migrate/runner.h"

namespace ivm::migrate {

class Repair {
public:
    explicit Repair(RunServices services) : m_services(std::move(services)) {}

    // Says that the line is at `version` without running anything: records of the versions up to it
    // are applied, those after it rolled back, and what was begun is forgotten.
    Status stamp(const MigrationFolder &folder, qint64 version, const Call &call);

    // The one step whose outcome is not known is done, or was not. Gives waysOn() from there.
    // NotFound (code `nothing_unclear`).
    enum class Outcome { Done, NotDone };
    Result<QStringList> settleStep(const MigrationFolder &folder, Outcome outcome,
                                   const Call &call);

    // Takes the lock from a holder that gives no sign of life; from any by force. Gives who it was.
    // NotFound without one; Conflict (code `migration_lock_held`) for one that is alive.
    enum class From { TheDead, Anybody };
    Result<QString> unlock(const QString &line, From from, const Call &call);

    // What was found, what was done about it, and what is left to a person.
    struct Report {
        QStringList found;
        QStringList done;
        QStringList left;
    };
    // Takes a dead run's lock away, and drops the tables of rollouts that no run will go on with.
    Result<Report> repair(const MigrationFolder &folder, const Call &call);

private:
    Result<std::unique_ptr<LockKeeper>> lock(const QString &line, const QString &doing,
                                             const Call &call);
    Status repairLock(const QString &line, Report &report, const Call &call);
    Status dropLeftovers(const MigrationHistory &history, const LineState &state, Report &report,
                         const Call &call);

    RunServices m_services;
};

}  // namespace ivm::migrate
