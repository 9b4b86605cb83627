// The detector that reads the catalog and the metadata files itself.
//
// Threads: any, one call at a time; nothing is kept open between calls, so a warehouse may be
// removed and made again under it. Lifetime: until the process ends.
// A table is looked up by schema and name: what its catalog is called in SQL does not matter.
#pragma once

#include "framework/api/detector.h"
#include "framework/iceberg/catalog.h"
#include "framework/iceberg/file_io.h"

namespace ivm::catalog {

class CatalogDetector final : public Detector {
public:
    explicit CatalogDetector(iceberg::SqlCatalogOptions options) : m_options(std::move(options)) {}

    Result<QList<Result<TableHead>>> heads(const QList<HeadRequest> &requests,
                                           const Call &call) override;
    Result<TableChanges> changes(const ChangesRequest &request, const Call &call) override;

private:
    Result<TableHead> headOf(const HeadRequest &request, const QString &metadataLocation);

    const iceberg::SqlCatalogOptions m_options;
    iceberg::LocalFileIO m_io;
};

}  // namespace ivm::catalog
