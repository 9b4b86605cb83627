#include "framework/host/access.h"

#include "framework/host/documents.h"

#include <QCryptographicHash>
#include <QJsonDocument>

namespace ivm {

namespace {

// Takes the same time wherever the texts differ, and whatever their lengths.
bool isSame(const QByteArray &left, const QByteArray &right)
{
    const QByteArray a = QCryptographicHash::hash(left, QCryptographicHash::Sha256);
    const QByteArray b = QCryptographicHash::hash(right, QCryptographicHash::Sha256);
    int difference = 0;
    for (qsizetype i = 0; i < a.size(); ++i)
        difference |= a[i] ^ b[i];
    return difference == 0;
}

QString hostName(const QByteArray &header)
{
    return QUrl(QStringLiteral("//") + QString::fromUtf8(header), QUrl::StrictMode).host();
}

bool isOtherOrigin(const HttpRequest &request)
{
    const QByteArray site = request.headers.value("sec-fetch-site");
    if (site == "cross-site" || site == "same-site")
        return true;
    const QByteArray origin = request.headers.value("origin");
    if (origin.isEmpty())
        return false;
    const QUrl from(QString::fromUtf8(origin), QUrl::StrictMode);
    const QUrl here(QStringLiteral("//") + QString::fromUtf8(request.headers.value("host")),
                    QUrl::StrictMode);
    return from.host().isEmpty() || from.host() != here.host() || from.port() != here.port();
}

int statusOf(const Error &error)
{
    if (error.code == u"not_json" || error.code == u"bad_request")
        return 400;
    switch (error.kind) {
    case ErrorKind::NotFound: return 404;
    case ErrorKind::AlreadyExists:
    case ErrorKind::Conflict: return 409;
    case ErrorKind::Invalid:
    case ErrorKind::Unsupported:
    case ErrorKind::Corrupt: return 422;
    case ErrorKind::Unavailable:
    case ErrorKind::Timeout:
    case ErrorKind::Cancelled:
    case ErrorKind::CommitUnknown: return 503;
    case ErrorKind::Internal: return 500;
    }
    Q_UNREACHABLE();
}

}  // namespace

HttpResponse errorResponse(int status, const Error &error)
{
    const QJsonObject document{{QStringLiteral("error"), errorJson(error)}};
    HttpResponse response{.status = status,
                          .body = QJsonDocument(document).toJson(QJsonDocument::Compact) + '\n'};
    if (status == 401)
        response.headers.emplaceBack("WWW-Authenticate", "Bearer");
    return response;
}

HttpResponse errorResponse(const Error &error) { return errorResponse(statusOf(error), error); }

std::optional<HttpResponse> AccessRules::refusal(const HttpRequest &request, Needs needs) const
{
    const QString host = hostName(request.headers.value("host"));
    const bool isAddress = !QHostAddress(host).isNull();
    if (!isAddress && host != u"localhost" && !hosts.contains(host, Qt::CaseInsensitive))
        return errorResponse(
            421, invalidError(QStringLiteral("'%1' is not a name of this host").arg(host))
                     .withCode(u"unknown_host")
                     .withHint(u"Set IVM_API_HOSTS to the names under which it is reached"));
    if (needs == Needs::Nothing)
        return {};
    if (isOtherOrigin(request))
        return errorResponse(403, invalidError(QStringLiteral("a page of another origin asks"))
                                      .withCode(u"other_origin"));
    const QByteArray type = request.headers.value("content-type").toLower();
    if (!request.body.isEmpty() && !type.startsWith("application/json"))
        return errorResponse(415, invalidError(QStringLiteral("the body is not JSON"))
                                      .withCode(u"not_json")
                                      .withHint(u"Send Content-Type: application/json"));
    if (needs == Needs::Write ? token.isEmpty() : readToken.isEmpty())
        return {};
    const QByteArray scheme = "Bearer ";
    const QByteArray header = request.headers.value("authorization");
    if (!header.startsWith(scheme))
        return errorResponse(401, invalidError(QStringLiteral("a token is needed"))
                                      .withCode(u"no_token")
                                      .withHint(u"Send Authorization: Bearer with the token"));
    const QByteArray given = header.sliced(scheme.size()).trimmed();
    const bool mayAll = !token.isEmpty() && isSame(given, token);
    const bool mayRead = needs == Needs::Read && !readToken.isEmpty() && isSame(given, readToken);
    if (mayAll || mayRead)
        return {};
    return errorResponse(
        403,
        invalidError(QStringLiteral("the token does not allow this")).withCode(u"wrong_token"));
}

}  // namespace ivm
