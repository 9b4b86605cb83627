#include "plugins/executor_trino/executor.h"

#include "plugins/executor_trino/session.h"
#include "plugins/executor_trino/tls.h"

namespace ivm::trino {

Result<std::unique_ptr<Session>> TrinoExecutor::openSession(const SessionOptions &options,
                                                            const Call &call)
{
    IVM_CHECK(call.check(u"opening a session"));
    for (const auto &[name, value] : options.properties.asKeyValueRange())
        IVM_CHECK(checkSessionProperty(name, value));
    IVM_TRY(const auto tls, tlsConfiguration(m_options.tls));
    return std::make_unique<TrinoSession>(m_options, options, tls);
}

QString TrinoExecutor::statementUri(const QString &statementId) const
{
    return statementPage(m_options.publicUrl, statementId);
}

}  // namespace ivm::trino
