// Where migrations are remembered: which ran, what they did step by step, who is at it now, and the
// views that they own.
//
// Plain data, any thread; a store may be used from any thread and serializes inside. Several
// processes on several machines may share one: they agree by the lock. Lifetime: until the process
// ends. The columns that other programs read: plugins/store_iceberg/tables.cpp.
#pragma once

#include "framework/api/table.h"
#include "framework/base/call.h"
#include "framework/base/process_identity.h"

#include <QDateTime>

#include <chrono>
#include <optional>

namespace ivm {

enum class MigrationStatus { Applied, RolledBack, Failed };

QString migrationStatusName(MigrationStatus status);  // "applied", "rolled_back", "failed"
std::optional<MigrationStatus> migrationStatusFromName(QStringView name);

// How a migration stands: one for each (version, line). A line of history is what users call
// a namespace: the migrations of one folder.
struct MigrationRecord {
    qint64 version = 0;
    QString line;
    QString description;
    QDateTime appliedAt;
    MigrationStatus status = MigrationStatus::Applied;
    QString error;  // of Failed
    QString checksum;
    qint64 durationMs = 0;
    QString appliedBy;

    bool operator==(const MigrationRecord &) const = default;
};

// What happened; never changed, never removed. Times of one line ascend.
struct MigrationEvent {
    QString id;  // unique; ours
    QDateTime at;
    qint64 version = 0;
    QString line;
    QString event;    // one of those below
    qint64 step = 0;  // from 1; 0: of the migration as a whole
    QString actor;
    QString host;
    QString toolVersion;
    QString checksum;
    QString detail;  // JSON, or empty

    bool operator==(const MigrationEvent &) const = default;
};

// Names of events.
namespace event {
inline constexpr QStringView kUpgradeStarted = u"upgrade_started";
inline constexpr QStringView kDowngradeStarted = u"downgrade_started";
inline constexpr QStringView kStepStarted = u"step_started";
inline constexpr QStringView kStepDone = u"step_done";
inline constexpr QStringView kStepFailed = u"step_failed";
inline constexpr QStringView kUpgradeFailed = u"upgrade_failed";
inline constexpr QStringView kDowngradeFailed = u"downgrade_failed";
inline constexpr QStringView kInterrupted = u"interrupted";
inline constexpr QStringView kUnlocked = u"unlocked";
// These close a run: nothing is left to resume or to repair.
inline constexpr QStringView kUpgradeDone = u"upgrade_done";
inline constexpr QStringView kDowngradeDone = u"downgrade_done";
inline constexpr QStringView kStamped = u"stamped";
inline constexpr QStringView kRepaired = u"repaired";
}  // namespace event

bool closesRun(QStringView name);

// A view that a migration has made, and so owns.
struct MigratedView {
    QString name;
    QString line;
    qint64 version = 0;  // of the migration that gave it this definition
    QString definition;  // an entry of views.yaml, as compact JSON
    // What a downgrade brings back, as compact JSON; empty for a view that was never replaced.
    QString earlier;
    // What `earlier` still needs of the target: not to be expired.
    QList<SnapshotId> held;

    bool operator==(const MigratedView &) const = default;
};

struct MigrationLock {
    QString line;
    QString token;  // of this hold; who does not know it holds nothing
    QString owner;  // for people: program, host, process
    ProcessIdentity process;
    QString doing;  // for people: "upgrade to 3: step 2 of 0002_daily"
    QDateTime since;
    std::chrono::seconds age{0};  // since the last heartbeat, by the store's own clock
    bool isStale = false;  // no heartbeat for longer than its lifetime, or its process is gone

    bool operator==(const MigrationLock &) const = default;
};

// The purpose of all sessions of a run (SessionOptions), by the token of its lock: so that whoever
// takes the lock over can see whether one of its statements is still at work.
QString migrationPurpose(const QString &token);

// What acquire() says while another holds the lock, renew() of one that is lost, and breakLock() of
// one that nobody holds.
Error lockHeldError(const MigrationLock &lock);
Error lockLostError(const QString &line);
Error noLockError(const QString &line);

struct LockRequest {
    QString line;
    QString owner;
    QString doing;
    std::chrono::seconds lifetime{120};
};

// Of the events of one store, in any order: those that MigrationHistory::open holds.
QList<MigrationEvent> openEvents(QList<MigrationEvent> events);

// All of one store but closed events.
struct MigrationHistory {
    QList<MigrationRecord> records;  // by line and version
    // Of each line those after the last one that closed a run (closesRun): what is under way, or
    // was when a run died. By line and time.
    QList<MigrationEvent> open;
    QList<MigratedView> views;            // by name
    QList<MigrationLock> locks;           // by line
    QHash<QString, QDateTime> lastEvent;  // by line

    bool operator==(const MigrationHistory &) const = default;
};

// What changeViews() says of a view that another line owns.
Error otherLineError(const QString &view, const QString &line);

class HistoryStore {
public:
    virtual ~HistoryStore() = default;

    // Every method: Unavailable, Corrupt, Cancelled, Timeout.

    // Makes nothing: empty where nothing was ever written.
    virtual Result<MigrationHistory> history(const Call &call) = 0;
    // All events of a line, oldest first. Makes nothing.
    virtual Result<QList<MigrationEvent>> events(const QString &line, const Call &call) = 0;

    // The table whose state changes whenever `views` does, for a host that looks at tables anyway;
    // none where history() costs no more than a look.
    virtual std::optional<TableName> watched() const { return std::nullopt; }

    // What follows makes what is missing.

    // Takes a line for one run. Exactly one of those that race gets it. Conflict (code
    // `migration_lock_held`), naming owner, host, since when and what it does, while another holds
    // it; one that is stale is taken over unless its owner's last statement still runs.
    virtual Result<MigrationLock> acquire(const LockRequest &request, const Call &call) = 0;
    // The heartbeat; what the owner does now. Conflict (code `migration_lock_lost`) when it is
    // somebody else's, or nobody's.
    virtual Status renew(const MigrationLock &lock, const QString &doing, const Call &call) = 0;
    // Fine for a lock that was lost.
    virtual Status release(const MigrationLock &lock, const Call &call) = 0;
    // Takes the lock away from whoever holds it. NotFound.
    virtual Status breakLock(const QString &line, const Call &call) = 0;

    // Each all or nothing.
    virtual Status append(const QList<MigrationEvent> &events, const Call &call) = 0;
    // Replaces the record of that version and line, if there is one.
    virtual Status save(const MigrationRecord &record, const Call &call) = 0;
    // Of both the views that are given: replaced or added; gone.
    // Conflict (code `view_of_other_line`) where a view that is given is another line's.
    virtual Status changeViews(const QList<MigratedView> &saved, const QStringList &removed,
                               const Call &call) = 0;
};

}  // namespace ivm
