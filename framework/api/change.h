// What a refresh asks an engine to commit, and what became of it.
//
// Plain data; any thread.
#pragma once

#include "framework/api/table.h"

#include <functional>
#include <variant>

namespace ivm {

// How a column's two values compare. A commit writes a row again when a Float column differs by
// more than its tolerance or any other column differs at all, Approximate and OrderDependent ones
// included: their value may differ for a reason. Only a verify, which recomputes what nothing has
// changed, does not count those two against a target.
enum class ColumnClass {
    Key,             // identifies the row; NULL equals NULL and NaN equals NaN
    Exact,           // bit by bit
    Float,           // depends on the order of the rows: equal within a relative 1e-9
    Approximate,     // an estimate by nature
    OrderDependent,  // depends on ties and orders that SQL leaves open
};

struct OutputColumn {
    QString name;
    Type type;
    ColumnClass columnClass = ColumnClass::Exact;

    bool operator==(const OutputColumn &) const = default;
};

// A half-open range of bucket values; a missing bound is open. Bounds are SQL literals of the
// bucket column's type, rendered by the framework and therefore safe in a statement: TIMESTAMP
// '2001-01-01 00:00:00.000000'.
struct LiteralRange {
    std::optional<QString> from;
    std::optional<QString> to;

    bool operator==(const LiteralRange &) const = default;
};

// Which rows of a target a change replaces: the union of the ranges, and the NULL bucket if asked
// for.
struct BucketFilter {
    QString column;  // the target's bucket column
    QList<LiteralRange> ranges;
    bool nullBucket = false;

    bool operator==(const BucketFilter &) const = default;
};

// The rows that a target, or a part of it, has to hold. Applying one is a diff: rows that stay
// equal are not touched, rows that vanished are deleted, duplicated keys in the target are mended.
struct Replacement {
    TableName target;
    QList<OutputColumn>
        columns;    // the target's columns in order; at least one is a key unless the view has none
    QString query;  // Trino SQL giving exactly the wanted rows, in the order of `columns`
};

struct ReplaceRanges {
    Replacement replacement;  // its query yields rows of the filter's buckets only
    BucketFilter filter;
};

struct ReplaceAll {
    Replacement replacement;
};

// One atomic commit on the target.
using Change = std::variant<ReplaceRanges, ReplaceAll>;

const Replacement &replacementOf(const Change &change);

// Written down before a commit is sent, so that its outcome can be found out after a crash or a
// lost answer.
struct Intent {
    QString id;  // unique; ours
    QString view;
    TableName target;
    TableHead targetHead;  // the change was computed against this state; the commit must not apply
                           // to another
    QString statementId;   // the engine's own id (Trino's query id), once it is known
    // Put into the snapshot's summary by engines with the capability `atomicSummary`; else ignored.
    QMap<QString, QString> summary;

    bool operator==(const Intent &) const = default;

    QByteArray toJson() const;  // compact, stable: equal intents give equal bytes
    // Corrupt, naming `what`, when the bytes are not an intent.
    static Result<Intent> fromJson(const QByteArray &bytes, QStringView what);
};

// Called by commit() with the engine's statement id before the statement can start; the commit is
// given up if it fails.
using IntentRecorder = std::function<Status(const QString &statementId)>;

struct CommitResult {
    TableHead target;  // the state after the change; the intent's targetHead when nothing differed
    bool committed = false;  // false: every row was right already and no snapshot was made
    qint64 rowsRead = 0;     // of sources and target together, as the engine counts them
    qint64 bytesRead = 0;
    qint64 filesRead = 0;                 // data files opened; 0 where the engine does not tell
    qint64 rowsWritten = 0;               // inserted and updated rows
    qint64 rowsDeleted = 0;               // rows that vanished
    QMap<QString, QString> summary = {};  // of the new snapshot, where one was made
};

struct Landed {
    TableHead target;
    QMap<QString, QString> summary;
};
struct NotLanded {};
struct OutcomeUnknown {
    QString reason;
};

// What became of an intent. NotLanded is only said when the statement can no longer land.
using Settlement = std::variant<Landed, NotLanded, OutcomeUnknown>;

}  // namespace ivm
