#include "framework/iceberg/scan.h"

#include <QHash>

#include <algorithm>
#include <limits>
#include <set>

namespace ivm::iceberg {

namespace {

std::optional<qint64> boundFrom(const QMap<int, QByteArray> &bounds, int fieldId,
                                const FieldType &type)
{
    const auto it = bounds.constFind(fieldId);
    if (it == bounds.cend())
        return {};
    const auto literal = literalFromBytes(type, *it);
    return literal ? boundUnits(type, *literal) : std::nullopt;
}

NullState nullStateOf(const DataFile &file, int fieldId)
{
    const auto nulls = file.nullValueCounts.constFind(fieldId);
    if (nulls == file.nullValueCounts.cend() || *nulls < 0)
        return NullState::Unknown;
    if (*nulls == 0)
        return NullState::Never;
    return *nulls >= file.valueCounts.value(fieldId, file.recordCount) ? NullState::Always
                                                                       : NullState::Some;
}

// What the partition value adds where the metrics are silent.
void complete(FileBounds &bounds, const FileBounds &partition)
{
    if (!bounds.lower)
        bounds.lower = partition.lower;
    if (!bounds.upper)
        bounds.upper = partition.upper;
    if (bounds.nullState == NullState::Unknown)
        bounds.nullState = partition.nullState;
}

bool overlaps(const FileBounds &bounds, const ValueRange &range)
{
    const bool endsBefore = bounds.upper && range.from && *bounds.upper < *range.from;
    const bool startsAfter = bounds.lower && range.to && *bounds.lower >= *range.to;
    return !endsBefore && !startsAfter;
}

// Bounds of a manifest's files from the summary of one partition field.
FileBounds summaryBounds(const SpecField &field, const FieldSummary &summary,
                         const FieldType &source)
{
    FileBounds out;
    out.nullState = summary.containsNull ? NullState::Some : NullState::Never;
    const auto type = transformedType(field.transform, source);
    if (!type || !field.transform.kind || field.transform.kind == Transform::Void)
        return {};
    if (!summary.lower && !summary.upper && summary.containsNull &&
        !summary.containsNan.value_or(true))
        out.nullState = NullState::Always;
    const auto edge = [&](const std::optional<QByteArray> &bytes) {
        const auto literal = bytes ? literalFromBytes(*type, *bytes) : fail(Error{});
        return literal ? boundsOfPartition(field.transform, source, *literal) : FileBounds{};
    };
    out.lower = edge(summary.lower).lower;
    out.upper = edge(summary.upper).upper;
    // Numbers that wrapped round when they were truncated are among the greatest ints, and lie
    // lowest.
    constexpr qint64 kLastInt = std::numeric_limits<qint32>::max();
    if (field.transform.kind == Transform::Truncate &&
        (!out.upper || *out.upper > kLastInt - field.transform.argument))
        out.lower.reset();
    return out;
}

bool manifestMayMatch(const ManifestFile &manifest, const ScanFilter &filter,
                      const TableMetadata &metadata)
{
    const auto *spec = metadata.spec(manifest.specId);
    const Field *source = metadata.field(filter.fieldId);
    if (!spec || !source || manifest.partitions.size() != spec->fields.size())
        return true;
    for (qsizetype i = 0; i < spec->fields.size(); ++i) {
        if (spec->fields[i].sourceId == filter.fieldId &&
            !mayMatch(summaryBounds(spec->fields[i], manifest.partitions[i], source->type), filter))
            return false;
    }
    return true;
}

// Paths that a position delete file speaks of, by the bounds of its file_path column; these may be
// cut short outward.
bool mayName(const DataFile &deleteFile, const QString &path)
{
    const QByteArray bytes = path.toUtf8();
    const auto lower = deleteFile.lowerBounds.constFind(kDeleteFilePathId);
    const auto upper = deleteFile.upperBounds.constFind(kDeleteFilePathId);
    const FieldType string{.id = TypeId::String};
    const Literal wanted{path};
    if (lower != deleteFile.lowerBounds.cend() &&
        literalLess(string, wanted, {QString::fromUtf8(*lower)}))
        return false;
    return upper == deleteFile.upperBounds.cend() ||
           !literalLess(string, {QString::fromUtf8(*upper)}, wanted);
}

// Finds, for a data file, the deletes of its partition and the global ones without comparing it to
// all.
class DeleteIndex {
public:
    DeleteIndex(const std::vector<LiveFile> &deletes, const TableMetadata &metadata)
        : m_deletes(deletes), m_metadata(metadata)
    {
        for (qsizetype i = 0; i < qsizetype(deletes.size()); ++i) {
            const auto &file = deletes[size_t(i)].file;
            m_byPartition[qHashMulti(0, file.specId, file.partition)].append(i);
            const auto *spec = metadata.spec(file.specId);
            if (file.content == FileContent::EqualityDeletes && spec && spec->isUnpartitioned())
                m_global.append(i);
        }
    }

