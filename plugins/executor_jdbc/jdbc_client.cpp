#include "plugins/executor_jdbc/jdbc_client.h"

#include "framework/base/log.h"
#include "plugins/trino_sql/at_work.h"
#include "plugins/trino_sql/session_options.h"

#include <QUuid>

#include <condition_variable>
#include <mutex>

namespace ivm::jdbc {

using std::chrono::milliseconds;
using trino::JsonNode;
using trino::Page;

namespace {

constexpr milliseconds kCancelPatience{5000};
constexpr qsizetype kShownText = 400;
// A statement in the bridge, as the next answer is asked for: bridge:12.
const QString kScheme = QStringLiteral("bridge");

std::atomic<qint64> g_lastSession = 0;

QJsonObject objectOf(const QMap<QString, QString> &texts)
{
    QJsonObject object;
    for (const auto &[name, value] : texts.asKeyValueRange())
        object.insert(name, value);
    return object;
}

QJsonObject connectionOf(const JdbcOptions &options, const SessionOptions &session)
{
    auto properties = options.properties;
    properties.insert(QStringLiteral("user"), options.user);
    properties.insert(QStringLiteral("source"), options.source);
    properties.insert(QStringLiteral("clientInfo"),
                      session.purpose.isEmpty() ? QStringLiteral("iceberg-ivm")
                                                : QString(QStringLiteral("iceberg-ivm: ") +
                                                          trino::purposeLine(session.purpose)));
    properties.insert(QStringLiteral("traceToken"),
                      QStringLiteral("ivm-") + QUuid::createUuid().toString(QUuid::Id128));
    if (!options.clientTags.isEmpty())
        properties.insert(QStringLiteral("clientTags"), options.clientTags.join(u','));
    auto sessionProperties = options.sessionProperties;
    sessionProperties.insert(session.properties);
    return {{QStringLiteral("op"), QStringLiteral("open")},
            {QStringLiteral("url"), options.url},
            {QStringLiteral("properties"), objectOf(properties)},
            {QStringLiteral("sessionProperties"), objectOf(sessionProperties)},
            {QStringLiteral("catalog"), options.catalog},
            {QStringLiteral("schema"), options.schema},
            {QStringLiteral("patienceMs"), qint64(options.retryFor.count())}};
}

qint64 statementOf(const QUrl &nextUri) { return nextUri.path().toLongLong(); }

bool isOver(const Error &error) { return error.code == kBridgeGone || error.code == kBridgeEnded; }

}  // namespace

JdbcClient::JdbcClient(std::shared_ptr<Bridge> bridge, const JdbcOptions &options,
                       const SessionOptions &session)
    : m_bridge(std::move(bridge)), m_options(options), m_timeout(session.statementTimeout),
      m_comment(trino::purposeComment(session.purpose)),
      m_connection(connectionOf(options, session)), m_token(options.accessTokenFile),
      m_session(++g_lastSession)
{
}

// Also of one that was given up while it was opened.
JdbcClient::~JdbcClient()
{
    m_bridge->tell(
        {{QStringLiteral("op"), QStringLiteral("close")}, {QStringLiteral("session"), m_session}},
        m_run);
}

Status JdbcClient::open(const Call &call)
{
    if (m_run)
        return {};
    if (m_setsState)
        return fail(unavailableError(QStringLiteral("the JDBC bridge has ended, and what this "
                                                    "session had set with it"))
                        .withCode(kBridgeEnded)
                        .withHint(u"Begin again in a new session"));
    QJsonObject request = m_connection;
    if (m_token.isConfigured()) {
        IVM_TRY(const QByteArray token, m_token.read());
        m_sentToken = QString::fromLatin1(token);
        auto properties = request.value(u"properties").toObject();
        properties.insert(QStringLiteral("accessToken"), m_sentToken);
        request.insert(QStringLiteral("properties"), properties);
    }
    IVM_CHECK(ask(request, {}, call));
    return {};
}

// A statement that has not started is sent again where the bridge went away with it.
Result<Page> JdbcClient::post(const QString &sql, const Call &call)
{
    auto page = postOnce(sql, call);
    return page || !isOver(page.error()) ? page : postOnce(sql, call);
}

Result<Page> JdbcClient::postOnce(const QString &sql, const Call &call)
{
    IVM_CHECK(open(call));
    const qint64 id = ++m_statement;
    QJsonObject request{{QStringLiteral("op"), QStringLiteral("post")},
                        {QStringLiteral("statement"), id},
                        {QStringLiteral("sql"), QString(sql + m_comment)}};
    if (call.deadline) {
        const auto left = qMax(milliseconds(1), call.remaining(std::chrono::hours(24 * 365)));
        request.insert(QStringLiteral("runMs"), qint64(left.count()));
    }
    auto answer = ask(request, m_run, call);
    if (answer)
        return readPage(*std::move(answer));
    if (m_run && !call.check({}))
        m_bridge->tell({{QStringLiteral("op"), QStringLiteral("cancel")},
                        {QStringLiteral("session"), m_session},
                        {QStringLiteral("statement"), id}},
                       m_run);
    return fail(std::move(answer).error());
}

Result<Page> JdbcClient::get(const QUrl &nextUri, const Call &call)
{
    IVM_TRY(auto answer, ask({{QStringLiteral("op"), QStringLiteral("get")},
                              {QStringLiteral("statement"), statementOf(nextUri)}},
                             m_run.value_or(0), call));
    return readPage(std::move(answer));
}

Status JdbcClient::cancel(const QUrl &nextUri)
{
    if (!m_run)
        return fail(unavailableError(QStringLiteral("the JDBC bridge has ended")));
    IVM_CHECK(ask({{QStringLiteral("op"), QStringLiteral("cancel")},
                   {QStringLiteral("statement"), statementOf(nextUri)}},
                  m_run, Call{}.within(kCancelPatience)));
    return {};
}

Status JdbcClient::pause(milliseconds time, const Call &call)
{
    const QStringView what = u"waiting for Trino";
    IVM_CHECK(call.check(what));
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, call.stop, call.remaining(time),
                                           [] { return false; });
    return call.check(what);
}

