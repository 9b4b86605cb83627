#include "plugins/executor_duckdb/executor.h"

#include "plugins/executor_duckdb/session.h"

namespace ivm::duckdb {

EmbeddedExecutor::EmbeddedExecutor(const ExecutorOptions &options, SafeHorizon horizon)
    : m_options(options), m_warehouse(options.warehouse, {options.catalog, options.schema, {}}),
      m_horizon(std::move(horizon))
{
}

bool EmbeddedExecutor::can(Capability capability) const
{
    switch (capability) {
    case Capability::PinsCurrentSchema:
    case Capability::AtomicSummary: return true;
    case Capability::QueryIdBeforeStart: return false;
    }
    return false;
}

Result<std::unique_ptr<Session>> EmbeddedExecutor::openSession(const SessionOptions &options,
                                                               const Call &call)
{
    IVM_CHECK(call.check(u"opening a session"));
    return std::make_unique<EmbeddedSession>(*this, options.statementTimeout);
}

Result<std::shared_ptr<Database>> EmbeddedExecutor::database()
{
    const std::lock_guard lock(m_mutex);
    if (!m_database || m_database->isBroken()) {
        m_warehouse.removeLeftSpillFolders();
        IVM_TRY(m_database, Database::open({.spillFolder = m_warehouse.spillFolder(),
                                            .threads = m_options.threads,
                                            .memoryLimit = m_options.memoryLimit}));
    }
    return m_database;
}

}  // namespace ivm::duckdb
