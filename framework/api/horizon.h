// The safe horizon: which snapshots views still need, so that no plugin expires them.
//
// Plain data; any thread.
#pragma once

#include "framework/api/table.h"

#include <functional>

namespace ivm {

// A snapshot that a view's bookmark names, of a source or of the view's target. Without it, and
// what came after it, the view could only be computed anew.
struct HeldSnapshot {
    QString view;
    SnapshotId snapshot = 0;

    bool operator==(const HeldSnapshot &) const = default;
};

// Gives the snapshots of one table that views which are defined hold. A plugin that expires
// snapshots asks it first, and expires nothing when it fails; an engine that does so by itself, as
// Trino does, goes by its own rules. Thread-safe; the host outlives the executor it is handed to.
// Unavailable, Corrupt: the bookmarks cannot be read.
using SafeHorizon = std::function<Result<QList<HeldSnapshot>>(const TableName &table)>;

}  // namespace ivm
