#include "framework/api/store.h"
#include "plugins/executor_duckdb/statement/replace.h"

namespace ivm::duckdb {

namespace {

// The state right after the snapshot was committed: the oldest metadata file that has it as its
// head.
Result<TableHead> headAfter(const iceberg::Table &table, SnapshotId snapshot, iceberg::FileIO &io)
{
    TableHead head = table.head();
    bool isHead = table.metadata.currentSnapshotId == snapshot;
    for (qsizetype i = table.metadata.metadataLog.size() - 1; i >= 0; --i) {
        const QString location = table.metadata.metadataLog[i].location;
        const auto bytes = io.readAll(location);
        // Old metadata files may be gone; then the state that is known best stands for it.
        const auto metadata = bytes ? iceberg::metadataFromJson(*bytes, location)
                                    : Result<iceberg::TableMetadata>(fail(bytes.error()));
        if (!metadata || !metadata->snapshot(snapshot))
            break;
        if (metadata->currentSnapshotId == snapshot) {
            head.token = location;
            isHead = true;
        }
    }
    head.snapshot = snapshot;
    // A token that no state has: whoever compares it sees that the table moved on.
    if (!isHead)
        head.token.clear();
    return head;
}

}  // namespace

Result<Settlement> settleIntent(const Intent &intent, WarehouseFolder &warehouse, const Call &call)
{
    IVM_CHECK(call.check(u"settling"));
    const auto open = warehouse.reading();
    if (!open && open.error().kind == ErrorKind::NotFound)
        return NotLanded{};
    if (!open)
        return fail(open.error());
    const auto table = iceberg::loadTable(*open, intent.target);
    if (!table && table.error().kind == ErrorKind::NotFound)
        return NotLanded{};
    if (!table)
        return fail(table.error());
    for (const auto &snapshot : table->metadata.snapshots) {
        if (snapshot.summary.value(kIntentSummaryKey.toString()) == intent.id) {
            IVM_TRY(const TableHead head, headAfter(*table, snapshot.id, open->io));
            return Landed{.target = head, .summary = snapshot.summary};
        }
    }
    return NotLanded{};
}

}  // namespace ivm::duckdb
