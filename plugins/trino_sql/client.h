// What carries statements to Trino and its answers back: its REST protocol, or a JDBC driver.
//
// Threads: belongs to the thread that made it. Lifetime: that of its session.
#pragma once

#include "framework/base/call.h"
#include "plugins/trino_sql/page.h"

namespace ivm::trino {

class Client {
public:
    virtual ~Client() = default;

    // Sends a statement, which has an id afterwards and does not start before the first get().
    // Unavailable, Invalid, Unsupported, Corrupt, Cancelled, Timeout.
    virtual Result<Page> post(const QString &sql, const Call &call) = 0;

    // The next answer, by what the one before names. Errors as above; the statement's own failure
    // is in the page.
    virtual Result<Page> get(const QUrl &nextUri, const Call &call) = 0;

    // Ends a statement. Done when the server was told, and as far as the client
    // learns of it, took notice; tried once, without regard to a stop.
    virtual Status cancel(const QUrl &nextUri) = 0;

    // Waits, unless the call is stopped. Cancelled, Timeout.
    virtual Status pause(std::chrono::milliseconds time, const Call &call) = 0;

    virtual std::optional<std::chrono::milliseconds> statementTimeout() const = 0;
};

}  // namespace ivm::trino
