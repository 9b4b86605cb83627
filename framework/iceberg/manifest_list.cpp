#include "framework/iceberg/avro_record.h"
#include "framework/iceberg/manifest.h"
#include "framework/iceberg/manifest_schema.h"

namespace ivm::iceberg {

namespace {

using avro::Value;

Result<QList<FieldSummary>> summariesOf(const AvroRecord &record)
{
    QList<FieldSummary> out;
    const auto found = record.find(ids::kPartitions, u"partitions");
    if (found.isNull())
        return out;
    const auto &list = unwrapped(*found.node);
    const auto *items = std::get_if<std::vector<Value>>(&found.value->data);
    if (list.kind != avro::Kind::Array || !items)
        return fail(
            corruptError(QStringLiteral("%1: \"partitions\" is not a list").arg(record.what())));
    for (const auto &item : *items) {
        IVM_TRY(const auto summary, AvroRecord::of(*list.parts[0], item, record.what()));
        FieldSummary made;
        IVM_TRY(made.containsNull, summary.required<bool>(ids::kContainsNull, u"contains_null"));
        IVM_TRY(made.containsNan, summary.optional<bool>(ids::kContainsNan, u"contains_nan"));
        IVM_TRY(made.lower, summary.optional<QByteArray>(ids::kLower, u"lower_bound"));
        IVM_TRY(made.upper, summary.optional<QByteArray>(ids::kUpper, u"upper_bound"));
        out.append(made);
    }
    return out;
}

// A count that version 1 could leave out.
Result<qint64> countOf(const AvroRecord &record, int id, QStringView name)
{
    IVM_TRY(const auto count, record.optional<qint64>(id, name));
    if (count && *count < 0)
        return fail(corruptError(
            QStringLiteral("%1: \"%2\" is %3").arg(record.what(), name, QString::number(*count))));
    return count.value_or(-1);
}

Status readCounts(const AvroRecord &record, ManifestFile &manifest)
{
    const auto fileCount = [&](int id, QStringView name, int &out) -> Status {
        IVM_TRY(const qint64 count, countOf(record, id, name));
        out = int(std::min<qint64>(count, std::numeric_limits<int>::max()));
        return {};
    };
    IVM_CHECK(fileCount(ids::kAddedFiles, u"added_files_count", manifest.addedFiles));
    IVM_CHECK(fileCount(ids::kExistingFiles, u"existing_files_count", manifest.existingFiles));
    IVM_CHECK(fileCount(ids::kDeletedFiles, u"deleted_files_count", manifest.deletedFiles));
    IVM_TRY(manifest.addedRows, countOf(record, ids::kAddedRows, u"added_rows_count"));
    IVM_TRY(manifest.existingRows, countOf(record, ids::kExistingRows, u"existing_rows_count"));
    IVM_TRY(manifest.deletedRows, countOf(record, ids::kDeletedRows, u"deleted_rows_count"));
    return {};
}

Result<ManifestFile> manifestFrom(const AvroRecord &record)
{
    ManifestFile manifest;
    IVM_TRY(manifest.path, record.required<QString>(ids::kManifestPath, u"manifest_path"));
    IVM_TRY(manifest.length, record.required<qint64>(ids::kManifestLength, u"manifest_length"));
    IVM_TRY(const qint64 spec, record.required<qint64>(ids::kSpecId, u"partition_spec_id"));
    manifest.specId = int(spec);
    IVM_TRY(const auto content, record.optional<qint64>(ids::kManifestContent, u"content"));
    if (content.value_or(0) != 0 && content != 1)
        return fail(corruptError(QStringLiteral("%1: a manifest has content %2")
                                     .arg(record.what(), QString::number(*content))));
    manifest.content = content == 1 ? ManifestContent::Deletes : ManifestContent::Data;
    IVM_TRY(const auto sequence,
            record.optional<qint64>(ids::kManifestSequence, u"sequence_number"));
    manifest.sequenceNumber = sequence.value_or(0);
    IVM_TRY(const auto minimum, record.optional<qint64>(ids::kMinSequence, u"min_sequence_number"));
    manifest.minSequenceNumber = minimum.value_or(0);
    IVM_TRY(manifest.addedSnapshotId,
            record.required<qint64>(ids::kAddedSnapshot, u"added_snapshot_id"));
    IVM_CHECK(readCounts(record, manifest));
    IVM_TRY(manifest.partitions, summariesOf(record));
    IVM_TRY(const auto key,
            record.optional<QByteArray>(ids::kManifestKeyMetadata, u"key_metadata"));
    manifest.keyMetadata = key.value_or(QByteArray());
    return manifest;
}

// What a manifest says of itself: only its partition spec, and none of version 1's first writers
// even that.
Result<ManifestFile> describeManifest(const QByteArray &bytes, const QString &path)
{
    IVM_TRY(const auto file, avro::readFile(bytes, path));
    const QByteArray spec = file.metadata.value(QStringLiteral("partition-spec-id"), "0");
    bool ok = false;
    const int specId = spec.toInt(&ok);
    if (!ok)
        return fail(corruptError(QStringLiteral("%1: partition spec '%2' is not a number")
                                     .arg(path, QString::fromUtf8(spec))));
    return ManifestFile{.path = path,
                        .length = bytes.size(),
                        .specId = specId,
                        .addedFiles = -1,
                        .existingFiles = -1,
                        .deletedFiles = -1,
                        .addedRows = -1,
                        .existingRows = -1,
                        .deletedRows = -1};
}

// Cut behind its header a list reads as one of no manifests.
Status checkNotEmptied(const QList<ManifestFile> &manifests, const Snapshot &snapshot)
{
    const QString files = snapshot.summary.value(QStringLiteral("total-data-files"));
    if (!manifests.isEmpty() || files.isEmpty() || files == u"0")
        return {};
    return fail(corruptError(QStringLiteral("%1 lists no manifests, and snapshot %2 has %3 files")
                                 .arg(snapshot.manifestList, QString::number(snapshot.id), files)));
}

Value optionalBytes(const std::optional<QByteArray> &bytes)
{
    return bytes ? Value{*bytes} : Value{};
}

Value recordOf(const ManifestFile &manifest)
{
    std::vector<Value> summaries;
    for (const auto &summary : manifest.partitions)
        summaries.push_back(
            {std::vector<Value>{{summary.containsNull},
                                summary.containsNan ? Value{*summary.containsNan} : Value{},
                                optionalBytes(summary.lower),
                                optionalBytes(summary.upper)}});
    const auto whole = [](qint64 value) { return Value{std::max<qint64>(value, 0)}; };
    return {
        std::vector<Value>{{manifest.path},
                           {manifest.length},
                           {qint64(manifest.specId)},
                           {qint64(manifest.content)},
                           {manifest.sequenceNumber},
                           {manifest.minSequenceNumber},
                           {manifest.addedSnapshotId},
                           whole(manifest.addedFiles),
                           whole(manifest.existingFiles),
                           whole(manifest.deletedFiles),
                           whole(manifest.addedRows),
                           whole(manifest.existingRows),
                           whole(manifest.deletedRows),
                           {std::move(summaries)},
                           manifest.keyMetadata.isEmpty() ? Value{} : Value{manifest.keyMetadata}}};
}

}  // namespace

Result<QList<ManifestFile>> readManifestList(const QByteArray &bytes, QStringView what)
{
    IVM_TRY(const auto file, avro::readFile(bytes, what));
    QList<ManifestFile> manifests;
    for (const auto &value : file.records) {
        IVM_TRY(const auto record, AvroRecord::of(*file.schema, value, what));
        IVM_TRY(auto manifest, manifestFrom(record));
        manifests.append(std::move(manifest));
    }
    return manifests;
}

Result<QByteArray> writeManifestList(const QList<ManifestFile> &manifests, const Snapshot &snapshot)
{
    std::vector<Value> records;
    for (const auto &manifest : manifests)
        records.push_back(recordOf(manifest));
    avro::FileSpec spec{.schema = manifestListSchema()};
    spec.metadata = {
        {QStringLiteral("snapshot-id"), QByteArray::number(snapshot.id)},
        {QStringLiteral("parent-snapshot-id"),
         snapshot.parent ? QByteArray::number(*snapshot.parent) : "null"},
        {QStringLiteral("sequence-number"), QByteArray::number(snapshot.sequenceNumber)},
        {QStringLiteral("format-version"), QByteArray::number(kFormatVersion)}};
    return avro::writeFile(spec, records);
}

Result<QList<ManifestFile>> loadManifestList(FileIO &io, const Snapshot &snapshot)
{
    if (!snapshot.manifestList.isEmpty()) {
        IVM_TRY(const auto bytes, readNamed(io, snapshot.manifestList));
        IVM_TRY(const auto manifests, readManifestList(bytes, snapshot.manifestList));
        IVM_CHECK(checkNotEmptied(manifests, snapshot));
        return manifests;
    }
    QList<ManifestFile> manifests;
    for (const auto &path : snapshot.manifests) {
        IVM_TRY(const auto bytes, readNamed(io, path));
        IVM_TRY(auto manifest, describeManifest(bytes, path));
        manifests.append(std::move(manifest));
    }
    return manifests;
}

}  // namespace ivm::iceberg
