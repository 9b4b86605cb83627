#include "plugins/detector_catalog/catalog_detector.h"

#include "framework/iceberg/commit.h"
#include "plugins/detector_catalog/file_changes.h"
#include "plugins/detector_catalog/live_files.h"

#include <QHash>

namespace ivm::catalog {

namespace {

using iceberg::SqlCatalog;

// Metadata files by schema and table.
using Locations = QHash<std::pair<QString, QString>, QString>;

Result<Locations> readCatalog(const iceberg::SqlCatalogOptions &options)
{
    IVM_TRY(const auto catalog, SqlCatalog::open(options));
    IVM_TRY(const auto entries, catalog->list());
    Locations out;
    for (const auto &entry : entries)
        out.insert({entry.name.schema, entry.name.table}, entry.metadataLocation);
    return out;
}

// By the catalog the table is there, whatever its files say.
Result<iceberg::Table> tableAt(iceberg::FileIO &io, const TableName &name, const QString &location)
{
    auto table = iceberg::readTable(io, {name, location});
    if (!table)
        return fail(std::move(table).error().withCode(kMetadataOutOfReach));
    return table;
}

Error noTable(const TableName &name, const QString &why)
{
    const QString text = QStringLiteral("there is no table %1").arg(name.text());
    return notFoundError(why.isEmpty() ? text : QString(text + QStringLiteral(": ") + why));
}

}  // namespace

Result<QList<Result<TableHead>>> CatalogDetector::heads(const QList<HeadRequest> &requests,
                                                        const Call &call)
{
    QList<Result<TableHead>> heads;
    if (requests.isEmpty())
        return heads;
    IVM_CHECK(call.check(u"looking at the catalog"));
    const auto locations = readCatalog(m_options);
    // Without a catalog there is no table, which each of them has to hear of.
    if (!locations && locations.error().kind != ErrorKind::NotFound)
        return fail(locations.error());
    for (const auto &request : requests) {
        IVM_CHECK(call.check(u"looking at the tables' metadata"));
        const auto &name = request.table;
        if (const auto known = checkCatalog(name); !known) {
            heads.append(fail(known.error()));
            continue;
        }
        const QString location =
            locations ? locations->value({name.schema, name.table}) : QString();
        heads.append(location.isEmpty()
                         ? fail(noTable(name, locations ? QString() : locations.error().message))
                         : headOf(request, location));
    }
    return heads;
}

Status CatalogDetector::checkCatalog(const TableName &table) const
{
    if (m_engineCatalog.isEmpty() || table.catalog == m_engineCatalog)
        return {};
    return fail(
        unsupportedError(QStringLiteral("table %1 is in catalog '%2', and the detector reads "
                                        "'%3'")
                             .arg(table.text(), table.catalog, m_engineCatalog))
            .withHint(u"Set detector.engine_catalog to the engine's name for the catalog "
                      u"that the detector reads"));
}

Result<TableHead> CatalogDetector::headOf(const HeadRequest &request,
                                          const QString &metadataLocation)
{
    if (request.known && request.known->token == metadataLocation)
        return *request.known;
    IVM_TRY(const auto table, tableAt(m_io, request.table, metadataLocation));
    return table.head();
}

Result<TableChanges> CatalogDetector::changes(const ChangesRequest &request, const Call &call)
{
    IVM_TRY(const auto table, tableAt(m_io, request.table, request.to.token));
    return fileChanges(m_io, table.metadata, request, call);
}

Result<FileTotals> CatalogDetector::liveFiles(const LiveFilesRequest &request, const Call &call)
{
    IVM_TRY(const auto table, tableAt(m_io, request.table, request.at.token));
    return catalog::liveFiles(m_io, table.metadata, request, call);
}

}  // namespace ivm::catalog
