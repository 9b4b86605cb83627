// A session of an engine that speaks Trino's language over Iceberg tables and has MERGE: all that
// the contract asks for, out of run() and what only the engine knows. A plugin for such an engine
// derives from it.
//
// Such an engine has the metadata tables "t$refs", "t$snapshots" and "t$metadata_log_entries", ends
// a MERGE in one snapshot or none, and computes in UTC. Threads and lifetime: as Session.
#pragma once

#include "framework/api/executor.h"
#include "framework/sqlexec/dialect.h"

namespace ivm {

class SqlSession : public Session {
public:
    // run() remains to be written. It counts the rows of a MERGE (StatementResult::rowsAffected).

    Result<QList<Column>> describe(const QString &sql, const Call &call) override;
    Result<TableInfo> tableInfo(const TableName &name, const Call &call) override;
    Status createTable(const TableSpec &spec, const Call &call) override;
    Status dropTable(const TableName &name, const Call &call) override;
    // Records no intent's statement: the id of run() comes with its end. On an engine that copies
    // whole files, deleted rows are counted among the written ones.
    Result<CommitResult> commit(const Change &change, const Intent &intent,
                                const IntentRecorder &record, const Call &call) override;
    // Landed only where madeBy() tells; where it does not and the target moved on, OutcomeUnknown,
    // and the view is diffed.
    Result<Settlement> settle(const Intent &intent, const Call &call) override;

protected:
    // What SHOW CREATE TABLE or the catalog tells: columns, partitioning, order, comment. NotFound,
    // Unavailable, Cancelled, Timeout.
    virtual Result<TableSpec> tableSpec(const TableName &name, const Call &call) = 0;

    // Sees to it that the intent's statement cannot commit any more, which may mean to wait for it
    // or to kill it. False where that cannot be told. Unavailable, Cancelled, Timeout.
    virtual Result<bool> hasEnded(const Intent &intent, const Call &call) = 0;

    // A condition on rows of "t$snapshots" that holds for the intent's snapshot alone; empty where
    // snapshots do not tell.
    virtual QString madeBy(const Intent &intent) const
    {
        Q_UNUSED(intent)
        return {};
    }

    // Properties of a new table beyond the contract's, by name; their values are literals.
    virtual QMap<QString, QString> tableProperties() const { return {}; }

    virtual SqlDialect dialect() const { return SqlDialect::Plain; }
};

}  // namespace ivm
