// What a client tells Trino with each statement, and what Trino asks it to tell from then on.
//
// Threads: belongs to the thread that made it. Lifetime: any; the options are copied.
// Source: Trino's documentation, "Trino client REST API".
#pragma once

#include "plugins/executor_trino/http.h"
#include "plugins/executor_trino/options.h"

namespace ivm::trino {

class ClientState {
public:
    ClientState(const TrinoOptions &options, const SessionOptions &session);

    // The headers that every request has, and those that a statement has beside them. A statement
    // that must end by a time says so to the server, too, which ends it where we cannot any more.
    HttpHeaders common() const;
    HttpHeaders ofStatement(const Call &call) const;

    // Takes over what an answer's headers say. Unsupported: another time zone.
    Status remember(const HttpHeaders &headers);

    // What names this session in Trino's own log.
    const QByteArray &traceToken() const { return m_traceToken; }

private:
    Status setProperty(const QByteArray &assignment);
    QByteArray properties(const Call &call) const;

    QByteArray m_user;
    QByteArray m_authorizationUser;  // after SET SESSION AUTHORIZATION
    QByteArray m_source;
    QByteArray m_tags;
    QByteArray m_info;
    QByteArray m_traceToken;
    QByteArray m_catalog;
    QByteArray m_schema;
    QByteArray m_path;
    // Values as they are sent.
    QMap<QByteArray, QByteArray> m_properties;
    QMap<QByteArray, QByteArray> m_prepared;
    QMap<QByteArray, QByteArray> m_roles;
};

// "30m", "1.5h", "200ms" … as Trino writes durations; nothing for other text.
std::optional<std::chrono::milliseconds> parseTrinoDuration(const QByteArray &text);

}  // namespace ivm::trino
