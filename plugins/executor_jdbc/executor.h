// The executor on a Trino cluster through its JDBC driver.
//
// Threads: any. Lifetime: outlives its sessions; the bridge's process ends with it.
#pragma once

#include "plugins/executor_jdbc/bridge.h"
#include "plugins/executor_jdbc/options.h"

namespace ivm::jdbc {

class JdbcExecutor final : public Executor {
public:
    JdbcExecutor(const JdbcOptions &options, const BridgeCommand &command)
        : m_options(options), m_bridge(sharedBridge(command))
    {
    }

    bool can(Capability capability) const override
    {
        return capability == Capability::QueryIdBeforeStart;
    }
    TableName defaults() const override { return {m_options.catalog, m_options.schema, {}}; }
    // Starts nothing: a bridge or a server that is not there shows at the first statement. Invalid
    // (a property), Cancelled, Timeout.
    Result<std::unique_ptr<Session>> openSession(const SessionOptions &options,
                                                 const Call &call) override;
    QString statementUri(const QString &statementId) const override;

    Bridge &bridge() { return *m_bridge; }

private:
    const JdbcOptions m_options;
    const std::shared_ptr<Bridge> m_bridge;
};

// What runs the bridge out of the folder with its jars.
BridgeCommand bridgeCommand(const JdbcOptions &options, const QString &folder);

}  // namespace ivm::jdbc
