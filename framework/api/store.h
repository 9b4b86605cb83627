// Where the host keeps what it must not forget between two refreshes.
//
// Threads: any thread; a store serializes inside. Several processes may share one. Lifetime: until
// the process ends.
#pragma once

#include "framework/api/change.h"
#include "framework/base/call.h"

#include <QDateTime>

#include <chrono>

namespace ivm {

enum class SourceRole {
    Driving,  // its time column decides the bucket: changes become ranges
    Other,    // any change of it calls for a diff
};

struct SourceMark {
    TableName table;
    SourceRole role = SourceRole::Driving;
    TableHead head;
    // Those the view uses, with their field ids: another id is another column.
    QList<Column> columns;
    bool pinnable = false;  // TableChanges::pinnable at this head
    bool exact = true;      // false: rows of a later state may have been read

    bool operator==(const SourceMark &) const = default;
};

// The state of the world that a target's rows are right for.
struct Bookmark {
    QString view;
    QString definitionHash;
    QList<OutputColumn> outputs;
    QList<SourceMark> sources;
    TableName target;
    TableHead targetHead;         // after our last commit
    QList<Column> targetColumns;  // the outputs as the target has them, with their field ids
    // Set while a build in several commits is under way: the bucket (a literal) up to which rows
    // are right.
    QString resumeFrom;

    bool operator==(const Bookmark &) const = default;

    QByteArray toJson() const;  // compact, stable: equal bookmarks give equal bytes
    // Corrupt, naming `what`, when the bytes are not a bookmark.
    static Result<Bookmark> fromJson(const QByteArray &bytes, QStringView what);
};

// The key under which engines with Capability::AtomicSummary keep a bookmark in a target's snapshot
// summary. It is written before the snapshot exists, so its targetHead is to be replaced by that of
// the snapshot it is read from.
inline constexpr QStringView kBookmarkSummaryKey = u"ivm.bookmark";
inline constexpr QStringView kIntentSummaryKey = u"ivm.intent";

// One finished refresh, for people: `ivmctl views`, the page, metrics.
struct RefreshRecord {
    QString view;
    QString action;  // none, incremental, diff, rebuild, error
    QString reason;
    QDateTime started;
    double seconds = 0;
    qint64 rowsRead = 0;
    qint64 rowsWritten = 0;
    qint64 rowsDeleted = 0;
    QString statementId;
    QString error;  // empty unless action is error

    bool operator==(const RefreshRecord &) const = default;
};

struct LeaseRequest {
    TableName target;
    QString owner;  // for people: program, host, process
    std::chrono::seconds lifetime{60};
};

// How many records a store keeps of each view: the newest.
inline constexpr int kRecordsKept = 200;

class StateStore {
public:
    virtual ~StateStore() = default;

    // Every method: Unavailable (locked, disk full, not writable), Corrupt.

    // A bookmark that cannot be read is left out, with a warning: its view is diffed.
    virtual Result<QList<Bookmark>> bookmarks() = 0;
    virtual Result<std::optional<Bookmark>> bookmark(const QString &view) = 0;  // none: as above
    // Saves the bookmark and forgets the view's intent in one transaction.
    virtual Status saveBookmark(const Bookmark &bookmark) = 0;
    // Bookmark and intent: nothing is known of the target's rows any more. A view that is not known
    // is fine, here and below.
    virtual Status forgetBookmark(const QString &view) = 0;
    // Bookmark, intent and records.
    virtual Status forgetView(const QString &view) = 0;

    // At most one intent a view: the commit whose outcome is not recorded yet.
    virtual Result<std::optional<Intent>> intent(const QString &view) = 0;
    // Replaces the view's intent, if there is one.
    virtual Status saveIntent(const Intent &intent) = 0;
    virtual Status forgetIntent(const QString &view) = 0;

    // Takes the target for one refresh; gives a token for renew and release. Conflict, in the words
    // of leaseHeldError() (lease_error.h), while another live holder has it. A holder on this
    // machine whose process is gone is not alive.
    virtual Result<QString> acquireLease(const LeaseRequest &request) = 0;
    // Who holds the target's lease, as its request said; empty: nobody who is alive.
    virtual Result<QString> leaseHolder(const TableName &target) = 0;
    // Conflict, as leaseLostError() says it, when another holder took it. A lease that ran out and
    // was not taken is renewed.
    virtual Status renewLease(const QString &token, std::chrono::seconds lifetime) = 0;
    // Fine for a lease that was lost.
    virtual Status releaseLease(const QString &token) = 0;

    Status addRecord(const RefreshRecord &record) { return addRecords({record}); }
    // Of one view or several, the oldest first. After an error some of them may be there.
    virtual Status addRecords(const QList<RefreshRecord> &records) = 0;
    // Newest first, at most `most`.
    virtual Result<QList<RefreshRecord>> records(const QString &view, int most) = 0;
};

}  // namespace ivm
