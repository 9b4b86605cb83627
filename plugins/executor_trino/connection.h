// A client's side of Trino's statement protocol: who it is, where it goes, and what it sends again.
//
// Threads: belongs to the thread that made it. Lifetime: any; the options are copied.
// Source: Trino's documentation, "Trino client REST API".
#pragma once

#include "plugins/executor_trino/client_state.h"
#include "plugins/executor_trino/credentials.h"
#include "plugins/executor_trino/page.h"

namespace ivm::trino {

class Connection {
public:
    // `tls` is for https URLs. The session's properties are checked already.
    Connection(const TrinoOptions &options, const SessionOptions &session,
               const QSslConfiguration &tls);

    // Sends a statement. It does not start before the first get(), so the request is repeated while
    // answers are lost or the server has none to give now (429, 502, 503, 504). Unavailable (naming
    // the URL), Invalid, Unsupported, Corrupt, Cancelled, Timeout.
    Result<Page> post(const QString &sql, const Call &call);

    // The next answer; repeated as above, since the server keeps an answer until it is asked for
    // the next one. Unavailable with the code `query_lost`: the server does not know the query.
    Result<Page> get(const QUrl &nextUri, const Call &call);

    // Waits, unless the call is stopped. Cancelled, Timeout.
    Status pause(std::chrono::milliseconds time, const Call &call)
    {
        return m_http.pause(time, call);
    }

    // Ends a statement. Done when the server took notice; tried once, without regard to a stop.
    Status cancel(const QUrl &nextUri);

    std::optional<std::chrono::milliseconds> statementTimeout() const { return m_timeout; }

private:
    Result<HttpAnswer> sendPatiently(HttpRequest request, const Call &call);
    Result<HttpAnswer> sendOnce(HttpRequest request, std::chrono::milliseconds patience,
                                const Call &call);
    Result<Page> readAnswer(const HttpAnswer &answer);
    QUrl atHome(const QUrl &uri) const;
    Error unreachable(Error error) const;

    const QUrl m_url;
    const Patience m_patience;
    const std::optional<std::chrono::milliseconds> m_timeout;
    const QString m_comment;  // behind every statement
    ClientState m_client;
    Credentials m_credentials;
    Http m_http;
    bool m_hasAnswered = false;
};

}  // namespace ivm::trino
