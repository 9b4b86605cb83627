#include "plugins/executor_trino/connection.h"

#include "plugins/trino_sql/at_work.h"

#include <algorithm>

namespace ivm::trino {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds kLongestPause{1000};
constexpr milliseconds kCancelPatience{5000};
constexpr qsizetype kShownBody = 200;
const QString kStatementPath = QStringLiteral("/v1/statement");

bool isPassing(int status) { return status == 429 || (status >= 502 && status <= 504); }

// How long the server asks to be left alone; zero where it does not say. Dates are not read: only
// seconds are what proxies send.
milliseconds askedPause(const HttpAnswer &answer)
{
    for (const auto &[name, value] : answer.headers) {
        if (name.compare("Retry-After", Qt::CaseInsensitive) == 0)
            return milliseconds(std::clamp(value.trimmed().toLongLong(), 0LL, 3600LL) * 1000);
    }
    return {};
}

// What a proxy or the server says beside an HTTP status, cut to a line.
QString shortText(const QByteArray &body)
{
    return QString::fromUtf8(body.first(qMin(body.size(), kShownBody))).simplified();
}

Error statusError(int status, const QUrl &url, const QByteArray &body)
{
    const QString said = shortText(body);
    const QString message =
        QStringLiteral("Trino at %1 answers HTTP %2%3")
            .arg(url.toString(), QString::number(status),
                 said.isEmpty() ? QString() : QString(QStringLiteral(": ") + said));
    // Of this moment, not of the statement: tokens run out, and are renewed.
    if (status == 401 || status == 403)
        return unavailableError(message)
            .withCode(u"not_authenticated")
            .withHint(u"Check user (TRINO_USER), and TRINO_PASSWORD or access_token_file");
    if (status >= 300 && status < 400)
        return invalidError(message).withHint(u"Set url (TRINO_URL) to where Trino really is");
    if (isPassing(status))
        return unavailableError(message).withCode(kAnswerLost).withHint(u"Try again when it is up");
    return unavailableError(message).withHint(u"Check that url (TRINO_URL) is a Trino coordinator");
}

bool isLost(int status) { return status == 404 || status == 410; }

}  // namespace

Connection::Connection(const TrinoOptions &options, const SessionOptions &session,
                       const QSslConfiguration &tls)
    : m_url(options.url), m_patience(options.patience), m_timeout(session.statementTimeout),
      m_comment(purposeComment(session.purpose)), m_client(options, session),
      m_credentials(options), m_http(tls)
{
}

// Behind proxies a server may know neither its own address nor the path it is reached under, and a
// password goes to no other place: keep to the configured origin and path.
QUrl Connection::atHome(const QUrl &uri) const
{
    QUrl home = uri;
    home.setScheme(m_url.scheme());
    home.setHost(m_url.host());
    home.setPort(m_url.port());
    home.setUserInfo(QString());
    const qsizetype known = uri.path(QUrl::FullyEncoded).indexOf(kStatementPath);
    if (known >= 0)
        home.setPath(m_url.path(QUrl::FullyEncoded) + uri.path(QUrl::FullyEncoded).sliced(known),
                     QUrl::TolerantMode);
    return home;
}

Error Connection::unreachable(Error error) const
{
    if (error.kind != ErrorKind::Unavailable)
        return error;
    error.message =
        QStringLiteral("Trino at %1 does not answer: %2").arg(m_url.toString(), error.message);
    error.hint = error.code == kNotTrusted
                     ? QStringLiteral("Set ca_file to the authority that vouches for the server, "
                                      "and url (TRINO_URL) to the name in its certificate")
                     : QStringLiteral("Check that it runs and that url (TRINO_URL) is right");
    return error;
}

Result<HttpAnswer> Connection::sendOnce(HttpRequest request, milliseconds patience,
                                        const Call &call)
{
    IVM_TRY(const QByteArray authorization, m_credentials.authorization());
    if (!authorization.isEmpty())
        request.headers.append({"Authorization", authorization});
    auto answer = m_http.send(request, patience, call);
    // A token may run out while a statement runs, and a new one be in the file already.
    if (!answer || answer->status != 401)
        return answer;
    IVM_TRY(const QByteArray renewed, m_credentials.authorization());
    if (renewed == authorization)
        return answer;
    request.headers.last().second = renewed;
    return m_http.send(request, patience, call);
}

Result<HttpAnswer> Connection::sendPatiently(HttpRequest request, const Call &call)
{
    std::optional<steady_clock::time_point> end;
    for (milliseconds pause = m_patience.firstPause;; pause = std::min(pause * 2, kLongestPause)) {
        auto answer = sendOnce(request, m_patience.answer, call);
        // A server that was trusted once is not what is wrong when a handshake breaks.
        const bool passing = answer ? isPassing(answer->status)
                                    : answer.error().kind == ErrorKind::Unavailable &&
                                          (answer.error().code != kNotTrusted || m_hasAnswered);
        m_hasAnswered |= answer.has_value();
        // A statement that never reached the server is for the caller to repeat: nothing is under
        // way yet.
        const bool refusedPost =
            !answer && answer.error().code == kNotReached && request.method == "POST";
        const auto wait = std::max(pause, answer ? askedPause(*answer) : milliseconds{});
        // From the first failure on: an answer that never came has taken its own time already.
        if (!end)
            end = steady_clock::now() + m_patience.retryFor;
        if (!passing || refusedPost || steady_clock::now() + wait > *end)
            return answer;
        IVM_CHECK(m_http.pause(wait, call));
    }
}

Result<Page> Connection::readAnswer(const HttpAnswer &answer)
{
    if (answer.status != 200)
        return fail(statusError(answer.status, m_url, answer.body));
    IVM_CHECK(m_client.remember(answer.headers));
    return readPage(answer.body);
}

Result<Page> Connection::post(const QString &sql, const Call &call)
{
    QUrl url = m_url;
    url.setPath(url.path() + kStatementPath);
    auto answer = sendPatiently(
        {"POST", url, m_client.ofStatement(call), QString(sql + m_comment).toUtf8()}, call);
    if (!answer)
        return fail(unreachable(std::move(answer).error()));
    return readAnswer(*answer);
}

Result<Page> Connection::get(const QUrl &nextUri, const Call &call)
{
    auto answer = sendPatiently({"GET", atHome(nextUri), m_client.common()}, call);
    if (!answer)
        return fail(unreachable(std::move(answer).error()));
    if (isLost(answer->status))
        return fail(
            unavailableError(
                QStringLiteral("Trino at %1 does not know the query any more (HTTP %2)")
                    .arg(m_url.toString(), QString::number(answer->status)))
                .withCode(u"query_lost")
                .withHint(u"Its coordinator was restarted, or a proxy asks several in turn"));
    return readAnswer(*answer);
}

Status Connection::cancel(const QUrl &nextUri)
{
    auto answer = sendOnce({"DELETE", atHome(nextUri), m_client.common()}, kCancelPatience, Call{});
    if (!answer)
        return fail(unreachable(std::move(answer).error()));
    if (answer->status >= 300)
        return fail(statusError(answer->status, m_url, answer->body));
    return {};
}

}  // namespace ivm::trino
