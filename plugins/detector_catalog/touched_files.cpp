#include "plugins/detector_catalog/touched_files.h"

namespace ivm::catalog {

using namespace iceberg;

QMap<QString, DataFile> touchedFiles(const SnapshotEntries &entries,
                                     const std::vector<LiveFile> &live,
                                     const TableMetadata &metadata)
{
    std::vector<LiveFile> removed;
    for (const auto &entry : entries.data) {
        if (entry.status == EntryStatus::Deleted)
            removed.push_back(liveFileOf(entry));
    }
    QMap<QString, DataFile> touched;
    for (const auto &entry : entries.deletes) {
        const LiveFile deleteFile = liveFileOf(entry);
        const auto take = [&](const std::vector<LiveFile> &files) {
            for (const auto &file : files) {
                if (deleteApplies(deleteFile, file, metadata))
                    touched.insert(file.file.path, file.file);
            }
        };
        take(live);
        if (entry.status == EntryStatus::Deleted)
            take(removed);
    }
    return touched;
}

}  // namespace ivm::catalog
