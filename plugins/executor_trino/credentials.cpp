#include "plugins/executor_trino/credentials.h"

#include "framework/base/log.h"

#include <QFile>

#include <algorithm>

namespace ivm::trino {

namespace {

constexpr qint64 kLongestToken = 64 * 1024;

bool isToken(const QByteArray &text)
{
    return !text.isEmpty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 0x7f; });
}

}  // namespace

Credentials::Credentials(const TrinoOptions &options) : m_tokenFile(options.accessTokenFile)
{
    if (!options.password.isEmpty())
        m_basic = "Basic " +
                  QByteArray(options.user.toUtf8() + ':' + options.password.toUtf8()).toBase64();
}

Result<QByteArray> Credentials::authorization()
{
    if (m_tokenFile.isEmpty())
        return m_basic;
    auto token = readToken();
    if (!token && m_token.isEmpty())
        return fail(std::move(token).error());
    if (!token && !m_stale)
        qCWarning(logExecutor).noquote()
            << token.error().text() << "The token before it is used again.";
    if (token)
        m_token = *token;
    m_stale = !token;
    return QByteArray("Bearer " + m_token);
}

Result<QByteArray> Credentials::readToken() const
{
    const auto wrong = [this](const QString &why) {
        return fail(invalidError(QStringLiteral("executor option access_token_file: the file %1 %2")
                                     .arg(m_tokenFile, why))
                        .withHint(u"Put a JSON web token into it, on one line"));
    };
    QFile file(m_tokenFile);
    if (!file.open(QIODevice::ReadOnly))
        return wrong(QStringLiteral("cannot be read: %1").arg(file.errorString()));
    const QByteArray token = file.read(kLongestToken).trimmed();
    if (!isToken(token))
        return wrong(QStringLiteral("holds no token"));
    return token;
}

}  // namespace ivm::trino
