#include "framework/iceberg/commit.h"

#include "framework/base/fail_point.h"
#include "framework/iceberg/commit_manifests.h"
#include "framework/iceberg/publish.h"
#include "framework/iceberg/summary.h"

#include <QRandomGenerator>
#include <QUuid>

#include <limits>

namespace ivm::iceberg {

namespace {

SnapshotId newSnapshotId(const TableMetadata &metadata)
{
    SnapshotId id = 0;
    while (id == 0 || metadata.snapshot(id))
        id = qint64(QRandomGenerator::system()->generate64() &
                    quint64(std::numeric_limits<qint64>::max()));
    return id;
}

// Puts `snapshot`, which is among the metadata's, at the head of main.
void moveMain(TableMetadata &metadata, SnapshotId snapshot, qint64 nowMs)
{
    metadata.currentSnapshotId = snapshot;
    metadata.refs[QString::fromUtf16(kMainBranch)].snapshot = snapshot;
    metadata.snapshotLog.append({nowMs, snapshot});
    metadata.lastUpdatedMs = nowMs;
}

// `before` with one more snapshot.
Result<TableMetadata> withSnapshot(Warehouse warehouse, const TableMetadata &before,
                                   const SnapshotChange &change, WrittenFiles &written)
{
    const NewSnapshot made{.id = newSnapshotId(before),
                           .sequenceNumber = before.lastSequenceNumber + 1,
                           .commitId = QUuid::createUuid().toString(QUuid::WithoutBraces)};
    IVM_TRY(const auto manifests, makeManifests(warehouse.io, before, made, change, written));
    IVM_CHECK(failPoint(u"iceberg.manifests_written"));

    Snapshot snapshot{
        .id = made.id,
        .parent = before.currentSnapshotId,
        .sequenceNumber = made.sequenceNumber,
        .timestampMs = commitTime(warehouse.clock, before),
        .manifestList = metadataFile(
            before, QStringLiteral("snap-%1-1-%2.avro").arg(made.id).arg(made.commitId)),
        .summary = makeSummary(change, manifests.removed, before.currentSnapshot()),
        .schemaId = before.currentSchemaId};
    IVM_TRY(const QByteArray list, writeManifestList(manifests.manifests, snapshot));
    IVM_CHECK(written.create(snapshot.manifestList, list));
    IVM_CHECK(failPoint(u"iceberg.manifest_list_written"));

    TableMetadata next = before;
    next.lastSequenceNumber = made.sequenceNumber;
    next.snapshots.append(snapshot);
    moveMain(next, snapshot.id, snapshot.timestampMs);
    return next;
}

// Files of an outdated base may have been removed together with its snapshot.
bool isOutdated(Warehouse warehouse, const Table &base)
{
    const auto now = warehouse.catalog.load(base.name);
    return now && now->metadataLocation != base.metadataLocation;
}

Result<Table> commitOnto(Warehouse warehouse, const Table &base, const TableMetadata &before,
                         const SnapshotChange &change)
{
    WrittenFiles written(warehouse.io);
    auto next = withSnapshot(warehouse, before, change, written);
    const bool isMissing = !next && (next.error().kind == ErrorKind::NotFound ||
                                     next.error().kind == ErrorKind::Corrupt);
    if (isMissing && isOutdated(warehouse, base))
        return fail(conflictError(QStringLiteral("table %1 was changed by somebody else: %2")
                                      .arg(base.name.text(), next.error().message)));
    IVM_TRY(auto made, std::move(next));
    return publish(warehouse, base, std::move(made), written);
}

}  // namespace

Result<Table> createTable(Warehouse warehouse, const TableName &name, const TableMetadata &metadata,
                          const SnapshotChange &first)
{
    WrittenFiles written(warehouse.io);
    IVM_TRY(auto made, withSnapshot(warehouse, metadata, first, written));
    IVM_TRY(auto table, createTable(warehouse, name, made));
    written.keep();
    return table;
}

Result<Table> commitSnapshot(Warehouse warehouse, const Table &base, const SnapshotChange &change)
{
    return commitOnto(warehouse, base, base.metadata, change);
}

Result<Table> commitReplacement(Warehouse warehouse, const Table &base, const TableMetadata &next,
                                const SnapshotChange &first)
{
    return commitOnto(warehouse, base, next, first);
}

Result<Table> setCurrentSnapshot(Warehouse warehouse, const Table &base, SnapshotId snapshot)
{
    if (!base.metadata.snapshot(snapshot))
        return fail(invalidError(QStringLiteral("table %1 has no snapshot %2")
                                     .arg(base.name.text(), QString::number(snapshot))));
    TableMetadata next = base.metadata;
    moveMain(next, snapshot, commitTime(warehouse.clock, base.metadata));
    WrittenFiles written(warehouse.io);
    return publish(warehouse, base, std::move(next), written);
}

Result<Table> commitMetadata(Warehouse warehouse, const Table &base, TableMetadata next)
{
    next.lastUpdatedMs = commitTime(warehouse.clock, base.metadata);
    WrittenFiles written(warehouse.io);
    return publish(warehouse, base, std::move(next), written);
}

}  // namespace ivm::iceberg
