#include "plugins/detector_catalog/snapshot_entries.h"

#include <algorithm>

namespace ivm::catalog {

using namespace iceberg;

namespace {

qint64 countWith(const std::vector<ManifestEntry> &entries, EntryStatus status)
{
    return std::count_if(entries.begin(), entries.end(),
                         [&](const ManifestEntry &entry) { return entry.status == status; });
}

qint64 recordsWith(const std::vector<ManifestEntry> &entries, EntryStatus status)
{
    qint64 records = 0;
    for (const auto &entry : entries) {
        if (entry.status == status)
            records += entry.file.recordCount;
    }
    return records;
}

}  // namespace

Result<QList<ManifestFile>> ManifestCache::listOf(const Snapshot &snapshot)
{
    const auto known = m_lists.constFind(snapshot.id);
    if (known != m_lists.cend())
        return *known;
    IVM_CHECK(m_call.check(u"reading manifests"));
    IVM_TRY(const auto list, loadManifestList(m_io, snapshot));
    m_lists.insert(snapshot.id, list);
    return list;
}

Result<ManifestCache::Entries> ManifestCache::entries(const ManifestFile &manifest)
{
    if (const auto known = m_manifests.value(manifest.path))
        return known;
    IVM_CHECK(m_call.check(u"reading manifests"));
    IVM_TRY(auto read, loadManifest(m_io, manifest, m_metadata));
    const auto made = std::make_shared<const std::vector<ManifestEntry>>(std::move(read));
    m_manifests.insert(manifest.path, made);
    return made;
}

Result<SnapshotEntries> ManifestCache::entriesOf(const Snapshot &snapshot)
{
    SnapshotEntries out;
    IVM_TRY(const auto manifests, listOf(snapshot));
    for (const auto &manifest : manifests) {
        // Others were there before, and what they hold with them.
        if (manifest.addedSnapshotId != 0 && manifest.addedSnapshotId != snapshot.id)
            continue;
        IVM_TRY(const auto all, entries(manifest));
        for (const auto &entry : *all) {
            if (entry.status != EntryStatus::Existing && entry.snapshotId == snapshot.id)
                (entry.file.content == FileContent::Data ? out.data : out.deletes).push_back(entry);
        }
    }
    return out;
}

Result<std::vector<LiveFile>> ManifestCache::liveData(const Snapshot &snapshot)
{
    std::vector<LiveFile> out;
    IVM_TRY(const auto manifests, listOf(snapshot));
    for (const auto &manifest : manifests) {
        if (manifest.content != ManifestContent::Data || !manifest.hasLiveFiles())
            continue;
        IVM_TRY(const auto all, entries(manifest));
        for (const auto &entry : *all) {
            if (entry.status != EntryStatus::Deleted)
                out.push_back(liveFileOf(entry));
        }
    }
    return out;
}

std::optional<QString> disagreement(const Snapshot &snapshot, const SnapshotEntries &entries)
{
    struct Count {
        const char *key;
        const char *what;
        qint64 found;
    };
    const Count counts[] = {
        {"added-data-files", "added data files", countWith(entries.data, EntryStatus::Added)},
        {"deleted-data-files", "deleted data files", countWith(entries.data, EntryStatus::Deleted)},
        {"added-records", "added records", recordsWith(entries.data, EntryStatus::Added)},
        {"deleted-records", "deleted records", recordsWith(entries.data, EntryStatus::Deleted)},
        {"added-delete-files", "added delete files",
         countWith(entries.deletes, EntryStatus::Added)},
        {"removed-delete-files", "removed delete files",
         countWith(entries.deletes, EntryStatus::Deleted)},
    };
    for (const auto &count : counts) {
        const QString told = snapshot.summary.value(QString::fromLatin1(count.key));
        if (!told.isEmpty() && told != QString::number(count.found))
            return QStringLiteral("snapshot %1 tells of %2 %3, its manifests of %4")
                .arg(snapshot.id)
                .arg(told, QString::fromLatin1(count.what), QString::number(count.found));
    }
    return {};
}

}  // namespace ivm::catalog
