#include "plugins/trino_sql/session_options.h"

#include <QJsonArray>

#include <algorithm>

namespace ivm::trino {

namespace {

QString propertyText(const QJsonValue &value)
{
    if (value.isBool())
        return value.toBool() ? QStringLiteral("true") : QStringLiteral("false");
    return value.toVariant().toString();
}

}  // namespace

Error wrongOption(QStringView option, const QString &why, QStringView hint)
{
    return invalidError(QStringLiteral("executor option %1: %2").arg(option, why)).withHint(hint);
}

Result<QUrl> readHttpUrl(QStringView option, const QString &text, QStringView hint)
{
    QUrl url(text, QUrl::StrictMode);
    const bool isHttp = url.scheme() == u"http" || url.scheme() == u"https";
    if (!url.isValid() || !isHttp || url.host().isEmpty())
        return fail(wrongOption(option, QStringLiteral("it is not an http or https URL"), hint));
    if (!url.userInfo().isEmpty())
        return fail(wrongOption(option, QStringLiteral("it contains a user or password"),
                                u"Use user (TRINO_USER) and TRINO_PASSWORD for them"));
    if (url.hasQuery() || url.hasFragment())
        return fail(wrongOption(option, QStringLiteral("it has a query or fragment"), hint));
    while (url.path().endsWith(u'/'))
        url.setPath(url.path().chopped(1));
    return url;
}

bool fitsHeader(QStringView text)
{
    return std::none_of(text.begin(), text.end(),
                        [](QChar c) { return c < u' ' || c == QChar(0x7f); });
}

Result<QStringList> readClientTags(const PluginOptions &options)
{
    QStringList tags;
    for (const auto &value : options.value(u"client_tags").toArray()) {
        const QString tag = value.toString();
        if (tag.isEmpty() || tag.contains(u',') || !fitsHeader(tag))
            return fail(wrongOption(u"client_tags",
                                    QStringLiteral("'%1' is not a tag").arg(tag.left(80)),
                                    u"Tags are words without commas"));
        tags.append(tag);
    }
    return tags;
}

Result<QMap<QString, QString>> readSessionProperties(const PluginOptions &options)
{
    QMap<QString, QString> properties;
    const auto object = options.value(u"session_properties").toObject();
    for (auto it = object.begin(); it != object.end(); ++it) {
        if (it->isObject() || it->isArray() || it->isNull())
            return fail(wrongOption(u"session_properties",
                                    QStringLiteral("%1 is not a text or number").arg(it.key()),
                                    u"Write values as in SET SESSION"));
        const QString value = propertyText(*it);
        if (auto checked = checkSessionProperty(it.key(), value); !checked)
            return fail(std::move(checked).error().during(u"executor option session_properties"));
        properties.insert(it.key(), value);
    }
    return properties;
}

Status checkSessionProperty(const QString &name, const QString &value)
{
    if (name.isEmpty() || name.contains(u'=') || name.contains(u',') || !fitsHeader(name))
        return fail(invalidError(QStringLiteral("'%1' is not a property").arg(name.left(80)))
                        .withHint(u"Names are as in SET SESSION, for example query_max_run_time"));
    if (name == u"time_zone_id")
        return fail(invalidError(QStringLiteral("time_zone_id cannot be set"))
                        .withHint(u"Sessions are pinned to UTC, which buckets depend on"));
    if (value.isEmpty())
        return fail(invalidError(QStringLiteral("%1 has no value").arg(name))
                        .withHint(u"Write values as in SET SESSION"));
    return {};
}

Error timeZoneIsSet()
{
    return unsupportedError(QStringLiteral("the time zone of a session cannot be set"))
        .withHint(u"Sessions are pinned to UTC, which buckets depend on; use AT TIME ZONE");
}

QString statementPage(const QUrl &publicUrl, const QString &statementId)
{
    QUrl page = publicUrl;
    page.setPath(page.path() + QStringLiteral("/ui/query.html"));
    page.setQuery(QString::fromLatin1(QUrl::toPercentEncoding(statementId)));
    return page.toString(QUrl::FullyEncoded);
}

}  // namespace ivm::trino
