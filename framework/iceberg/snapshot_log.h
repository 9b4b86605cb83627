// The way from one snapshot of a table to another.
//
// Plain data; any thread. Only parent ids are followed, never times: rollbacks and branches make
// those useless.
#pragma once

#include "framework/api/table.h"

#include <QHash>

#include <expected>

namespace ivm::iceberg {

struct SnapshotNode {
    SnapshotId id = 0;
    std::optional<SnapshotId> parent = {};
    QMap<QString, QString> summary = {};  // "operation" included
};

struct SnapshotPath {
    std::optional<SnapshotId> ancestor = {};  // the nearest common one; none: the two share nothing
    QList<SnapshotId> gained = {};            // after the ancestor up to `to`, oldest first
    // After the ancestor up to `from`, newest first: as they are undone.
    QList<SnapshotId> lost = {};

    bool operator==(const SnapshotPath &) const = default;
};

class SnapshotLog {
public:
    explicit SnapshotLog(const QList<SnapshotNode> &snapshots);

    const SnapshotNode *find(SnapshotId id) const;

    // Without `from` the way begins at the empty table. Or why it can't be told, as a sentence: a
    // snapshot on it is missing.
    std::expected<SnapshotPath, QString> path(std::optional<SnapshotId> from, SnapshotId to) const;

private:
    struct Chain;
    Chain chainOf(SnapshotId head) const;

    QHash<SnapshotId, SnapshotNode> m_nodes;
};

// Whether a snapshot only moved rows between files, by its summary: operation `replace`, as many
// records added as deleted, less those that position deletes had taken before. A summary that does
// not show it is not believed.
bool onlyMovesRows(const SnapshotNode &snapshot);

}  // namespace ivm::iceberg
