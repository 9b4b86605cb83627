#include "plugins/detector_catalog/catalog_detector.h"

#include "framework/iceberg/commit.h"
#include "plugins/detector_catalog/file_changes.h"
#include "plugins/detector_catalog/live_files.h"

#include <QFileInfo>

#include <algorithm>
#include <chrono>

namespace ivm::catalog {

namespace {

using iceberg::SqlCatalog;

// Younger than this, a file may be written again without looking different: file systems tell the
// time in ticks.
constexpr std::chrono::milliseconds kTooYoung{1000};

// Of a catalog in a file, and of its log, to which writers append first.
QList<FileStamp> stampsOf(const QString &path)
{
    QList<FileStamp> stamps;
    for (const auto &name : {path, QString(path + QStringLiteral("-wal"))}) {
        const QFileInfo info(name);
        stamps.append(info.exists() ? FileStamp{info.lastModified(), info.size()} : FileStamp());
    }
    return stamps;
}

bool areSettled(const QList<FileStamp> &stamps)
{
    const QDateTime latest = QDateTime::currentDateTime().addMSecs(-kTooYoung.count());
    return std::ranges::all_of(stamps, [&](const FileStamp &stamp) {
        return !stamp.modified.isValid() || stamp.modified < latest;
    });
}

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
    const auto locations = this->locations();
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

Result<Locations> CatalogDetector::locations()
{
    if (m_options.driver != u"QSQLITE")
        return readCatalog(m_options);
    const std::lock_guard lock(m_mutex);
    const auto stamps = stampsOf(m_options.database);
    const bool isThere = stamps.first().modified.isValid();
    if (m_read && isThere && m_read->stamps == stamps)
        return m_read->locations;
    m_read.reset();
    IVM_TRY(auto locations, readCatalog(m_options));
    if (areSettled(stamps))
        m_read = Read{stamps, locations};
    return locations;
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
