#include "plugins/executor_jdbc/executor.h"

#include "plugins/executor_jdbc/jdbc_client.h"
#include "plugins/trino_sql/session.h"
#include "plugins/trino_sql/session_options.h"

namespace ivm::jdbc {

Result<std::unique_ptr<Session>> JdbcExecutor::openSession(const SessionOptions &options,
                                                           const Call &call)
{
    IVM_CHECK(call.check(u"opening a session"));
    for (const auto &[name, value] : options.properties.asKeyValueRange()) {
        IVM_CHECK(trino::checkSessionProperty(name, value));
        if (auto checked = checkAscii(value); !checked)
            return fail(std::move(checked).error().during(QString(u"session property " + name)));
    }
    return std::make_unique<trino::ClientSession>(
        std::make_unique<JdbcClient>(m_bridge, m_options, options));
}

QString JdbcExecutor::statementUri(const QString &statementId) const
{
    return trino::statementPage(m_options.publicUrl, statementId);
}

// Small rather than fast: it hands rows on, and one thread a session is busy at most. Output of the
// virtual machine's own must not get among the answers, and signals are ours to handle.
BridgeCommand bridgeCommand(const JdbcOptions &options, const QString &folder)
{
    return {.program = options.java,
            .arguments = {QStringLiteral("-Xmx%1m").arg(options.heapMegabytes),
                          QStringLiteral("-Xss512k"), QStringLiteral("-Xrs"),
                          QStringLiteral("-XX:+UseSerialGC"),
                          QStringLiteral("-XX:TieredStopAtLevel=1"),
                          QStringLiteral("-XX:+ExitOnOutOfMemoryError"),
                          QStringLiteral("-XX:+DisplayVMOutputToStderr"),
                          QStringLiteral("-Duser.timezone=UTC"),
                          QStringLiteral("-Duser.language=en"), QStringLiteral("-Duser.country=US"),
                          QStringLiteral("-jar"), folder + QStringLiteral("/ivm-jdbc-bridge.jar")}};
}

}  // namespace ivm::jdbc