Result<JsonNode> JdbcClient::ask(QJsonObject request, std::optional<quint64> run, const Call &call)
{
    request.insert(QStringLiteral("session"), m_session);
    auto answer = m_bridge->call(std::move(request), run, call);
    if (!answer) {
        if (isOver(answer.error()))
            m_run.reset();
        return fail(std::move(answer).error());
    }
    m_line = answer->line;
    auto node = trino::parseRawJson(m_line, u"the JDBC bridge's answer");
    if (!node)
        return fail(std::move(node).error().withHint(u"The log has what the bridge wrote"));
    if (const auto *failed = node->member(u"failed"))
        return fail(failure(*failed));
    m_run = answer->run;
    return node;
}

Result<Page> JdbcClient::readPage(JsonNode answer)
{
    m_setsState |= answer.member(u"setsState") != nullptr;
    auto *members = std::get_if<trino::JsonMembers>(&answer.data);
    for (auto &[name, node] : *members) {
        if (name == u"page")
            return trino::readPage(std::move(node), m_line);
    }
    return fail(corruptError(QStringLiteral("the JDBC bridge's answer has no page")));
}

QString JdbcClient::withoutSecrets(QString text) const
{
    for (const auto &secret : m_options.secrets + QStringList(m_sentToken)) {
        if (!secret.isEmpty())
            text.replace(secret, QStringLiteral("***"));
    }
    return text;
}

Error JdbcClient::failure(const JsonNode &failed) const
{
    const QString kind = failed.memberText(u"kind");
    const QString said =
        withoutSecrets(failed.memberText(u"message")).simplified().left(kShownText);
    const QString message =
        QStringLiteral("Trino at %1 does not answer: %2").arg(m_options.shownUrl, said);
    if (kind == u"time_zone")
        return trino::timeZoneIsSet();
    if (kind == u"refused")
        return invalidError(QStringLiteral("the JDBC driver refuses to connect to %1: %2")
                                .arg(m_options.shownUrl, said))
            .withHint(u"Set url and properties as the documentation of Trino's JDBC driver says");
    if (kind == u"not_readable")
        return corruptError(QStringLiteral("the JDBC driver cannot read Trino's answer: ") + said)
            .withCode(kind)
            .withHint(u"Cast what is deeply nested, or a map by nested keys, to varchar or json, "
                      u"or use the executor 'trino'");
    if (kind == u"not_authenticated")
        return unavailableError(
                   QStringLiteral("Trino at %1 refuses: %2").arg(m_options.shownUrl, said))
            .withCode(kind)
            .withHint(u"Check user (TRINO_USER), and TRINO_PASSWORD, access_token_file or the "
                      u"driver's properties");
    if (kind == u"no_ticket")
        return unavailableError(
                   QStringLiteral("the JDBC driver does not get in with Kerberos: %1").arg(said))
            .withCode(kind)
            .withHint(u"Check the driver's properties KerberosPrincipal, KerberosKeytabPath and "
                      u"KerberosConfigPath; 'kinit' with the same should get a ticket");
    if (kind == u"query_lost")
        return unavailableError(QStringLiteral("Trino at %1 does not know the query any more: %2")
                                    .arg(m_options.shownUrl, said))
            .withCode(kind)
            .withHint(u"Its coordinator was restarted, or a proxy asks several in turn");
    if (kind == u"not_trusted")
        return unavailableError(message).withCode(kind).withHint(
            u"Set the driver's properties SSLTrustStorePath and SSLVerification, and url to the "
            u"name in the server's certificate");
    return unavailableError(message).withCode(kind).withHint(
        u"Check that it runs and that url is right");
}

}  // namespace ivm::jdbc
