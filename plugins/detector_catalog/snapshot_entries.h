// What one snapshot added and removed, and what was live in it.
//
// Threads: one. Lifetime: file access, metadata and call outlive it. Manifests are read once.
#pragma once

#include "framework/base/call.h"
#include "framework/iceberg/scan.h"

#include <QHash>

#include <memory>

namespace ivm::catalog {

// Entries that a snapshot wrote, of data and delete files.
struct SnapshotEntries {
    std::vector<iceberg::ManifestEntry> data;
    std::vector<iceberg::ManifestEntry> deletes;
};

class ManifestCache {
public:
    ManifestCache(iceberg::FileIO &io, const iceberg::TableMetadata &metadata, const Call &call)
        : m_io(io), m_metadata(metadata), m_call(call)
    {
    }

    // The added and removed files of a snapshot. Errors as iceberg::loadManifest; Cancelled,
    // Timeout.
    Result<SnapshotEntries> entriesOf(const iceberg::Snapshot &snapshot);

    // The data files that were live in a snapshot. As above.
    Result<std::vector<iceberg::LiveFile>> liveData(const iceberg::Snapshot &snapshot);

private:
    using Entries = std::shared_ptr<const std::vector<iceberg::ManifestEntry>>;
    Result<QList<iceberg::ManifestFile>> listOf(const iceberg::Snapshot &snapshot);
    Result<Entries> entries(const iceberg::ManifestFile &manifest);

    iceberg::FileIO &m_io;
    const iceberg::TableMetadata &m_metadata;
    const Call &m_call;
    QHash<SnapshotId, QList<iceberg::ManifestFile>> m_lists;
    QHash<QString, Entries> m_manifests;
};

// Why the entries of a snapshot are not all there is, by the counts in its summary; nothing when
// they add up. Counts that the writer left out are not compared.
std::optional<QString> disagreement(const iceberg::Snapshot &snapshot,
                                    const SnapshotEntries &entries);

}  // namespace ivm::catalog
