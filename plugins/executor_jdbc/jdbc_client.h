// One JDBC connection in the bridge, as a client of Trino. Opened with the first statement, and
// again where the bridge was started anew, unless a statement had set what went with it.
//
// Threads: belongs to the thread that made it. Lifetime: that of its session; closes the
// connection.
#pragma once

#include "plugins/executor_jdbc/bridge.h"
#include "plugins/executor_jdbc/options.h"
#include "plugins/trino_sql/access_token.h"
#include "plugins/trino_sql/client.h"

namespace ivm::jdbc {

class JdbcClient final : public trino::Client {
public:
    JdbcClient(std::shared_ptr<Bridge> bridge, const JdbcOptions &options,
               const SessionOptions &session);
    ~JdbcClient() override;

    Result<trino::Page> post(const QString &sql, const Call &call) override;
    Result<trino::Page> get(const QUrl &nextUri, const Call &call) override;
    Status cancel(const QUrl &nextUri) override;
    Status pause(std::chrono::milliseconds time, const Call &call) override;
    std::optional<std::chrono::milliseconds> statementTimeout() const override { return m_timeout; }

private:
    Status open(const Call &call);
    Result<trino::Page> postOnce(const QString &sql, const Call &call);
    Result<trino::JsonNode> ask(QJsonObject request, std::optional<quint64> run, const Call &call);
    Result<trino::Page> readPage(trino::JsonNode answer);
    Error failure(const trino::JsonNode &failed) const;
    QString withoutSecrets(QString text) const;

    const std::shared_ptr<Bridge> m_bridge;
    const JdbcOptions m_options;
    const std::optional<std::chrono::milliseconds> m_timeout;
    const QString m_comment;         // behind every statement
    const QJsonObject m_connection;  // what opens it
    trino::AccessToken m_token;
    QString m_sentToken;           // empty: none
    const qint64 m_session;        // its name in the bridge
    std::optional<quint64> m_run;  // of the bridge, in which it is open
    qint64 m_statement = 0;        // the last
    bool m_setsState = false;
    QByteArray m_line;  // the last answer, which its nodes look into
};

}  // namespace ivm::jdbc
