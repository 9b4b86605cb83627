#include "plugins/executor_trino/credentials.h"

namespace ivm::trino {

Credentials::Credentials(const TrinoOptions &options) : m_token(options.accessTokenFile)
{
    if (!options.password.isEmpty())
        m_basic = "Basic " +
                  QByteArray(options.user.toUtf8() + ':' + options.password.toUtf8()).toBase64();
}

Result<QByteArray> Credentials::authorization()
{
    if (!m_token.isConfigured())
        return m_basic;
    IVM_TRY(const QByteArray token, m_token.read());
    return QByteArray("Bearer " + token);
}

}  // namespace ivm::trino
