#include "plugins/executor_trino/options.h"

#include <QHostAddress>
#include <QJsonArray>

#include <algorithm>

namespace ivm::trino {

namespace {

bool isLoopback(const QUrl &url)
{
    const QString host = url.host();
    return host == u"localhost" || QHostAddress(host).isLoopback();
}

Result<QString> headerText(const PluginOptions &options, QStringView name)
{
    const QString text = options.value(name).toString();
    if (!fitsHeader(text))
        return fail(wrongOption(name, QStringLiteral("it contains a control character"),
                                u"Remove line breaks and tabs"));
    return text;
}

Status readUrls(const PluginOptions &options, TrinoOptions &out)
{
    const QStringView hint =
        u"Set url (or TRINO_URL) to the coordinator, for example http://localhost:8080";
    const QString url = options.value(u"url").toString().trimmed();
    if (url.isEmpty())
        return fail(wrongOption(u"url", QStringLiteral("it is missing"), hint));
    IVM_TRY(out.url, readHttpUrl(u"url", url, hint));
    out.publicUrl = out.url;
    const QString shown = options.value(u"public_url").toString().trimmed();
    if (shown.isEmpty())
        return {};
    IVM_TRY(out.publicUrl,
            readHttpUrl(u"public_url", shown,
                        u"Set public_url (or TRINO_PUBLIC_URL) to where browsers reach Trino"));
    return {};
}

// SET ROLE's ALL and NONE stand for themselves, everything else is a role's name.
Result<QMap<QString, QString>> readRoles(const PluginOptions &options)
{
    QMap<QString, QString> roles;
    const auto object = options.value(u"roles").toObject();
    for (auto it = object.begin(); it != object.end(); ++it) {
        const QString role = it->toString();
        const QString catalog = it.key();
        if (role.isEmpty() || !fitsHeader(role) || catalog.isEmpty() || catalog.contains(u'=') ||
            catalog.contains(u',') || !fitsHeader(catalog))
            return fail(
                wrongOption(u"roles",
                            QStringLiteral("'%1: %2' is not a catalog and a role")
                                .arg(catalog.left(80), role.left(80)),
                            u"Write one role for each catalog, for example {iceberg: writer}"));
        const bool stands = role == u"ALL" || role == u"NONE";
        roles.insert(catalog,
                     stands ? role : QString(QStringLiteral("ROLE{") + role + QStringLiteral("}")));
    }
    return roles;
}

Status readIdentity(const PluginOptions &options, TrinoOptions &out)
{
    IVM_TRY(out.user, headerText(options, u"user"));
    out.password = options.value(u"password").toString();
    out.accessTokenFile = options.value(u"access_token_file").toString();
    out.tls = {.authorities = options.value(u"ca_file").toString(),
               .certificate = options.value(u"client_certificate_file").toString(),
               .key = options.value(u"client_key_file").toString(),
               .keyPassword = options.value(u"client_key_password").toString()};
    if (out.user.isEmpty() || (!out.password.isEmpty() && out.user.contains(u':')))
        return fail(wrongOption(u"user",
                                out.user.isEmpty() ? QStringLiteral("it is missing")
                                                   : QStringLiteral("it contains a colon"),
                                u"Set user (or TRINO_USER) to the name that Trino knows"));
    if (!out.password.isEmpty() && !out.accessTokenFile.isEmpty())
        return fail(wrongOption(u"access_token_file", QStringLiteral("there is a password, too"),
                                u"Use one of the two: remove access_token_file or TRINO_PASSWORD"));
    if (out.tls.certificate.isEmpty() && !out.tls.key.isEmpty())
        return fail(wrongOption(u"client_key_file", QStringLiteral("there is no certificate to it"),
                                u"Set client_certificate_file, too"));
    return {};
}

// What is secret stays on this machine or goes over TLS.
Status checkSecrecy(const PluginOptions &options, const TrinoOptions &out)
{
    if (out.url.scheme() == u"https")
        return {};
    if (!out.tls.authorities.isEmpty() || !out.tls.certificate.isEmpty())
        return fail(
            wrongOption(out.tls.certificate.isEmpty() ? u"ca_file" : u"client_certificate_file",
                        QStringLiteral("%1 is not an https URL").arg(out.url.toString()),
                        u"Certificates need https: change url (or TRINO_URL)"));
    const bool isSecret = !out.password.isEmpty() || !out.accessTokenFile.isEmpty();
    if (!isSecret || isLoopback(out.url) || options.value(u"allow_plain_http").toBool())
        return {};
    return fail(wrongOption(
        out.password.isEmpty() ? u"access_token_file" : u"password",
        QStringLiteral("it would be sent in the clear to %1").arg(out.url.toString()),
        u"Use an https URL, or allow_plain_http where everybody on the way may read it"));
}

}  // namespace

Result<TrinoOptions> readOptions(const PluginOptions &options)
{
    TrinoOptions out;
    IVM_CHECK(readUrls(options, out));
    IVM_CHECK(readIdentity(options, out));
    IVM_CHECK(checkSecrecy(options, out));
    IVM_TRY(out.catalog, headerText(options, u"catalog"));
    IVM_TRY(out.schema, headerText(options, u"schema"));
    IVM_TRY(out.source, headerText(options, u"source"));
    IVM_TRY(out.clientTags, readClientTags(options));
    IVM_TRY(out.sessionProperties, readSessionProperties(options));
    IVM_TRY(out.roles, readRoles(options));
    out.catalog = out.catalog.toLower();
    out.schema = out.schema.toLower();
    return out;
}

}  // namespace ivm::trino
