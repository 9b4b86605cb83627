#include "framework/iceberg/expiry.h"

#include "framework/iceberg/manifest.h"

#include <QDir>
#include <QJsonArray>

#include <algorithm>
#include <limits>

namespace ivm::iceberg {

namespace {

qint64 property(const TableMetadata &metadata, QStringView name, qint64 otherwise)
{
    bool ok = false;
    const qint64 value = metadata.properties.value(name.toString()).toLongLong(&ok);
    return ok ? value : otherwise;
}

// What refs keep: their heads, and of a branch its young ancestors, and its newest ones.
void keepByRefs(const TableMetadata &metadata, const ExpiryRequest &request, QSet<SnapshotId> &kept)
{
    const qint64 least = property(metadata, u"history.expire.min-snapshots-to-keep", 1);
    auto refs = metadata.refs;
    if (const QString main = QString::fromUtf16(kMainBranch);
        metadata.currentSnapshotId && !refs.contains(main))
        refs.insert(main, {.snapshot = *metadata.currentSnapshotId});
    for (const auto &ref : std::as_const(refs)) {
        const qint64 count = ref.other.value(u"min-snapshots-to-keep").toInteger(least);
        const auto age = ref.other.value(u"max-snapshot-age-ms");
        const qint64 cut = age.isDouble() ? request.nowMs - age.toInteger() : request.olderThanMs;
        QSet<SnapshotId> ofBranch;
        for (const Snapshot *at = metadata.snapshot(ref.snapshot);
             at && !ofBranch.contains(at->id) &&
             (ofBranch.size() < std::max<qint64>(count, 1) || at->timestampMs >= cut);
             at = at->parent && !ref.isTag ? metadata.snapshot(*at->parent) : nullptr)
            ofBranch.insert(at->id);
        kept += ofBranch;
    }
}

QSet<SnapshotId> ancestorsOf(const TableMetadata &metadata, std::optional<SnapshotId> head)
{
    QSet<SnapshotId> found;
    for (const Snapshot *at = head ? metadata.snapshot(*head) : nullptr;
         at && !found.contains(at->id); at = at->parent ? metadata.snapshot(*at->parent) : nullptr)
        found.insert(at->id);
    return found;
}

// Snapshots that no ref leads to stay while they are young.
QSet<SnapshotId> keptByAge(const TableMetadata &metadata, const ExpiryRequest &request)
{
    QSet<SnapshotId> referenced = ancestorsOf(metadata, metadata.currentSnapshotId);
    for (const auto &ref : metadata.refs)
        referenced += ancestorsOf(metadata, ref.snapshot);
    QSet<SnapshotId> kept;
    keepByRefs(metadata, request, kept);
    for (const auto &snapshot : metadata.snapshots) {
        if (!referenced.contains(snapshot.id) && snapshot.timestampMs >= request.olderThanMs)
            kept.insert(snapshot.id);
    }
    return kept;
}

// From which sequence number on everything is held: that of the oldest held snapshot, or of where
// it and the head part, since the way from the one to the other goes through there.
qint64 heldFrom(const TableMetadata &metadata, const QList<SnapshotId> &held)
{
    qint64 from = std::numeric_limits<qint64>::max();
    const auto ofHead = ancestorsOf(metadata, metadata.currentSnapshotId);
    for (const SnapshotId id : held) {
        const Snapshot *at = metadata.snapshot(id);
        for (; at && !ofHead.contains(at->id);
             at = at->parent ? metadata.snapshot(*at->parent) : nullptr)
            from = std::min(from, at->sequenceNumber);
        if (at)
            from = std::min(from, at->sequenceNumber);
    }
    return from;
}

// History before a gap tells nothing (as the Java library has it).
void forgetLog(TableMetadata &metadata)
{
    qsizetype start = 0;
    for (qsizetype i = 0; i < metadata.snapshotLog.size(); ++i) {
        if (!metadata.snapshot(metadata.snapshotLog[i].snapshot))
            start = i + 1;
    }
    metadata.snapshotLog.remove(0, start);
}

// Statistics of snapshots that are gone, and their files.
QStringList forgetStatistics(TableMetadata &metadata)
{
    QStringList files;
    for (const QString &key :
         {QStringLiteral("statistics"), QStringLiteral("partition-statistics")}) {
        const auto all = metadata.other.value(key).toArray();
        QJsonArray kept;
        for (const auto &value : all) {
            const auto one = value.toObject();
            if (metadata.snapshot(one.value(u"snapshot-id").toInteger()))
                kept.append(one);
            else
                files.append(one.value(u"statistics-path").toString());
        }
        if (kept.size() != all.size())
            metadata.other.insert(key, kept);
    }
    return files;
}

// Files by the snapshots that need them.
class Reachable {
public:
    Reachable(FileIO &io, const TableMetadata &metadata, const Call &call)
        : m_io(io), m_metadata(metadata), m_call(call)
    {
    }

