// The detector that reads the catalog and the metadata files itself.
//
// Threads: any; nothing is kept open between calls, so a warehouse may be
// removed and made again under it. Lifetime: until the process ends.
// A table is looked up by schema and name; one of another catalog than the engine's name for this
// one is refused, since a namesake here says nothing of it.
#pragma once

#include "framework/api/detector.h"
#include "framework/iceberg/catalog.h"
#include "framework/iceberg/file_io.h"

#include <QDateTime>
#include <QHash>

#include <mutex>

namespace ivm::catalog {

// Metadata files by schema and table.
using Locations = QHash<std::pair<QString, QString>, QString>;

// How a file looks without being opened.
struct FileStamp {
    QDateTime modified;  // invalid: it is not there
    qint64 size = 0;

    bool operator==(const FileStamp &) const = default;
};

class CatalogDetector final : public Detector {
public:
    // `engineCatalog`: what the engine calls the catalog; empty where any name will do.
    explicit CatalogDetector(iceberg::SqlCatalogOptions options, QString engineCatalog = {})
        : m_options(std::move(options)), m_engineCatalog(std::move(engineCatalog))
    {
    }

    Result<QList<Result<TableHead>>> heads(const QList<HeadRequest> &requests,
                                           const Call &call) override;
    Result<TableChanges> changes(const ChangesRequest &request, const Call &call) override;
    Result<FileTotals> liveFiles(const LiveFilesRequest &request, const Call &call) override;

private:
    Result<Locations> locations();
    Result<TableHead> headOf(const HeadRequest &request, const QString &metadataLocation);

    Status checkCatalog(const TableName &table) const;

    const iceberg::SqlCatalogOptions m_options;
    const QString m_engineCatalog;
    iceberg::LocalFileIO m_io;

    // What a catalog in a file held when it was read last, and how the file looked before that.
    struct Read {
        QList<FileStamp> stamps;
        Locations locations;
    };
    std::mutex m_mutex;
    std::optional<Read> m_read;
};

}  // namespace ivm::catalog
