// The embedded executor: a warehouse folder and one DuckDB instance, which starts with the first
// statement that needs it.
//
// Threads: any. Lifetime: outlives its sessions.
#pragma once

#include "framework/api/executor.h"
#include "framework/api/horizon.h"
#include "plugins/executor_duckdb/engine/database.h"
#include "plugins/executor_duckdb/table/warehouse_folder.h"

#include <mutex>

namespace ivm::duckdb {

struct ExecutorOptions {
    QString warehouse;  // an absolute path
    QString catalog = QStringLiteral("iceberg");
    QString schema = QStringLiteral("main");
    int threads = 0;
    QString memoryLimit = {};
};

class EmbeddedExecutor final : public Executor {
public:
    // Without a horizon nothing is held.
    explicit EmbeddedExecutor(const ExecutorOptions &options, SafeHorizon horizon = {});

    bool can(Capability capability) const override;
    TableName defaults() const override { return m_warehouse.defaults(); }
    Result<std::unique_ptr<Session>> openSession(const SessionOptions &options,
                                                 const Call &call) override;

    WarehouseFolder &warehouse() { return m_warehouse; }
    const SafeHorizon &horizon() const { return m_horizon; }
    // The instance that new connections go to: another one after a fatal error.
    Result<std::shared_ptr<Database>> database();

private:
    ExecutorOptions m_options;
    WarehouseFolder m_warehouse;
    SafeHorizon m_horizon;
    std::mutex m_mutex;
    std::shared_ptr<Database> m_database;
};

}  // namespace ivm::duckdb
