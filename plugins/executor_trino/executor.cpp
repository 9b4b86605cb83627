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

// The page that Trino itself names in `infoUri`, at the address that people use.
QString TrinoExecutor::statementUri(const QString &statementId) const
{
    QUrl page = m_options.publicUrl;
    page.setPath(page.path() + QStringLiteral("/ui/query.html"));
    page.setQuery(QString::fromLatin1(QUrl::toPercentEncoding(statementId)));
    return page.toString(QUrl::FullyEncoded);
}

}  // namespace ivm::trino
