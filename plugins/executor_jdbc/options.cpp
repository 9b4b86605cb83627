#include "plugins/executor_jdbc/options.h"

#include "plugins/trino_sql/session_options.h"

#include <algorithm>

namespace ivm::jdbc {

using trino::wrongOption;

namespace {

constexpr int kLeastHeap = 32;
constexpr int kMostHeap = 64 * 1024;
const QString kScheme = QStringLiteral("jdbc:");

struct OwnOption {
    QStringView property;
    QStringView hint;
};

// Properties of the driver that are told otherwise.
constexpr OwnOption kOwnOptions[] = {
    {u"user", u"Use the option user (TRINO_USER)"},
    {u"password", u"Use TRINO_PASSWORD or password_file"},
    {u"source", u"Use the option source"},
    {u"clientTags", u"Use the option client_tags"},
    {u"clientInfo", u"It tells what a query is for"},
    {u"timezone", u"Sessions are pinned to UTC, which buckets depend on"},
    {u"accessToken", u"Use access_token_file, which is read again when it changes"},
    {u"timeout", u"An answer that does not come is asked for again for half a minute"},
    {u"path", u"Write functions as catalog.schema.name"},
};

bool isSecret(const QString &property)
{
    // Where a secret is kept is none, and a trace token names a request.
    if (property.endsWith(u"Path") || property.endsWith(u"Cache") || property == u"traceToken")
        return false;
    for (const auto word : {u"password", u"token", u"credential", u"secret"}) {
        if (property.contains(QStringView(word), Qt::CaseInsensitive))
            return true;
    }
    return false;
}

Status checkProperty(QStringView option, const QString &name, const QString &value)
{
    for (const auto &own : kOwnOptions) {
        if (own.property == name)
            return fail(wrongOption(
                option, QStringLiteral("it sets %1, which is not set here").arg(name), own.hint));
    }
    if (name == u"sessionProperties" && value.contains(u"time_zone_id"))
        return fail(wrongOption(option, QStringLiteral("it sets time_zone_id, which cannot be set"),
                                u"Sessions are pinned to UTC, which buckets depend on"));
    if (name == u"httpLoggingLevel" && value != u"NONE" && value != u"BASIC")
        return fail(wrongOption(option,
                                QStringLiteral("it sets httpLoggingLevel to '%1', which would log "
                                               "secrets")
                                    .arg(value),
                                u"Set it to BASIC or NONE"));
    return {};
}

Status checkOpenProperty(QStringView option, const QString &name, const QString &value)
{
    IVM_CHECK(checkProperty(option, name, value));
    if (isSecret(name))
        return fail(wrongOption(option, QStringLiteral("it contains the secret %1").arg(name),
                                u"Write it as a line name=value into a file that "
                                u"secret_properties_file names, or into IVM_JDBC_PROPERTIES"));
    return {};
}

// What the URL looks bare names up in is known from the options alone, to the host too.
Status checkPath(const QUrl &url, const JdbcOptions &out)
{
    const QStringList parts = url.path().split(u'/', Qt::SkipEmptyParts);
    const QStringList wanted{out.catalog, out.schema};
    const QStringList names{QStringLiteral("catalog"), QStringLiteral("schema")};
    if (parts.size() > 2)
        return fail(wrongOption(u"url", QStringLiteral("its path is not a catalog and a schema"),
                                u"Write jdbc:trino://host:port/catalog/schema, or no path"));
    for (qsizetype i = 0; i < parts.size(); ++i) {
        if (parts[i].toLower() != wanted[i])
            return fail(
                wrongOption(u"url",
                            QStringLiteral("it names the %1 '%2', and the option %1 is '%3'")
                                .arg(names[i], parts[i], wanted[i]),
                            QString(QStringLiteral("Set %1: %2, or take it out of the URL")
                                        .arg(names[i], parts[i]))));
    }
    return {};
}

// As the driver takes a query apart: it decodes the whole of it before it looks for & and =.
QMap<QString, QString> queryOf(const QUrl &url)
{
    QMap<QString, QString> out;
    for (const auto &item : url.query(QUrl::FullyDecoded).split(u'&', Qt::SkipEmptyParts))
        out.insert(item.section(u'=', 0, 0), item.section(u'=', 1));
    return out;
}

// Where people look: Trino itself, unless told.
Status readPublicUrl(const PluginOptions &options, JdbcOptions &out)
{
    const QString shown = options.value(u"public_url").toString().trimmed();
    if (!shown.isEmpty()) {
        IVM_TRY(out.publicUrl,
                trino::readHttpUrl(
                    u"public_url", shown,
                    u"Set public_url (or TRINO_PUBLIC_URL) to where browsers reach Trino"));
        return {};
    }
    const QUrl url(out.url.sliced(kScheme.size()));
    const QString name = QStringLiteral("SSL");
    const QString ssl = out.properties.value(name, queryOf(url).value(name));
    const bool isSecure =
        ssl.isEmpty() ? url.port() == 443 : ssl.compare(u"true", Qt::CaseInsensitive) == 0;
    out.publicUrl.setScheme(isSecure ? QStringLiteral("https") : QStringLiteral("http"));
    out.publicUrl.setHost(url.host());
    out.publicUrl.setPort(url.port());
    return {};
}

Status readUrl(const PluginOptions &options, JdbcOptions &out)
{
    const QStringView hint =
        u"Set url (or IVM_JDBC_URL) to the driver's URL, for example jdbc:trino://localhost:8080";
    out.url = options.value(u"url").toString().trimmed();
    const QUrl url(out.url.startsWith(kScheme) ? out.url.sliced(kScheme.size()) : QString(),
                   QUrl::StrictMode);
    if (!url.isValid() || url.scheme() != u"trino" || url.host().isEmpty())
        return fail(wrongOption(
            u"url", QStringLiteral("it is not a URL that begins with jdbc:trino://"), hint));
    if (!url.userInfo().isEmpty() || url.hasFragment())
        return fail(wrongOption(u"url", QStringLiteral("it contains a user or a fragment"),
                                u"Use user (TRINO_USER) and TRINO_PASSWORD or password_file"));
    for (const auto &[name, value] : queryOf(url).asKeyValueRange())
        IVM_CHECK(checkOpenProperty(u"url", name, value));
    IVM_CHECK(checkPath(url, out));
    out.shownUrl =
        kScheme + url.toString(QUrl::RemoveQuery | QUrl::RemovePath | QUrl::RemoveUserInfo);
    return {};
}

Status readOpenProperties(const PluginOptions &options, JdbcOptions &out)
{
    const auto object = options.value(u"properties").toObject();
    for (auto it = object.begin(); it != object.end(); ++it) {
        IVM_CHECK(checkOpenProperty(u"properties", it.key(), it->toVariant().toString()));
        if (it->isObject() || it->isArray() || it->isNull())
            return fail(wrongOption(u"properties",
                                    QStringLiteral("%1 is not a text or number").arg(it.key()),
                                    u"Write values as the driver's documentation does"));
        out.properties.insert(it.key(), it->toVariant().toString());
    }
    return {};
}

Status readSecretProperties(const PluginOptions &options, JdbcOptions &out)
{
    const QString text = options.value(u"secret_properties").toString();
    int number = 0;
    for (const auto &line : text.split(u'\n')) {
        ++number;
        if (line.trimmed().isEmpty())
            continue;
        const qsizetype equals = line.indexOf(u'=');
        const QString name = line.first(qMax<qsizetype>(equals, 0)).trimmed();
        if (name.isEmpty())
            return fail(wrongOption(u"secret_properties",
                                    QStringLiteral("line %1 is not name=value").arg(number),
                                    u"Write one property of the driver on each line"));
        const QString value = line.sliced(equals + 1).trimmed();
        IVM_CHECK(checkProperty(u"secret_properties", name, value));
        out.properties.insert(name, value);
        out.secrets.append(value);
    }
    return {};
}

Status asciiOption(QStringView option, const QString &text)
{
    if (auto checked = checkAscii(text); !checked)
        return fail(std::move(checked).error().during(QString(u"executor option " + option)));
    return {};
}

Status readIdentity(const PluginOptions &options, JdbcOptions &out)
{
    out.user = options.value(u"user").toString();
    out.source = options.value(u"source").toString();
    for (const auto &[name, text] : {std::pair(u"catalog", out.catalog),
                                     {u"schema", out.schema},
                                     {u"user", out.user},
                                     {u"source", out.source}}) {
        if (!trino::fitsHeader(text))
            return fail(wrongOption(QStringView(name),
                                    QStringLiteral("it contains a control character"),
                                    u"Remove line breaks and tabs"));
        IVM_CHECK(asciiOption(name, text));
    }
    if (out.user.isEmpty())
        return fail(wrongOption(u"user", QStringLiteral("it is missing"),
                                u"Set user (or TRINO_USER) to the name that Trino knows"));
    out.accessTokenFile = options.value(u"access_token_file").toString();
    const QString password = options.value(u"password").toString();
    if (password.isEmpty())
        return {};
    if (!out.accessTokenFile.isEmpty())
        return fail(wrongOption(u"access_token_file", QStringLiteral("there is a password, too"),
                                u"Use one of the two: remove access_token_file or TRINO_PASSWORD"));
    out.properties.insert(QStringLiteral("password"), password);
    out.secrets.append(password);
    return {};
}

Status readJava(const PluginOptions &options, JdbcOptions &out)
{
    out.java = options.value(u"java").toString();
    if (out.java.isEmpty())
        return fail(wrongOption(u"java", QStringLiteral("it is empty"),
                                u"Name a Java runtime, or leave the option out"));
    const auto heap = options.value(u"heap_mb").toInteger();
    if (heap < kLeastHeap || heap > kMostHeap)
        return fail(wrongOption(
            u"heap_mb",
            QStringLiteral("%1 is not between %2 and %3").arg(heap).arg(kLeastHeap).arg(kMostHeap),
            u"The default of 96 is enough unless single rows are very large"));
    out.heapMegabytes = static_cast<int>(heap);
    return {};
}

}  // namespace

Status checkAscii(const QString &text)
{
    const auto strange = std::ranges::find_if(text, [](QChar c) { return c > u'~'; });
    if (strange == text.end())
        return {};
    return fail(invalidError(QStringLiteral("'%1' is not ASCII").arg(text.left(80)))
                    .withHint(u"The JDBC driver sends ASCII alone here"));
}

Result<JdbcOptions> readOptions(const PluginOptions &options)
{
    JdbcOptions out;
    out.catalog = options.value(u"catalog").toString().toLower();
    out.schema = options.value(u"schema").toString().toLower();
    IVM_CHECK(readUrl(options, out));
    IVM_CHECK(readOpenProperties(options, out));
    IVM_CHECK(readSecretProperties(options, out));
    IVM_CHECK(readPublicUrl(options, out));
    IVM_CHECK(readIdentity(options, out));
    IVM_TRY(out.clientTags, trino::readClientTags(options));
    IVM_CHECK(asciiOption(u"client_tags", out.clientTags.join(u',')));
    IVM_TRY(out.sessionProperties, trino::readSessionProperties(options));
    for (const auto &value : std::as_const(out.sessionProperties))
        IVM_CHECK(asciiOption(u"session_properties", value));
    IVM_CHECK(readJava(options, out));
    return out;
}

}  // namespace ivm::jdbc
