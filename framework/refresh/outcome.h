// What a refresh was or would be, for people and programs.
//
// Plain data; any thread.
#pragma once

#include "framework/api/store.h"
#include "framework/view/graph.h"
#include "framework/view/range_set.h"

#include <functional>

namespace ivm {

enum class Action {
    None,         // the target is right as it is
    Incremental,  // touched buckets are recomputed
    Diff,         // everything is recomputed, and what differs is written
    Rebuild,      // the target is made and filled
    Error,
};

QString actionName(Action action);  // "none" … "error"

enum class RefreshMode {
    IfChanged,
    Full,   // diff everything, whatever the bookmark says
    Adopt,  // also where the target holds rows that no refresh has written: they go
};

// A range of buckets as text, in the bucket's type; a missing bound is open.
struct TextRange {
    std::optional<QString> from;
    std::optional<QString> to;
};

struct RefreshOutcome {
    QString view;
    Action action = Action::None;
    Strategy strategy = Strategy::Diff;
    QString reason;
    QList<TextRange> ranges;  // of an incremental refresh
    bool nullBucket = false;
    qint64 rowsRead = 0;
    qint64 filesRead = 0;
    qint64 bytesRead = 0;
    qint64 rowsWritten = 0;
    qint64 rowsDeleted = 0;
    double seconds = 0;
    QMap<QString, QString>
        sourceSnapshots;     // table name to snapshot id; empty text for a table without snapshots
    QString targetSnapshot;  // empty without one
    QMap<QString, QString> targetSummary;  // of the last commit's snapshot; empty without one
    QString statementId;  // of the commit, where the engine gives ids; of the last of several
    std::optional<Error> error;
};

// What the store keeps of it.
RefreshRecord recordOf(const RefreshOutcome &outcome, const QDateTime &started);

}  // namespace ivm
