// One statement on its way: sent, followed to its end, or given up.
//
// Threads: as its client. Lifetime: within one call of a session; a statement that is not over
// when this goes away is cancelled on the server.
#pragma once

#include "plugins/trino_sql/client.h"

#include <QSet>

namespace ivm::trino {

class Statement {
public:
    explicit Statement(Client &client) : m_client(client) {}
    ~Statement();
    Statement(const Statement &) = delete;
    Statement &operator=(const Statement &) = delete;

    // Sends it; it has an id afterwards, and has not started. Errors as Client::post. From now
    // on it has the session's time for a statement, if there is one.
    Status send(const QString &sql, const Call &call);

    // Lets it start and hands its rows to `sink`, to the end. The statement's own failure as
    // TrinoError::toError and in failure(); the sink's; lost answers Unavailable, Cancelled and
    // Timeout. It is cancelled on the server then.
    Result<StatementResult> follow(RowSink &sink, const Call &call);

    const QString &id() const { return m_page.id; }
    // Whether the server may have begun to work on it.
    bool mayHaveStarted() const { return m_followed; }
    // Whether an answer did not come, for whatever reason.
    bool lostAnAnswer() const { return m_lost; }
    // How the server says it ended, if it failed.
    const std::optional<TrinoError> &failure() const { return m_page.error; }

private:
    Status take(RowSink &sink);
    void tell();
    void giveUp();
    Call limited(const Call &call) const;
    Error inTime(Error error, const Call &call) const;

    Client &m_client;
    std::optional<std::chrono::steady_clock::time_point> m_sent;
    Page m_page;
    QSet<QString> m_warnings;  // that were told
    bool m_toldQueue = false;
    QList<Column> m_columns;
    bool m_announced = false;
    bool m_followed = false;
    bool m_lost = false;
};

// Whether a statement only reads, by its first words; EXPLAIN ANALYZE runs what it explains. When
// in doubt it writes.
bool onlyReads(QStringView sql);

}  // namespace ivm::trino
