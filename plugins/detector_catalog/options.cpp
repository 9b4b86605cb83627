#include "plugins/detector_catalog/options.h"

#include <QDir>

namespace ivm::catalog {

namespace {

Result<QString> pathOf(const QJsonObject &catalog)
{
    for (const QString &key : catalog.keys()) {
        if (key != u"type" && key != u"path")
            return fail(
                invalidError(QStringLiteral("detector.catalog: '%1' is not an option").arg(key))
                    .withHint(u"A SQLite catalog has 'type: sqlite' and 'path'"));
    }
    const QString type = catalog.value(u"type").toString(QStringLiteral("sqlite"));
    if (type != u"sqlite")
        return fail(unsupportedError(
            QStringLiteral("detector.catalog: catalogs of type '%1' are not read, only 'sqlite' is")
                .arg(type)));
    const QString path = catalog.value(u"path").toString();
    if (path.isEmpty())
        return fail(invalidError(QStringLiteral("detector.catalog: 'path' is missing"))
                        .withHint(u"Name the catalog's SQLite file"));
    return QDir().absoluteFilePath(path);
}

}  // namespace

Result<iceberg::SqlCatalogOptions> readOptions(const PluginOptions &options)
{
    iceberg::SqlCatalogOptions read;
    read.catalogName = options.value(u"name").toString(read.catalogName);
    // An executor's `catalog` is a name, which says nothing of where it is.
    if (options.value(u"catalog").isObject()) {
        IVM_TRY(read.database, pathOf(options.value(u"catalog").toObject()));
        return read;
    }
    const QString warehouse = options.value(u"warehouse").toString();
    if (warehouse.isEmpty())
        return fail(invalidError(QStringLiteral("detector: 'warehouse' or 'catalog' is needed")));
    read.database = warehouse + QStringLiteral("/catalog.db");
    return read;
}

QString engineCatalog(const PluginOptions &options)
{
    const QString named = options.value(u"engine_catalog").toString();
    // An executor's `catalog` is a name.
    return named.isEmpty() ? options.value(u"catalog").toString(QStringLiteral("iceberg")) : named;
}

}  // namespace ivm::catalog
