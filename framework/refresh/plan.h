// Decides what a refresh of one view has to do, from the bookmark, the heads and the files that
// changed.
//
// Reads metadata only (but for files without bounds, see measure.h) and writes nothing; `explain`
// and `refresh` share it. Threads: the calling thread's; what is passed in outlives the call.
#pragma once

#include "framework/api/plugin.h"
#include "framework/refresh/measure.h"
#include "framework/refresh/outcome.h"

namespace ivm {

// Where tables stand, as one poll found them; NotFound for a table that does not exist.
using Heads = QHash<TableName, Result<TableHead>>;

struct SourcePlan {
    SourceMark mark;   // what the bookmark will say after the refresh
    FileCounts files;  // since the old bookmark; zero where that was not looked at
    int snapshots = 0;
    std::optional<TableHead> before;  // of the old bookmark
    // Whether it is read at its head's snapshot. Not so where it has none, or where the snapshot's
    // schema is older than the table's and the engine would use it: then what is read may be newer
    // than the mark, and `mark.exact` says so until somebody has looked again.
    bool pinned = false;
};

struct RefreshPlan {
    Action action = Action::None;
    QString reason;   // a sentence for people: why this action
    RangeSet ranges;  // of Incremental
    QList<SourcePlan> sources;
    std::optional<Bookmark> bookmark;  // the old one, when it still counts
    std::optional<TableHead> target;   // none: there is no target table yet
    bool knowsTarget = true;           // whether a bookmark speaks of this very table
    QString resumeFrom;                // of a Rebuild that has begun: Bookmark::resumeFrom
};

// Columns are the same when name, type and field id are: a comment or NOT NULL changes no row.
bool sameColumns(const QList<Column> &left, const QList<Column> &right);

struct PlanInput {
    const View &view;
    RefreshMode mode = RefreshMode::IfChanged;
    std::optional<Bookmark> bookmark;
    const Heads &heads;
    Detector &detector;
    MeasuredRanges &measured;
    // Whether the engine reads old snapshots with the current schema
    // (Capability::PinsCurrentSchema).
    std::function<Result<bool>()> pinsCurrentSchema;
    std::function<Result<Session *>()> session;
    QString fullReason;  // why it is RefreshMode::Full
};

// NotFound, naming the view, when a source does not exist; else as Detector and Session.
Result<RefreshPlan> planRefresh(const PlanInput &input, const Call &call);

// Whether nothing that the bookmark knows of has changed: the cheap question that ends nearly every
// look at a view.
bool isCurrent(const View &view, const std::optional<Bookmark> &bookmark, const Heads &heads);

}  // namespace ivm