    QList<qsizetype> of(const LiveFile &data) const
    {
        QList<qsizetype> found;
        const size_t own = qHashMulti(0, data.file.specId, data.file.partition);
        // A global delete is of the partition of unpartitioned files, too.
        std::set<qsizetype> candidates;
        for (const auto &some : {m_byPartition.value(own), m_global})
            candidates.insert(some.begin(), some.end());
        for (const qsizetype i : candidates) {
            if (deleteApplies(m_deletes[size_t(i)], data, m_metadata))
                found.append(i);
        }
        return found;
    }

private:
    const std::vector<LiveFile> &m_deletes;
    const TableMetadata &m_metadata;
    QHash<size_t, QList<qsizetype>> m_byPartition;
    QList<qsizetype> m_global;
};

}  // namespace

FileBounds fileBounds(const DataFile &file, int fieldId, const TableMetadata &metadata)
{
    FileBounds bounds;
    const Field *field = metadata.field(fieldId);
    if (!field)
        return bounds;
    bounds.lower = boundFrom(file.lowerBounds, fieldId, field->type);
    bounds.upper = boundFrom(file.upperBounds, fieldId, field->type);
    bounds.nullState = nullStateOf(file, fieldId);
    const auto *spec = metadata.spec(file.specId);
    for (qsizetype i = 0; spec && i < std::min(spec->fields.size(), file.partition.size()); ++i) {
        if (spec->fields[i].sourceId == fieldId)
            complete(bounds,
                     boundsOfPartition(spec->fields[i].transform, field->type, file.partition[i]));
    }
    return bounds;
}

LiveFile liveFileOf(ManifestEntry entry)
{
    return {.file = std::move(entry.file),
            .addedBy = entry.snapshotId.value_or(0),
            .sequenceNumber = entry.sequenceNumber.value_or(0),
            .fileSequenceNumber = entry.fileSequenceNumber.value_or(0)};
}

bool mayMatch(const FileBounds &bounds, const ScanFilter &filter)
{
    if (filter.nulls && bounds.nullState != NullState::Never)
        return true;
    if (bounds.nullState == NullState::Always)
        return false;
    return std::any_of(filter.ranges.begin(), filter.ranges.end(),
                       [&](const ValueRange &range) { return overlaps(bounds, range); });
}

bool deleteApplies(const LiveFile &deleteFile, const LiveFile &dataFile,
                   const TableMetadata &metadata)
{
    const auto &deletes = deleteFile.file;
    const auto &data = dataFile.file;
    const bool samePartition = deletes.specId == data.specId && deletes.partition == data.partition;
    if (deletes.content == FileContent::EqualityDeletes) {
        const auto *spec = metadata.spec(deletes.specId);
        return dataFile.sequenceNumber < deleteFile.sequenceNumber &&
               (samePartition || (spec && spec->isUnpartitioned()));
    }
    if (!samePartition || dataFile.sequenceNumber > deleteFile.sequenceNumber)
        return false;
    return deletes.referencedDataFile.isEmpty() ? mayName(deletes, data.path)
                                                : deletes.referencedDataFile == data.path;
}

Result<LiveFiles> liveFiles(FileIO &io, const TableMetadata &metadata, const Snapshot &snapshot,
                            const std::optional<ScanFilter> &filter, const Call &call)
{
    LiveFiles out;
    IVM_TRY(const auto manifests, loadManifestList(io, snapshot));
    for (const auto &manifest : manifests) {
        const bool isData = manifest.content == ManifestContent::Data;
        if (!manifest.hasLiveFiles() ||
            (isData && filter && !manifestMayMatch(manifest, *filter, metadata)))
            continue;
        IVM_CHECK(call.check(u"looking for a table's files"));
        IVM_TRY(auto entries, loadManifest(io, manifest, metadata));
        for (auto &entry : entries) {
            if (entry.status == EntryStatus::Deleted)
                continue;
            if (!isData)
                out.deletes.push_back(liveFileOf(std::move(entry)));
            else if (!filter ||
                     mayMatch(fileBounds(entry.file, filter->fieldId, metadata), *filter))
                out.data.push_back(liveFileOf(std::move(entry)));
        }
    }
    if (!out.deletes.empty()) {
        const DeleteIndex index(out.deletes, metadata);
        for (auto &file : out.data)
            file.deletes = index.of(file);
    }
    return out;
}

}  // namespace ivm::iceberg
