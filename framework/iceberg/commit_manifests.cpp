#include "framework/iceberg/commit_manifests.h"

#include <QSet>

#include <algorithm>
#include <map>

namespace ivm::iceberg {

namespace {

// A manifest has no more entries than these: a commit writes anew all of those that it takes a file
// out of, and a reader passes over those whose partitions it does not want.
constexpr size_t kMostEntries = 128;
// From so many small manifests of one kind on they are merged: every reader opens them all.
constexpr qsizetype kManifestsToMerge = 100;

// Needs the counts.
bool isSmall(const ManifestFile &manifest)
{
    return size_t(manifest.addedFiles) + size_t(manifest.existingFiles) < kMostEntries / 2;
}

struct Kind {
    int specId = 0;
    ManifestContent content = ManifestContent::Data;

    auto operator<=>(const Kind &) const = default;
};

class ManifestMaker {
public:
    ManifestMaker(FileIO &io, const TableMetadata &base, const NewSnapshot &snapshot,
                  WrittenFiles &written)
        : m_io(io), m_base(base), m_snapshot(snapshot), m_written(written)
    {
    }

    Result<CommitManifests> make(const SnapshotChange &change)
    {
        IVM_CHECK(addNew(change.added));
        QSet<QString> toRemove(change.removed.begin(), change.removed.end());
        IVM_CHECK(carryOver(toRemove));
        if (!toRemove.isEmpty())
            return fail(conflictError(QStringLiteral("%1 is not among the table's files any more")
                                          .arg(*toRemove.constBegin())));
        IVM_CHECK(mergeMany());
        for (const auto &[kind, kept] : m_kept)
            m_out.manifests += kept;
        return std::move(m_out);
    }

private:
    Status addNew(const QList<DataFile> &files)
    {
        std::map<Kind, std::vector<ManifestEntry>> added;
        for (const auto &file : files) {
            const bool isData = file.content == FileContent::Data;
            added[{file.specId, isData ? ManifestContent::Data : ManifestContent::Deletes}]
                .push_back({.file = file});
        }
        for (auto &[kind, entries] : added)
            IVM_CHECK(write(kind, std::move(entries)));
        return {};
    }

    // Takes the paths it finds out of `toRemove`.
    Status carryOver(QSet<QString> &toRemove)
    {
        const auto *parent = m_base.currentSnapshot();
        if (!parent)
            return {};
        IVM_TRY(const auto manifests, loadManifestList(m_io, *parent));
        for (auto manifest : manifests) {
            // Entries that the parent deleted are the parent's news.
            if (!manifest.hasLiveFiles())
                continue;
            IVM_CHECK(countEntries(manifest));
            bool isRewritten = false;
            if (!toRemove.isEmpty()) {
                IVM_TRY(isRewritten, rewriteWithout(manifest, toRemove));
            }
            if (!isRewritten)
                m_kept[{manifest.specId, manifest.content}].append(manifest);
        }
        return {};
    }

    // Version 1 could leave the counts out, which version 2 must have.
    Status countEntries(ManifestFile &manifest)
    {
        const auto counts = {qint64(manifest.addedFiles),   qint64(manifest.existingFiles),
                             qint64(manifest.deletedFiles), manifest.addedRows,
                             manifest.existingRows,         manifest.deletedRows};
        if (std::ranges::all_of(counts, [](qint64 count) { return count >= 0; }))
            return {};
        IVM_TRY(const auto entries, loadManifest(m_io, manifest, m_base));
        manifest.addedFiles = manifest.existingFiles = manifest.deletedFiles = 0;
        manifest.addedRows = manifest.existingRows = manifest.deletedRows = 0;
        for (const auto &entry : entries)
            countEntry(entry, manifest);
        return {};
    }

    Result<bool> rewriteWithout(const ManifestFile &manifest, QSet<QString> &toRemove)
    {
        IVM_TRY(auto entries, loadManifest(m_io, manifest, m_base));
        const auto isRemoved = [&](const ManifestEntry &entry) {
            return entry.status != EntryStatus::Deleted && toRemove.contains(entry.file.path);
        };
        if (std::none_of(entries.begin(), entries.end(), isRemoved))
            return false;
        std::erase_if(entries,
                      [](const auto &entry) { return entry.status == EntryStatus::Deleted; });
        for (auto &entry : entries) {
            const bool removed = toRemove.remove(entry.file.path);
            entry.status = removed ? EntryStatus::Deleted : EntryStatus::Existing;
            if (removed) {
                entry.snapshotId = m_snapshot.id;
                m_out.removed.append(entry.file);
            }
        }
        IVM_CHECK(write({manifest.specId, manifest.content}, std::move(entries)));
        return true;
    }

    Status mergeMany()
    {
        for (auto &[kind, manifests] : m_kept) {
            if (std::ranges::count_if(manifests, isSmall) < kManifestsToMerge)
                continue;
            std::vector<ManifestEntry> merged;
            for (const auto &manifest : std::as_const(manifests)) {
                if (!isSmall(manifest))
                    continue;
                IVM_TRY(auto entries, loadManifest(m_io, manifest, m_base));
                for (auto &entry : entries) {
                    if (entry.status == EntryStatus::Deleted)
                        continue;
                    entry.status = EntryStatus::Existing;
                    merged.push_back(std::move(entry));
                }
            }
            manifests.removeIf(isSmall);
            IVM_CHECK(write(kind, std::move(merged)));
        }
        return {};
    }

    Status write(const Kind &kind, std::vector<ManifestEntry> entries)
    {
        for (size_t begin = 0; begin < entries.size(); begin += kMostEntries) {
            const auto first = entries.begin() + qsizetype(begin);
            const auto last = first + qsizetype(std::min(kMostEntries, entries.size() - begin));
            IVM_CHECK(writeOne(kind, {std::move_iterator(first), std::move_iterator(last)}));
        }
        return {};
    }

    Status writeOne(const Kind &kind, std::vector<ManifestEntry> entries)
    {
        ManifestToWrite manifest{
            .path = metadataFile(
                m_base, QStringLiteral("%1-m%2.avro").arg(m_snapshot.commitId).arg(m_count++)),
            .specId = kind.specId,
            .content = kind.content,
            .entries = std::move(entries),
            .snapshotId = m_snapshot.id,
            .sequenceNumber = m_snapshot.sequenceNumber};
        IVM_TRY(auto made, writeManifest(manifest, m_base));
        IVM_CHECK(m_written.create(manifest.path, made.bytes));
        m_out.manifests.append(made.manifest);
        return {};
    }

    FileIO &m_io;
    const TableMetadata &m_base;
    const NewSnapshot &m_snapshot;
    WrittenFiles &m_written;
    std::map<Kind, QList<ManifestFile>> m_kept;
    CommitManifests m_out;
    int m_count = 0;
};

}  // namespace

Result<CommitManifests> makeManifests(FileIO &io, const TableMetadata &base,
                                      const NewSnapshot &snapshot, const SnapshotChange &change,
                                      WrittenFiles &written)
{
    return ManifestMaker(io, base, snapshot, written).make(change);
}

}  // namespace ivm::iceberg
