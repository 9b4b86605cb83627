// A client's side of Trino's statement protocol: who it is, where it goes, and what it sends again.
//
// Threads: belongs to the thread that made it. Lifetime: any; the options are copied.
// Source: Trino's documentation, "Trino client REST API".
#pragma once

#include "plugins/executor_trino/client_state.h"
#include "plugins/executor_trino/credentials.h"
#include "plugins/trino_sql/client.h"

namespace ivm::trino {

class Connection final : public Client {
public:
    // `tls` is for https URLs. The session's properties are checked already.
    Connection(const TrinoOptions &options, const SessionOptions &session,
               const QSslConfiguration &tls);

    // Sends a statement. It does not start before the first get(), so the request is repeated while
    // answers are lost or the server has none to give now (429, 502, 503, 504). Unavailable (naming
    // the URL), Invalid, Unsupported, Corrupt, Cancelled, Timeout.
    Result<Page> post(const QString &sql, const Call &call) override;

    // The next answer; repeated as above, since the server keeps an answer until it is asked for
    // the next one. Unavailable with the code `query_lost`: the server does not know the query.
    Result<Page> get(const QUrl &nextUri, const Call &call) override;

    Status pause(std::chrono::milliseconds time, const Call &call) override
    {
        return m_http.pause(time, call);
    }

    Status cancel(const QUrl &nextUri) override;

    std::optional<std::chrono::milliseconds> statementTimeout() const override { return m_timeout; }

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
