#include "framework/host/host_client.h"

#include <QEventLoop>
#include <QJsonArray>
#include <QJsonDocument>
#include <QNetworkAccessManager>
#include <QNetworkProxy>
#include <QNetworkReply>

namespace ivm {

namespace {

const QString kAt = QStringLiteral(" at ");
constexpr int kPatience = 2000;  // milliseconds

}  // namespace

TableName hostPlace()
{
    return {QStringLiteral("host"), QStringLiteral("ivmd"), QStringLiteral("place")};
}

QString ownerAt(const QString &owner, const QUrl &address)
{
    return owner + kAt + address.toString();
}

QUrl addressIn(const QString &owner)
{
    const auto at = owner.lastIndexOf(kAt);
    const QUrl url = at < 0 ? QUrl() : QUrl(owner.sliced(at + kAt.size()), QUrl::StrictMode);
    return url.scheme() == u"http" ? url : QUrl();
}

Result<QHash<QString, QJsonObject>> viewsOfHost(const QUrl &address, const QByteArray &token)
{
    QNetworkAccessManager network;
    network.setProxy(QNetworkProxy::NoProxy);
    QNetworkRequest request(address.resolved(QUrl(QStringLiteral("api/views"))));
    request.setTransferTimeout(kPatience);
    if (!token.isEmpty())
        request.setRawHeader("Authorization", QByteArray("Bearer " + token));
    const std::unique_ptr<QNetworkReply> reply(network.get(request));
    QEventLoop loop;
    QObject::connect(reply.get(), &QNetworkReply::finished, &loop, &QEventLoop::quit);
    loop.exec();
    if (reply->error() != QNetworkReply::NoError)
        return fail(unavailableError(QStringLiteral("the host at %1 does not tell: %2")
                                         .arg(address.toString(), reply->errorString())));
    QHash<QString, QJsonObject> views;
    const auto list = QJsonDocument::fromJson(reply->readAll()).array();
    for (const auto &view : list)
        views.insert(view[QStringLiteral("name")].toString(), view.toObject());
    return views;
}

}  // namespace ivm
