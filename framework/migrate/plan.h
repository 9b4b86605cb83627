// What a run would do: which migrations, which of their steps, with which statements.
//
// Pure; any thread. Lifetime: a plan points into the folder that it was made of.
#pragma once

#include "framework/migrate/history_state.h"
#include "framework/migrate/view_set.h"

namespace ivm::migrate {

struct PlannedStep {
    const Step *step = nullptr;
    qint64 number = 0;  // from 1, in its list
    StepState state = StepState::Pending;
    QString begun;  // what the run that began it has noted; empty for most
    QStringList statements;
    QString loss;  // lossOf()
    bool loses() const { return state != StepState::Done && !loss.isEmpty(); }
    std::optional<TableName> changes;  // the table that it makes or changes
    std::optional<View> view;          // of a step on one: as it is after it

    // Filled in by plan_estimate.h.
    struct Read {
        TableName table;
        std::optional<qint64> rows;  // none where metadata does not tell
        bool isThere = true;
        bool isMade = false;  // by a step before
    };
    QList<Read> reads;
    QString how;  // for people
};

struct PlannedMigration {
    const Migration *migration = nullptr;
    Direction direction = Direction::Upgrade;
    QList<PlannedStep> steps;
    bool goesOn = false;  // with what an earlier run has begun

    // The line's version when it is done, which the views that it changes are of then.
    qint64 versionAfter() const;
};

struct MigrationPlan {
    QList<PlannedMigration> migrations;

    bool isDestructive() const;
};

// Where to: "head", "3", "+2" of an upgrade; "3", "-2" of a downgrade.
struct MigrationGoal {
    Direction direction = Direction::Upgrade;
    qint64 version = 0;  // that is applied afterwards, and all before it
};

// Invalid, code `usage`: the files have no such version.
Error noMigrationError(const MigrationFolder &folder, qint64 version);

// Invalid, code `usage`, for a text that is none of these, or a version that there is no file of.
Result<MigrationGoal> parseGoal(Direction direction, const QString &text,
                                const MigrationFolder &folder, const LineState &state);

// The folder's problems and drift come first: with any of them nothing is planned. Else what
// ViewSet::apply() refuses, a migration on the way that cannot be taken back, and a run in the
// other direction that has to be ended first.
Result<MigrationPlan> makePlan(const MigrationFolder &folder, const LineState &state,
                               const MigrationGoal &goal, ViewSet views);

}  // namespace ivm::migrate
