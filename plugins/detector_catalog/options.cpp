#include "plugins/detector_catalog/options.h"

#include <QDir>
#include <QFile>
#include <QUrl>
#include <QUrlQuery>

namespace ivm::catalog {

namespace {

constexpr qint64 kLongestPassword = 64 * 1024;
// A poll that waits longer for its connection than this has failed.
const QString kConnectSeconds = QStringLiteral("10");

Error wrong(const QString &what, QStringView hint)
{
    return invalidError(QStringLiteral("detector.catalog: %1").arg(what)).withHint(hint);
}

Status onlyKnown(const QJsonObject &catalog, const QStringList &known, QStringView hint)
{
    for (const QString &key : catalog.keys()) {
        if (!known.contains(key))
            return fail(wrong(QStringLiteral("'%1' is not an option").arg(key.left(80)), hint));
    }
    return {};
}

Result<iceberg::SqlCatalogOptions> readSqlite(const QJsonObject &catalog)
{
    IVM_CHECK(onlyKnown(catalog, {QStringLiteral("type"), QStringLiteral("path")},
                        u"A SQLite catalog has 'type: sqlite' and 'path'"));
    const QString path = catalog.value(u"path").toString();
    if (path.isEmpty())
        return fail(wrong(QStringLiteral("'path' is missing"), u"Name the catalog's SQLite file"));
    iceberg::SqlCatalogOptions read;
    read.database = QDir().absoluteFilePath(path);
    return read;
}

// The settings of libpq that a URL may carry.
Result<QMap<QString, QString>> settingsIn(const QUrl &url)
{
    static const QStringList known{QStringLiteral("sslmode"), QStringLiteral("sslrootcert"),
                                   QStringLiteral("sslcert"), QStringLiteral("sslkey"),
                                   QStringLiteral("connect_timeout")};
    QMap<QString, QString> settings{{QStringLiteral("connect_timeout"), kConnectSeconds}};
    for (const auto &[name, value] : QUrlQuery(url).queryItems(QUrl::FullyDecoded)) {
        // Qt puts the settings into one list with semicolons between.
        if (!known.contains(name) || value.contains(u';'))
            return fail(wrong(QStringLiteral("'url' has the setting '%1'").arg(name.left(80)),
                              u"Known are sslmode, sslrootcert, sslcert, sslkey, connect_timeout"));
        settings.insert(name, value);
    }
    return settings;
}

Result<QString> passwordIn(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return fail(
            wrong(QStringLiteral("the file %1 cannot be read: %2").arg(path, file.errorString()),
                  u"Put the password into the file that 'password_file' names"));
    QString password = QString::fromUtf8(file.read(kLongestPassword));
    while (password.endsWith(u'\n') || password.endsWith(u'\r'))
        password.chop(1);
    return password;
}

Result<iceberg::SqlCatalogOptions> readPostgres(const QJsonObject &catalog, const QString &password)
{
    const QStringView hint = u"A PostgreSQL catalog has 'type: jdbc', 'url: postgresql://host/"
                             u"database', 'user' and 'password_file' (or IVM_CATALOG_PASSWORD)";
    IVM_CHECK(onlyKnown(catalog,
                        {QStringLiteral("type"), QStringLiteral("url"), QStringLiteral("user"),
                         QStringLiteral("password_file")},
                        hint));
    QString text = catalog.value(u"url").toString();
    // As Trino's iceberg.jdbc-catalog.connection-url has it.
    if (text.startsWith(u"jdbc:"))
        text.remove(0, 5);
    const QUrl url(text, QUrl::StrictMode);
    if (!url.isValid() || url.scheme() != u"postgresql" || url.host().isEmpty() ||
        url.path().size() < 2)
        return fail(wrong(QStringLiteral("'url' is not postgresql://host/database"), hint));
    if (!url.userInfo().isEmpty())
        return fail(wrong(QStringLiteral("'url' contains a user or password"), hint));
    iceberg::SqlCatalogOptions read;
    read.driver = QStringLiteral("QPSQL");
    read.database = url.path().sliced(1);
    read.server.host = url.host();
    read.server.port = url.port();
    read.server.user = catalog.value(u"user").toString();
    read.server.password = password;
    if (const QString file = catalog.value(u"password_file").toString(); !file.isEmpty()) {
        IVM_TRY(read.server.password, passwordIn(file));
    }
    IVM_TRY(read.server.settings, settingsIn(url));
    return read;
}

Result<iceberg::SqlCatalogOptions> readDatabase(const PluginOptions &options)
{
    const QJsonObject catalog = options.value(u"catalog").toObject();
    const QString type = catalog.value(u"type").toString(QStringLiteral("sqlite"));
    if (type == u"sqlite")
        return readSqlite(catalog);
    if (type == u"jdbc")
        return readPostgres(catalog, options.value(u"catalog_password").toString());
    return fail(unsupportedError(
        QStringLiteral("detector.catalog: catalogs of type '%1' are not read, only 'sqlite' and "
                       "'jdbc' are")
            .arg(type.left(80))));
}

}  // namespace

Result<iceberg::SqlCatalogOptions> readOptions(const PluginOptions &options)
{
    iceberg::SqlCatalogOptions read;
    // An executor's `catalog` is a name, which says nothing of where it is.
    if (options.value(u"catalog").isObject()) {
        IVM_TRY(read, readDatabase(options));
    } else {
        const QString warehouse = options.value(u"warehouse").toString();
        if (warehouse.isEmpty())
            return fail(
                invalidError(QStringLiteral("detector: 'warehouse' or 'catalog' is needed")));
        read.database = warehouse + QStringLiteral("/catalog.db");
    }
    read.catalogName = options.value(u"name").toString(read.catalogName);
    return read;
}

QString engineCatalog(const PluginOptions &options)
{
    const QString named = options.value(u"engine_catalog").toString();
    // An executor's `catalog` is a name.
    return named.isEmpty() ? options.value(u"catalog").toString(QStringLiteral("iceberg")) : named;
}

}  // namespace ivm::catalog
