// The executor on a Trino cluster.
//
// Threads: any. Lifetime: outlives its sessions.
#pragma once

#include "plugins/executor_trino/options.h"

namespace ivm::trino {

class TrinoExecutor final : public Executor {
public:
    explicit TrinoExecutor(TrinoOptions options) : m_options(std::move(options)) {}

    bool can(Capability capability) const override
    {
        return capability == Capability::QueryIdBeforeStart;
    }
    TableName defaults() const override { return {m_options.catalog, m_options.schema, {}}; }
    // Reads the certificates' files; an unreachable server shows at the first statement. Invalid
    // (a file, a property), Cancelled, Timeout.
    Result<std::unique_ptr<Session>> openSession(const SessionOptions &options,
                                                 const Call &call) override;
    QString statementUri(const QString &statementId) const override;

private:
    const TrinoOptions m_options;
};

}  // namespace ivm::trino
