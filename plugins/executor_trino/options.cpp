#include "plugins/executor_trino/options.h"

#include <QHostAddress>
#include <QJsonArray>

#include <algorithm>

namespace ivm::trino {

namespace {

Error wrong(QStringView option, const QString &why, QStringView hint)
{
    return invalidError(QStringLiteral("executor option %1: %2").arg(option, why)).withHint(hint);
}

bool isLoopback(const QUrl &url)
{
    const QString host = url.host();
    return host == u"localhost" || QHostAddress(host).isLoopback();
}

// Header values are one line of printable text.
bool fitsHeader(QStringView text)
{
    return std::none_of(text.begin(), text.end(),
                        [](QChar c) { return c < u' ' || c == QChar(0x7f); });
}

Result<QString> headerText(const PluginOptions &options, QStringView name)
{
    const QString text = options.value(name).toString();
    if (!fitsHeader(text))
        return fail(wrong(name, QStringLiteral("it contains a control character"),
                          u"Remove line breaks and tabs"));
    return text;
}

Result<QUrl> readUrl(const PluginOptions &options)
{
    const QString text = options.value(u"url").toString().trimmed();
    const QStringView hint =
        u"Set url (or TRINO_URL) to the coordinator, for example http://localhost:8080";
    if (text.isEmpty())
        return fail(wrong(u"url", QStringLiteral("it is missing"), hint));
    QUrl url(text, QUrl::StrictMode);
    const bool isHttp = url.scheme() == u"http" || url.scheme() == u"https";
    if (!url.isValid() || !isHttp || url.host().isEmpty())
        return fail(wrong(u"url", QStringLiteral("it is not an http or https URL"), hint));
    if (!url.userInfo().isEmpty())
        return fail(wrong(u"url", QStringLiteral("it contains a user or password"),
                          u"Use user (TRINO_USER) and TRINO_PASSWORD for them"));
    if (url.hasQuery() || url.hasFragment())
        return fail(wrong(u"url", QStringLiteral("it has a query or fragment"), hint));
    while (url.path().endsWith(u'/'))
        url.setPath(url.path().chopped(1));
    return url;
}

Result<QStringList> readTags(const PluginOptions &options)
{
    QStringList tags;
    for (const auto &value : options.value(u"client_tags").toArray()) {
        const QString tag = value.toString();
        if (tag.isEmpty() || tag.contains(u',') || !fitsHeader(tag))
            return fail(wrong(u"client_tags", QStringLiteral("'%1' is not a tag").arg(tag.left(80)),
                              u"Tags are words without commas"));
        tags.append(tag);
    }
    return tags;
}

QString propertyText(const QJsonValue &value)
{
    if (value.isBool())
        return value.toBool() ? QStringLiteral("true") : QStringLiteral("false");
    return value.toVariant().toString();
}

Result<QMap<QString, QString>> readProperties(const PluginOptions &options)
{
    QMap<QString, QString> properties;
    const auto object = options.value(u"session_properties").toObject();
    for (auto it = object.begin(); it != object.end(); ++it) {
        const QString name = it.key();
        if (name.isEmpty() || name.contains(u'=') || name.contains(u',') || !fitsHeader(name))
            return fail(wrong(u"session_properties",
                              QStringLiteral("'%1' is not a property").arg(name.left(80)),
                              u"Names are as in SET SESSION, for example query_max_run_time"));
        if (name == u"time_zone_id")
            return fail(wrong(u"session_properties", QStringLiteral("time_zone_id cannot be set"),
                              u"Sessions are pinned to UTC, which buckets depend on"));
        if (it->isObject() || it->isArray() || it->isNull())
            return fail(wrong(u"session_properties",
                              QStringLiteral("%1 is not a text or number").arg(name),
                              u"Write values as in SET SESSION"));
        properties.insert(name, propertyText(*it));
    }
    return properties;
}

}  // namespace

Result<TrinoOptions> readOptions(const PluginOptions &options)
{
    TrinoOptions out;
    IVM_TRY(out.url, readUrl(options));
    IVM_TRY(out.user, headerText(options, u"user"));
    IVM_TRY(out.catalog, headerText(options, u"catalog"));
    IVM_TRY(out.schema, headerText(options, u"schema"));
    IVM_TRY(out.source, headerText(options, u"source"));
    IVM_TRY(out.clientTags, readTags(options));
    IVM_TRY(out.sessionProperties, readProperties(options));
    out.password = options.value(u"password").toString();
    out.catalog = out.catalog.toLower();
    out.schema = out.schema.toLower();
    if (out.user.isEmpty() || (!out.password.isEmpty() && out.user.contains(u':')))
        return fail(wrong(u"user",
                          out.user.isEmpty() ? QStringLiteral("it is missing")
                                             : QStringLiteral("it contains a colon"),
                          u"Set user (or TRINO_USER) to the name that Trino knows"));
    if (!out.password.isEmpty() && out.url.scheme() == u"http" && !isLoopback(out.url))
        return fail(
            wrong(u"password",
                  QStringLiteral("it would be sent in the clear to %1").arg(out.url.toString()),
                  u"Use an https URL, or remove TRINO_PASSWORD"));
    return out;
}

}  // namespace ivm::trino
