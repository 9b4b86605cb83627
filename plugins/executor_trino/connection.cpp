#include "plugins/executor_trino/connection.h"

#include <QLoggingCategory>

#include <algorithm>

namespace ivm::trino {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr milliseconds kLongestPause{1000};
constexpr milliseconds kCancelPatience{5000};
constexpr qsizetype kShownBody = 200;

bool isPassing(int status) { return status == 502 || status == 503 || status == 504; }

QByteArray joined(const QMap<QByteArray, QByteArray> &pairs)
{
    QByteArrayList parts;
    for (const auto &[name, value] : pairs.asKeyValueRange())
        parts.append(QByteArray(name + '=' + value));
    return parts.join(',');
}

std::pair<QByteArray, QByteArray> split(const QByteArray &assignment)
{
    const qsizetype at = assignment.indexOf('=');
    return {assignment.first(at < 0 ? assignment.size() : at).trimmed(),
            at < 0 ? QByteArray() : assignment.sliced(at + 1).trimmed()};
}

// A header that came several times is one list, comma or newline between.
QByteArrayList valuesOf(const QByteArray &header)
{
    QByteArray list = header;
    list.replace('\n', ',');
    QByteArrayList values;
    for (const auto &part : list.split(',')) {
        if (!part.trimmed().isEmpty())
            values.append(part.trimmed());
    }
    return values;
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
    if (status == 401 || status == 403)
        return invalidError(message)
            .withCode(u"not_authenticated")
            .withHint(u"Check user (TRINO_USER) and TRINO_PASSWORD");
    if (status >= 300 && status < 400)
        return invalidError(message).withHint(u"Set url (TRINO_URL) to where Trino really is");
    if (isPassing(status))
        return unavailableError(message).withCode(kAnswerLost).withHint(u"Try again when it is up");
    return unavailableError(message).withHint(u"Check that url (TRINO_URL) is a Trino coordinator");
}

}  // namespace

Connection::Connection(const TrinoOptions &options)
    : m_options(options), m_catalog(options.catalog), m_schema(options.schema)
{
    for (const auto &[name, value] : options.sessionProperties.asKeyValueRange())
        m_properties.insert(name.toUtf8(), QUrl::toPercentEncoding(value));
}

HttpHeaders Connection::commonHeaders() const
{
    HttpHeaders headers{{"User-Agent", "iceberg-ivm"}, {"X-Trino-User", m_options.user.toUtf8()}};
    if (!m_options.password.isEmpty()) {
        const QByteArray pair = m_options.user.toUtf8() + ':' + m_options.password.toUtf8();
        headers.append({"Authorization", "Basic " + pair.toBase64()});
    }
    return headers;
}

HttpHeaders Connection::statementHeaders() const
{
    HttpHeaders headers = commonHeaders();
    if (!m_authorizationUser.isEmpty()) {
        headers[1].second = m_authorizationUser.toUtf8();
        headers.append({"X-Trino-Original-User", m_options.user.toUtf8()});
    }
    const auto add = [&headers](const char *name, const QByteArray &value) {
        if (!value.isEmpty())
            headers.append({name, value});
    };
    add("Content-Type", "text/plain; charset=utf-8");
    add("X-Trino-Source", m_options.source.toUtf8());
    add("X-Trino-Catalog", m_catalog.toUtf8());
    add("X-Trino-Schema", m_schema.toUtf8());
    add("X-Trino-Path", m_path.toUtf8());
    add("X-Trino-Time-Zone", "UTC");
    add("X-Trino-Language", "en-US");
    add("X-Trino-Client-Info", "iceberg-ivm");
    add("X-Trino-Client-Tags", m_options.clientTags.join(u',').toUtf8());
    // Without this, times and timestamps come cut to milliseconds.
    add("X-Trino-Client-Capabilities", "PATH,PARAMETRIC_DATETIME,SESSION_AUTHORIZATION");
    add("X-Trino-Session", joined(m_properties));
    add("X-Trino-Prepared-Statement", joined(m_prepared));
    add("X-Trino-Role", joined(m_roles));
    return headers;
}

// Behind proxies a server may not know its own address, and a password goes to no other: keep to
// the configured origin.
QUrl Connection::atHome(const QUrl &uri) const
{
    QUrl home = uri;
    home.setScheme(m_options.url.scheme());
    home.setHost(m_options.url.host());
    home.setPort(m_options.url.port());
    home.setUserInfo(QString());
    return home;
}

