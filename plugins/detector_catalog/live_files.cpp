#include "plugins/detector_catalog/live_files.h"

#include "plugins/detector_catalog/snapshot_entries.h"

#include <algorithm>

namespace ivm::catalog {

using namespace iceberg;

Result<FileTotals> liveFiles(FileIO &io, const TableMetadata &metadata,
                             const LiveFilesRequest &request, const Call &call)
{
    FileTotals totals;
    const Snapshot *snapshot =
        request.at.snapshot ? metadata.snapshot(*request.at.snapshot) : nullptr;
    if (!snapshot)
        return totals;
    ManifestCache cache(io, metadata, call);
    IVM_TRY(const auto live, cache.liveData(*snapshot));
    for (const auto &entry : live) {
        const DataFile &file = entry.file;
        const FileBounds bounds = fileBounds(file, request.column.fieldId, metadata);
        const bool isMeant = std::ranges::any_of(
            request.within, [&](const FileBounds &interval) { return mayHold(bounds, interval); });
        if (!isMeant)
            continue;
        totals.add(
            {.path = {}, .records = file.recordCount, .bytes = file.sizeInBytes, .bounds = bounds});
    }
    return totals;
}

}  // namespace ivm::catalog
