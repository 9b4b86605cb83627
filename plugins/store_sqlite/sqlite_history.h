// The history of migrations in the SQLite file of the state: for tables that only one machine
// changes.
//
// Threads and lifetime: as HistoryStore; the clock outlives it.
#pragma once

#include "framework/api/plugin.h"
#include "framework/base/clock.h"
#include "plugins/store_sqlite/database.h"

namespace ivm::sqlite {

class SqliteHistory final : public HistoryStore {
public:
    // No I/O. The executor is asked whether the statements of a run have ended.
    SqliteHistory(const QString &path, const Clock &clock, ExecutorProvider executor,
                  ProcessIdentity self = thisProcess());

    Result<MigrationHistory> history(const Call &call) override;
    Result<QList<MigrationEvent>> events(const QString &line, const Call &call) override;

    Result<MigrationLock> acquire(const LockRequest &request, const Call &call) override;
    Status renew(const MigrationLock &lock, const QString &doing, const Call &call) override;
    Status release(const MigrationLock &lock, const Call &call) override;
    Status breakLock(const QString &line, const Call &call) override;

    Status append(const QList<MigrationEvent> &events, const Call &call) override;
    Status save(const MigrationRecord &record, const Call &call) override;
    Status changeViews(const QList<MigratedView> &saved, const QStringList &removed,
                       const Call &call) override;

private:
    Status checkLine(const MigratedView &view);
    // What a try to take a lock came upon.
    struct Attempt {
        std::optional<MigrationLock> taken;
        std::optional<MigrationLock> abandoned;  // it may be, if its last statement has ended
    };

    Result<bool> isMade();
    Status read(const Call &call, const std::function<Status()> &work);
    Status write(Durability durability, const Call &call, const std::function<Status()> &work);
    Result<QList<MigrationLock>> locks(const QString &condition, const QVariantList &values);
    Result<Attempt> attempt(const LockRequest &request, const QString &ended, const Call &call);
    Status put(const MigrationLock &lock, std::chrono::milliseconds lifetime);
    Result<bool> isAtWork(const MigrationLock &lock, const Call &call);

    Database m_database;
    const Clock &m_clock;
    const ExecutorProvider m_executor;
    const ProcessIdentity m_self;
};

}  // namespace ivm::sqlite