    Status add(const Snapshot &snapshot)
    {
        IVM_CHECK(m_call.check(u"looking for files that nobody needs"));
        if (!snapshot.manifestList.isEmpty())
            m_lists.insert(snapshot.manifestList);
        IVM_TRY(const auto manifests, loadManifestList(m_io, snapshot));
        for (const auto &manifest : manifests)
            m_manifests.insert(manifest.path, manifest);
        return {};
    }

    // What these need and `others` do not.
    Result<QStringList> without(const Reachable &others) const
    {
        const auto gone = manifestsBeside(others);
        QStringList files = (m_lists - others.m_lists).values();
        IVM_TRY(auto data, dataFiles(gone));
        if (!data.isEmpty()) {
            // An expired manifest and a kept one may have the same files.
            IVM_TRY(const auto needed, others.dataFiles(others.m_manifests.values()));
            data -= needed;
        }
        for (const auto &manifest : gone)
            files.append(manifest.path);
        return files + data.values();
    }

private:
    QList<ManifestFile> manifestsBeside(const Reachable &others) const
    {
        QList<ManifestFile> gone;
        for (const auto &[path, manifest] : m_manifests.asKeyValueRange()) {
            if (!others.m_manifests.contains(path))
                gone.append(manifest);
        }
        return gone;
    }

    Result<QSet<QString>> dataFiles(const QList<ManifestFile> &manifests) const
    {
        QSet<QString> files;
        for (const auto &manifest : manifests) {
            IVM_CHECK(m_call.check(u"looking for files that nobody needs"));
            IVM_TRY(const auto entries, loadManifest(m_io, manifest, m_metadata));
            for (const auto &entry : entries) {
                if (entry.status != EntryStatus::Deleted)
                    files.insert(entry.file.path);
            }
        }
        return files;
    }

    FileIO &m_io;
    const TableMetadata &m_metadata;
    const Call &m_call;
    QSet<QString> m_lists;
    QMap<QString, ManifestFile> m_manifests;
};

// Whether a file lies in the table's own folder.
bool isInside(const QString &file, const TableMetadata &metadata)
{
    const auto path = localPath(file);
    const auto folder = localPath(metadata.location);
    return path && folder && QDir::cleanPath(*path).startsWith(QDir::cleanPath(*folder) + u'/');
}

Status findFiles(FileIO &io, const TableMetadata &metadata, const Call &call, ExpiryPlan &plan)
{
    Reachable expired(io, metadata, call);
    Reachable kept(io, metadata, call);
    for (const auto &snapshot : metadata.snapshots)
        IVM_CHECK((plan.expired.contains(snapshot.id) ? expired : kept).add(snapshot));
    IVM_TRY(auto files, expired.without(kept));
    files += forgetStatistics(plan.next);
    files.sort();
    for (const QString &file : std::as_const(files))
        (isInside(file, metadata) ? plan.files : plan.filesOfOthers).append(file);
    return {};
}

}  // namespace

Result<ExpiryPlan> planExpiry(FileIO &io, const TableMetadata &metadata,
                              const ExpiryRequest &request, const Call &call)
{
    if (metadata.properties.value(QStringLiteral("gc.enabled")) == u"false")
        return fail(unsupportedError(QStringLiteral("the table's property gc.enabled forbids to "
                                                    "remove its files: snapshots cannot expire")));
    const auto kept = keptByAge(metadata, request);
    const qint64 from = heldFrom(metadata, request.held);
    ExpiryPlan plan{
        .next = metadata, .expired = {}, .heldBack = {}, .files = {}, .filesOfOthers = {}};
    for (const auto &snapshot : metadata.snapshots) {
        if (kept.contains(snapshot.id))
            continue;
        const bool isHeld = snapshot.sequenceNumber >= from;
        (isHeld ? plan.heldBack : plan.expired).insert(snapshot.id);
    }
    plan.next.snapshots.removeIf(
        [&](const Snapshot &snapshot) { return plan.expired.contains(snapshot.id); });
    forgetLog(plan.next);
    if (!plan.expired.isEmpty())
        IVM_CHECK(findFiles(io, metadata, call, plan));
    return plan;
}

}  // namespace ivm::iceberg
