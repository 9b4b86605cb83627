// A session on Trino over its statement protocol.
//
// Threads: belongs to the thread that opened it, one call at a time; waiting runs an event loop of
// that thread. Lifetime: not longer than the thread.
#pragma once

#include "plugins/executor_trino/connection.h"
#include "plugins/trino_sql/session.h"

namespace ivm::trino {

class TrinoSession final : public ClientSession {
public:
    explicit TrinoSession(const TrinoOptions &options, const SessionOptions &session = {},
                          const QSslConfiguration &tls = QSslConfiguration::defaultConfiguration())
        : ClientSession(std::make_unique<Connection>(options, session, tls))
    {
    }
};

}  // namespace ivm::trino
