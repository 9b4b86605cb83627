// A session on the real Trino of the tests, in a schema of the test program's own that goes away
// with it.
//
// Where Trino is comes from TRINO_URL and TRINO_USER; without them tests fail rather than pass
// unseen. With IVM_TEST_EXECUTOR=jdbc its statements go through the JDBC driver.
#pragma once

#include "plugins/executor_trino/executor.h"
#include "plugins/executor_trino/session.h"

#ifdef IVM_JDBC_DIR
#include "plugins/executor_jdbc/executor.h"
#include "plugins/executor_jdbc/jdbc_client.h"
#endif

#include <QDateTime>
#include <QRandomGenerator>
#include <QTest>

namespace ivm::trino {

inline TrinoOptions realOptions(const QString &schema)
{
    return {.url = QUrl(qEnvironmentVariable("TRINO_URL")),
            .user = qEnvironmentVariable("TRINO_USER"),
            .password = {},
            .accessTokenFile = {},
            .tls = {},
            .roles = {},
            .publicUrl = {},
            .catalog = QStringLiteral("iceberg"),
            .schema = schema,
            .source = QStringLiteral("ivm-test-") + schema,
            .clientTags = {},
            .sessionProperties = {{QStringLiteral("iceberg.expire_snapshots_min_retention"),
                                   QStringLiteral("0s")}},
            .patience = {}};
}

inline bool overJdbc() { return qEnvironmentVariable("IVM_TEST_EXECUTOR") == u"jdbc"; }

#ifdef IVM_JDBC_DIR
inline jdbc::JdbcOptions jdbcOptions(const TrinoOptions &options)
{
    const QString place = options.url.authority();
    return {.url = QStringLiteral("jdbc:trino://") + place,
            .shownUrl = QStringLiteral("jdbc:trino://") + place,
            .user = options.user,
            .properties = {},
            .secrets = {},
            .publicUrl = options.url,
            .catalog = options.catalog,
            .schema = options.schema,
            .source = options.source,
            .clientTags = options.clientTags,
            .sessionProperties = options.sessionProperties,
            .java = QStringLiteral("java"),
            .heapMegabytes = 96};
}

inline jdbc::BridgeCommand realBridge(const TrinoOptions &options)
{
    return jdbc::bridgeCommand(jdbcOptions(options), QStringLiteral(IVM_JDBC_DIR));
}
#endif

inline std::unique_ptr<Executor> realExecutor(const TrinoOptions &options)
{
#ifdef IVM_JDBC_DIR
    if (overJdbc())
        return std::make_unique<jdbc::JdbcExecutor>(jdbcOptions(options), realBridge(options));
#endif
    return std::make_unique<TrinoExecutor>(options);
}

inline std::unique_ptr<Client> realClient(const TrinoOptions &options)
{
#ifdef IVM_JDBC_DIR
    if (overJdbc())
        return std::make_unique<jdbc::JdbcClient>(jdbc::sharedBridge(realBridge(options)),
                                                  jdbcOptions(options), SessionOptions{});
#endif
    return std::make_unique<Connection>(options, SessionOptions{}, QSslConfiguration());
}

class RealTrino {
public:
    RealTrino()
        : m_schema(QStringLiteral("test_%1_%2")
                       .arg(QCoreApplication::applicationPid())
                       .arg(QRandomGenerator::global()->generate(), 0, 36)),
          m_executor(realExecutor(realOptions(m_schema))),
          m_session(*m_executor->openSession({}, Call{}))
    {
    }

    // Says what is missing, or nothing.
    QString open()
    {
        if (qEnvironmentVariable("TRINO_URL").isEmpty() ||
            qEnvironmentVariable("TRINO_USER").isEmpty())
            return QStringLiteral("TRINO_URL and TRINO_USER are not set: start a Trino with "
                                  "tests/trino/up and load the "
                                  "env file it names");
        return problem(QStringLiteral("CREATE SCHEMA iceberg.") + m_schema);
    }

    void close()
    {
        problem(QStringLiteral("DROP SCHEMA IF EXISTS iceberg.") + m_schema +
                QStringLiteral(" CASCADE"));
    }

    Executor &executor() { return *m_executor; }
    Session &session() { return *m_session; }
    const QString &schema() const { return m_schema; }
    TableName table(const QString &name) const
    {
        return {QStringLiteral("iceberg"), m_schema, name};
    }

    // Runs statements, in order; the first one's error, or nothing.
    QString problem(const QString &sql)
    {
        const auto result = execute(*m_session, sql, Call{});
        return result ? QString()
                      : QString(sql.left(200) + QStringLiteral(": ") + result.error().text());
    }

    QString problem(const QStringList &statements)
    {
        for (const auto &sql : statements) {
            if (const QString found = problem(sql); !found.isEmpty())
                return found;
        }
        return {};
    }

    // The rows as text, a row a string, sorted; or the error alone.
    QStringList rows(const QString &sql)
    {
        const auto result = query(*m_session, sql, Call{});
        if (!result)
            return {result.error().text()};
        QStringList out;
        for (const auto &row : result->rows) {
            QStringList values;
            for (const auto &value : row)
                values.append(value.text());
            out.append(values.join(u'|'));
        }
        out.sort();
        return out;
    }

    TableHead head(const QString &name)
    {
        const auto info = m_session->tableInfo(table(name), Call{});
        return info ? info->head : TableHead();
    }

    // Statements of ours that Trino has seen since, by their text.
    QStringList statementsSince(const QString &instant)
    {
        return rows(
            QStringLiteral(
                "SELECT query FROM system.runtime.queries WHERE source = "
                "'ivm-test-%1' AND created > %2 "
                "AND query NOT LIKE '%system.runtime.queries%' AND query NOT LIKE '%now()%'")
                .arg(m_schema, instant));
    }

    // A moment on Trino's own clock, as a literal.
    QString now()
    {
        return QStringLiteral("TIMESTAMP '%1'")
            .arg(rows(QStringLiteral("SELECT CAST(now() AS varchar)")).value(0));
    }

private:
    QString m_schema;
    std::unique_ptr<Executor> m_executor;
    std::unique_ptr<Session> m_session;
};

}  // namespace ivm::trino
