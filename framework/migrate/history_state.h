// What the history says of one line: where it stands, what a run that did not end has done, and
// whether the files still are what was applied.
//
// Pure; any thread.
#pragma once

#include "framework/api/history.h"
#include "framework/migrate/migration_file.h"

namespace ivm::migrate {

enum class Direction { Upgrade, Downgrade };

QString directionName(Direction direction);  // "upgrade", "downgrade"

enum class StepState {
    Pending,
    Done,
    Unclear,  // begun; whether it took effect is not known
};

// A run that failed or died before its end.
struct OpenRun {
    qint64 version = 0;
    Direction direction = Direction::Upgrade;
    struct Step {
        StepState state = StepState::Pending;
        QString checksum;
        QString begun;  // PlannedStep::begun
    };
    QList<Step> steps;  // those that were begun
    QString error;      // of the last failure; empty for one that died
    QDateTime since;
    QString actor;

    qsizetype done() const;
    bool hasDoneNothing() const;  // for certain
    // The number of the step whose outcome is not known; 0: there is none.
    qint64 unclear() const;
    QString doneText() const;  // "1 of its steps is done"
    QString command() const;   // that goes on with it: "ivmctl migrate upgrade"
};

class LineState {
public:
    LineState(const MigrationHistory &history, const QString &line);

    const QString &line() const { return m_line; }
    // The highest version that is applied; 0 for none.
    qint64 current() const { return m_current; }
    // What a downgrade would begin with: the same, or the one that a downgrade did not end.
    qint64 lastToTakeBack() const;
    bool isApplied(qint64 version) const;
    const MigrationRecord *record(qint64 version) const;
    const QList<MigrationRecord> &records() const { return m_records; }  // by version
    const std::optional<OpenRun> &open() const { return m_open; }
    const std::optional<MigrationLock> &lock() const { return m_lock; }
    bool isAtWork() const { return m_lock && !m_lock->isStale; }  // somebody who is alive

private:
    QString m_line;
    QList<MigrationRecord> m_records;
    qint64 m_current = 0;
    std::optional<OpenRun> m_open;
    std::optional<MigrationLock> m_lock;
};

// Writes what LineState corrects: a downgrade that took nothing back may have left its migration as
// failed, which the events of another run would make true. Errors of the store.
Status recordUntouched(HistoryStore &store, const MigrationHistory &history, const LineState &state,
                       const Call &call);

// How the files and the history differ, apart from what is simply pending: files that were edited
// after they were applied (code `migration_edited`, with both checksums) or are gone
// (`migration_missing`), also of a run that did not end, a catalog that is ahead of the files
// (`catalog_ahead`), versions that were left out (`migration_gap`), steps that were edited after
// they were done (`step_edited`).
QList<Error> driftOf(const MigrationFolder &folder, const LineState &state);
bool isDrift(const Error &error);  // one of these

}  // namespace ivm::migrate
