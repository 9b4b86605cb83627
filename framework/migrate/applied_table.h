// The tables as they are in the catalog.
//
// Threads: that of the session.
#pragma once

#include "framework/api/executor.h"

namespace ivm::migrate {

struct AppliedTable {
    TableInfo info;
    // Iceberg's, by name ("write.format.default"); none where the engine does not tell them.
    std::optional<QMap<QString, QString>> properties;
};

class AppliedTables {
public:
    virtual ~AppliedTables() = default;

    // Both: Unavailable, Corrupt, Cancelled, Timeout.
    virtual Result<std::optional<AppliedTable>> table(const TableName &name) = 0;
    virtual Result<bool> hasSchema(const TableName &name) = 0;
};

// Those that an engine tells. Lifetime: the session and the call outlive it.
class SessionTables final : public AppliedTables {
public:
    SessionTables(Session &session, const Call &call) : m_session(session), m_call(call) {}

    Result<std::optional<AppliedTable>> table(const TableName &name) override;
    Result<bool> hasSchema(const TableName &name) override;

private:
    Session &m_session;
    const Call &m_call;
};

}  // namespace ivm::migrate
