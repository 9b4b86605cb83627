// A client's side of Trino's statement protocol: headers, what the server asks to be remembered,
// and repeated requests.
//
// Threads: belongs to the thread that made it. Lifetime: any; the options are copied.
// Source: Trino's documentation, "Trino client REST API".
#pragma once

#include "plugins/executor_trino/http.h"
#include "plugins/executor_trino/options.h"
#include "plugins/executor_trino/page.h"

namespace ivm::trino {

class Connection {
public:
    explicit Connection(const TrinoOptions &options);

    // Sends a statement. It does not start before the first get(), so the request is repeated while
    // answers are lost or the server says 502, 503 or 504. Unavailable (naming the URL), Invalid,
    // Unsupported, Corrupt, Cancelled, Timeout.
    Result<Page> post(const QString &sql, const Call &call);

    // The next answer; repeated as above, since the server keeps an answer until it is asked for
    // the next one.
    Result<Page> get(const QUrl &nextUri, const Call &call);

    // Waits, unless the call is stopped. Cancelled, Timeout.
    Status pause(std::chrono::milliseconds time, const Call &call)
    {
        return m_http.pause(time, call);
    }

    // Ends a statement. Done when the server took notice; tried once, without regard to a stop.
    Status cancel(const QUrl &nextUri);

    const TrinoOptions &options() const { return m_options; }
    const QString &catalog() const { return m_catalog; }
    const QString &schema() const { return m_schema; }

private:
    Result<HttpAnswer> sendPatiently(const HttpRequest &request, const Call &call);
    Result<Page> readAnswer(const HttpAnswer &answer);
    Status remember(const HttpHeaders &headers);
    Status setProperty(const QByteArray &assignment);
    HttpHeaders statementHeaders() const;
    HttpHeaders commonHeaders() const;
    QUrl atHome(const QUrl &uri) const;
    Error unreachable(Error error) const;

    TrinoOptions m_options;
    Http m_http;
    // What the server asked to be remembered; values as they are sent.
    QString m_catalog;
    QString m_schema;
    QString m_path;
    QString m_authorizationUser;
    QMap<QByteArray, QByteArray> m_properties;
    QMap<QByteArray, QByteArray> m_prepared;
    QMap<QByteArray, QByteArray> m_roles;
};

}  // namespace ivm::trino
