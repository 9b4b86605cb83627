// Runs migrations: one line at a time, each step recorded before and after it is done, so that a
// run that died is gone on with and nothing is repeated blindly.
//
// The walk of a run: the history → makePlan() → the lock → the history again, as it is under the
// lock → for each migration its steps (step_runner.h), its `verify` queries, its record.
//
// Threads: one thread. Lifetime: what the services refer to outlives it.
#pragma once

#include "framework/migrate/journal.h"
#include "framework/migrate/lock_keeper.h"
#include "framework/migrate/step_runner.h"

namespace ivm::migrate {

struct RunServices {
    HistoryStore &history;
    std::function<Result<Executor *>()> executor;
    ViewBuilder &builder;
    const Clock &clock;
    Actor actor;
    TableName defaults;  // catalog and schema of bare names
};

// Told as a run goes on; what is not given is not told.
struct RunProgress {
    std::function<void(const QString &holder)> waiting;  // for the lock
    std::function<void(const PlannedMigration &, const PlannedStep &)> step;
    std::function<void(const PlannedMigration &, double seconds)> done;
};

struct RunRequest {
    const MigrationFolder &folder;
    Direction direction = Direction::Upgrade;
    QString goal;  // as parseGoal() reads it
    QList<OtherView> others;
    std::chrono::seconds wait{0};  // for a lock that another holds
    bool mayLose = false;          // destructive steps were agreed to
    RunProgress progress;
};

struct RunOutcome {
    struct Done {
        qint64 version = 0;
        Direction direction = Direction::Upgrade;
        QString label;
        double seconds = 0;
    };
    // The steps that were done, with what each took (StepRunner::run).
    struct DoneStep {
        qint64 version = 0;
        qint64 number = 0;
        QString text;
        QJsonObject result;
    };
    QList<Done> done;
    QList<DoneStep> steps;
    qint64 current = 0;          // version that is applied now
    bool isPartial = false;      // something was done before the error
    std::optional<Error> error;  // what ended it
};

class Runner {
public:
    explicit Runner(RunServices services) : m_services(std::move(services)) {}

    // An outcome wherever something may have been done, or there was nothing to do; an error where
    // nothing was begun. Errors as parseGoal(), makePlan(), preflight(), HistoryStore; Invalid
    // (code `needs_agreement`) for a destructive step that nobody has agreed to.
    Result<RunOutcome> run(const RunRequest &request, const Call &call);

    // What run() would do now. Writes nothing.
    struct Look {
        MigrationHistory history;
        LineState state;
        MigrationGoal goal;
        MigrationPlan plan;
    };
    Result<Look> look(const RunRequest &request, const Call &call);

private:
    class Run;

    Result<std::unique_ptr<LockKeeper>> lock(const QString &line, const QString &doing,
                                             const RunRequest &request, const Call &call);
    Status checkTables(const Look &look, const QList<OtherView> &others, const Call &call);

    RunServices m_services;
};

}  // namespace ivm::migrate
