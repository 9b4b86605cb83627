// The history of migrations in Iceberg tables, through whatever executor runs.
//
// Threads and lifetime: as HistoryStore; each call opens a session of its own. The engine is loaded
// by the first call that needs it.
#pragma once

#include "plugins/store_iceberg/access.h"
#include "plugins/store_iceberg/tables.h"

#include <QSet>

#include <atomic>
#include <mutex>

namespace ivm::store_iceberg {

struct HistoryOptions {
    QString catalog;
    QString schema;
    QString cache;  // a file; empty: none
};

class IcebergHistory final : public HistoryStore {
public:
    // No I/O.
    IcebergHistory(const HistoryOptions &options, ExecutorProvider executor,
                   DetectorProvider detector, ProcessIdentity self = thisProcess());

    Result<MigrationHistory> history(const Call &call) override;
    Result<QList<MigrationEvent>> events(const QString &line, const Call &call) override;
    std::optional<TableName> watched() const override { return m_tables.views; }

    Result<MigrationLock> acquire(const LockRequest &request, const Call &call) override;
    Status renew(const MigrationLock &lock, const QString &doing, const Call &call) override;
    Status release(const MigrationLock &lock, const Call &call) override;
    Status breakLock(const QString &line, const Call &call) override;

    Status append(const QList<MigrationEvent> &events, const Call &call) override;
    Status save(const MigrationRecord &record, const Call &call) override;
    Status changeViews(const QList<MigratedView> &saved, const QStringList &removed,
                       const Call &call) override;

private:
    Result<std::unique_ptr<Session>> session(const Call &call);
    Result<std::unique_ptr<Session>> session(const QString &purpose, const Call &call);
    QString purpose();    // of the sessions of now
    QString heldToken();  // empty: none is held
    Result<MigrationHistory> readAll(const Call &call);
    Result<QList<MigrationLock>> locks(Session &session, const QString &line, const Call &call);

    // What the detector says of the four tables; none where it cannot say.
    Result<std::optional<QList<Result<TableHead>>>> heads(const QList<TableHead> &known,
                                                          const Call &call);
    void refreshCache(const Call &call);
    void wroteOnce(Session &session, const Call &call);

    Result<StatementResult> settleAppend(Session &session, const QList<MigrationEvent> &events,
                                         const Call &call);
    // Whether the rows may be there already, as those of a write that was stopped.
    enum class Earlier { None, Unknown };
    Status appendOnce(Session &session, const QList<MigrationEvent> &events, Earlier earlier,
                      const Call &call);
    bool takeUnsettled(const MigrationEvent &event);
    void leaveUnsettled(const QList<MigrationEvent> &events);

    const HistoryTables m_tables;
    const TableAccess m_access;
    const QString m_cache;
    const DetectorProvider m_detector;
    const ProcessIdentity m_self;

    std::atomic<int> m_writes = 0;  // that added a file

    std::mutex m_mutex;
    QStringList m_held;         // tokens of the locks that were acquired here, the newest last
    QSet<QString> m_unsettled;  // ids of events whose write was stopped before its end was known
};

}  // namespace ivm::store_iceberg
