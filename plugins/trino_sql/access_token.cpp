#include "plugins/trino_sql/access_token.h"

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

Result<QByteArray> AccessToken::read()
{
    auto token = fromFile();
    if (!token && m_token.isEmpty())
        return token;
    if (!token && !m_stale)
        qCWarning(logExecutor).noquote()
            << token.error().text() << "The token before it is used again.";
    if (token)
        m_token = *token;
    m_stale = !token;
    return m_token;
}

Result<QByteArray> AccessToken::fromFile() const
{
    const auto wrong = [this](const QString &why) {
        return fail(invalidError(QStringLiteral("executor option access_token_file: the file %1 %2")
                                     .arg(m_file, why))
                        .withHint(u"Put a JSON web token into it, on one line"));
    };
    QFile file(m_file);
    if (!file.open(QIODevice::ReadOnly))
        return wrong(QStringLiteral("cannot be read: %1").arg(file.errorString()));
    const QByteArray token = file.read(kLongestToken).trimmed();
    if (!isToken(token))
        return wrong(QStringLiteral("holds no token"));
    return token;
}

}  // namespace ivm::trino
