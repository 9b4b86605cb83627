#include "plugins/executor_trino/tls.h"

#include <QFile>
#include <QSslCertificate>
#include <QSslKey>

namespace ivm::trino {

namespace {

constexpr qint64 kLongestFile = 4 * 1024 * 1024;

Error wrongFile(QStringView option, const QString &path, const QString &why)
{
    return invalidError(QStringLiteral("executor option %1: the file %2 %3").arg(option, path, why))
        .withHint(u"Name a PEM file, the form that starts with -----BEGIN");
}

Result<QByteArray> contentOf(QStringView option, const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fail(
            wrongFile(option, path, QStringLiteral("cannot be read: %1").arg(file.errorString())));
    return file.read(kLongestFile);
}

Result<QList<QSslCertificate>> certificatesIn(QStringView option, const QString &path)
{
    IVM_TRY(const QByteArray content, contentOf(option, path));
    const auto certificates = QSslCertificate::fromData(content, QSsl::Pem);
    if (certificates.isEmpty())
        return fail(wrongFile(option, path, QStringLiteral("holds no certificate")));
    return certificates;
}

Result<QSslKey> keyIn(QStringView option, const QString &path, const QByteArray &password)
{
    IVM_TRY(const QByteArray content, contentOf(option, path));
    for (const auto algorithm : {QSsl::Rsa, QSsl::Ec}) {
        QSslKey key(content, algorithm, QSsl::Pem, QSsl::PrivateKey, password);
        if (!key.isNull())
            return key;
    }
    return fail(wrongFile(option, path, QStringLiteral("holds no private key that can be opened"))
                    .withHint(u"Name a PEM file with an RSA or EC key, and set "
                              u"IVM_CLIENT_KEY_PASSWORD if it is locked"));
}

}  // namespace

Result<QSslConfiguration> tlsConfiguration(const TlsFiles &files)
{
    auto tls = QSslConfiguration::defaultConfiguration();
    tls.setPeerVerifyMode(QSslSocket::VerifyPeer);
    tls.setProtocol(QSsl::TlsV1_2OrLater);
    if (!files.authorities.isEmpty()) {
        IVM_TRY(const auto authorities, certificatesIn(u"ca_file", files.authorities));
        tls.setCaCertificates(authorities);
    }
    if (!files.certificate.isEmpty()) {
        IVM_TRY(const auto chain, certificatesIn(u"client_certificate_file", files.certificate));
        const bool apart = !files.key.isEmpty();
        IVM_TRY(const auto key,
                keyIn(apart ? u"client_key_file" : u"client_certificate_file",
                      apart ? files.key : files.certificate, files.keyPassword.toUtf8()));
        tls.setLocalCertificateChain(chain);
        tls.setPrivateKey(key);
    }
    return tls;
}

}  // namespace ivm::trino