Error Connection::unreachable(Error error) const
{
    if (error.kind != ErrorKind::Unavailable)
        return error;
    error.message = QStringLiteral("Trino at %1 does not answer: %2")
                        .arg(m_options.url.toString(), error.message);
    error.hint = QStringLiteral("Check that it runs and that url (TRINO_URL) is right");
    return error;
}

Result<HttpAnswer> Connection::sendPatiently(const HttpRequest &request, const Call &call)
{
    const auto end = steady_clock::now() + m_options.patience.retryFor;
    for (milliseconds pause = m_options.patience.firstPause;;
         pause = std::min(pause * 2, kLongestPause)) {
        auto answer = m_http.send(request, m_options.patience.answer, call);
        const bool passing =
            answer ? isPassing(answer->status) : answer.error().kind == ErrorKind::Unavailable;
        // A statement that never reached the server is for the caller to repeat: nothing is under
        // way yet.
        const bool refusedPost =
            !answer && answer.error().code == kNotReached && request.method == "POST";
        if (!passing || refusedPost || steady_clock::now() + pause > end)
            return answer;
        IVM_CHECK(m_http.pause(pause, call));
    }
}

Result<Page> Connection::readAnswer(const HttpAnswer &answer)
{
    if (answer.status != 200)
        return fail(statusError(answer.status, m_options.url, answer.body));
    IVM_CHECK(remember(answer.headers));
    return readPage(answer.body);
}

Result<Page> Connection::post(const QString &sql, const Call &call)
{
    QUrl url = m_options.url;
    url.setPath(url.path() + QStringLiteral("/v1/statement"));
    auto answer = sendPatiently({"POST", url, statementHeaders(), sql.toUtf8()}, call);
    if (!answer)
        return fail(unreachable(std::move(answer).error()));
    return readAnswer(*answer);
}

Result<Page> Connection::get(const QUrl &nextUri, const Call &call)
{
    auto answer = sendPatiently({"GET", atHome(nextUri), commonHeaders()}, call);
    if (!answer)
        return fail(unreachable(std::move(answer).error()));
    return readAnswer(*answer);
}

Status Connection::cancel(const QUrl &nextUri)
{
    auto answer =
        m_http.send({"DELETE", atHome(nextUri), commonHeaders()}, kCancelPatience, Call{});
    if (!answer)
        return fail(unreachable(std::move(answer).error()));
    if (answer->status >= 300)
        return fail(statusError(answer->status, m_options.url, answer->body));
    return {};
}

Status Connection::setProperty(const QByteArray &assignment)
{
    const auto [name, value] = split(assignment);
    if (name == "time_zone_id")
        return fail(
            unsupportedError(QStringLiteral("the time zone of a session cannot be set"))
                .withHint(
                    u"Sessions are pinned to UTC, which buckets depend on; use AT TIME ZONE"));
    m_properties.insert(name, value);
    return {};
}

Status Connection::remember(const HttpHeaders &headers)
{
    for (const auto &[rawName, value] : headers) {
        const QByteArray name = rawName.toLower();
        if (!name.startsWith("x-trino-"))
            continue;
        if (name == "x-trino-set-catalog")
            m_catalog = QString::fromUtf8(value);
        else if (name == "x-trino-set-schema")
            m_schema = QString::fromUtf8(value);
        else if (name == "x-trino-set-path")
            m_path = QString::fromUtf8(value);
        else if (name == "x-trino-set-authorization-user")
            m_authorizationUser = QString::fromUtf8(value);
        else if (name == "x-trino-reset-authorization-user")
            m_authorizationUser.clear();
        else if (name == "x-trino-set-session") {
            for (const auto &assignment : valuesOf(value))
                IVM_CHECK(setProperty(assignment));
        } else if (name == "x-trino-clear-session") {
            for (const auto &property : valuesOf(value))
                m_properties.remove(property);
        } else if (name == "x-trino-set-role") {
            for (const auto &assignment : valuesOf(value))
                m_roles.insert(split(assignment).first, split(assignment).second);
        } else if (name == "x-trino-added-prepare") {
            for (const auto &assignment : valuesOf(value))
                m_prepared.insert(split(assignment).first, split(assignment).second);
        } else if (name == "x-trino-deallocated-prepare") {
            for (const auto &prepared : valuesOf(value))
                m_prepared.remove(prepared);
        }
    }
    return {};
}

}  // namespace ivm::trino
