// Finds out what changed in a table, from metadata alone.
//
// Threads: any thread, several calls at once. Lifetime: until the process ends; the executor it was
// given outlives it. It speaks of files only; turning files into bucket ranges is refresh/measure's
// work.
#pragma once

#include "framework/api/table.h"
#include "framework/base/call.h"

namespace ivm {

struct HeadRequest {
    TableName table;
    // The state the caller knows. When its token still stands, the detector returns it without
    // reading further.
    std::optional<TableHead> known = {};
};

enum class FileRole {
    Added,
    Removed,
    DeletedFrom,  // live at both ends or either, and row-level deletes for it appeared or vanished
};

// Whether a column is NULL in some rows of a file.
enum class NullState { Never, Some, Always, Unknown };

// The values of one column in one file, rounded outward. Unit: days for date, microseconds since
// the epoch (UTC) for every timestamp, the value itself for integers.
struct FileBounds {
    std::optional<qint64> lower;  // none with nullState other than Always: not known
    std::optional<qint64> upper;
    NullState nullState = NullState::Unknown;

    bool operator==(const FileBounds &) const = default;
};

// Whether a file with these bounds may hold a value in the interval, both ends included; a missing
// end of it is open.
bool mayHold(const FileBounds &bounds, const FileBounds &interval);

struct FileChange {
    FileRole role = FileRole::Added;
    QString path;
    qint64 records = 0;
    qint64 bytes = 0;
    FileBounds bounds;  // of ChangesRequest::column; from the file's metrics, else from its
                        // partition value

    bool operator==(const FileChange &) const = default;
};

struct ChangesRequest {
    TableName table;
    TableHead from;       // the bookmark
    TableHead to;         // the head
    QString column;       // whose bounds are wanted; empty: none
    QStringList columns;  // whose types and field ids are wanted
};

struct TableChanges {
    // Set when the way from `from` to `to` cannot be told from metadata (expired snapshots, a table
    // made again, unreadable entries): the reason, in a sentence a person reads. Then `files` means
    // nothing.
    std::optional<QString> unmeasurable;
    int snapshots = 0;  // walked, on both sides of the common ancestor
    QList<FileChange>
        files;  // ordered by path, then role; a file added and removed on the way is there twice
    // No snapshot was left out: rows that differ between the ends are in these files and no others.
    bool complete = true;
    // ChangesRequest::columns in the schema at `to`, with their types and field ids, in that order;
    // a column that the table has no more is absent.
    QList<Column> columns;
    // Whether `to` has a snapshot whose own schema has these very columns: an engine that reads a
    // snapshot with the schema of its time reads the same at FOR VERSION AS OF as at the head.
    bool pinnable = false;
};

// Which of a table's files are meant: those that may hold a value of a column in one of the
// intervals. Files whose bounds are not known are among them.
struct LiveFilesRequest {
    TableName table;
    TableHead at;
    Column column;             // with its field id
    QList<FileBounds> within;  // lower and upper; a missing one is open
};

struct FileTotals {
    qint64 files = 0;
    qint64 records = 0;
    qint64 bytes = 0;
    // Of all of them; no bounds where those of one file are not known.
    FileBounds bounds = {.lower = {}, .upper = {}, .nullState = NullState::Never};

    void add(const FileChange &file);  // its role does not matter

    bool operator==(const FileTotals &) const = default;
};

// The code of a table's error that says: the table is there, but its metadata cannot be read from
// here. Another detector may still be able to.
inline constexpr QStringView kMetadataOutOfReach = u"metadata_out_of_reach";

class Detector {
public:
    virtual ~Detector() = default;

    // One answer a request, in its order, in one round trip for all; a table that fails does not
    // fail the others. Per table NotFound, Unavailable, Corrupt, Unsupported; for the whole
    // Unavailable, Cancelled, Timeout.
    virtual Result<QList<Result<TableHead>>> heads(const QList<HeadRequest> &requests,
                                                   const Call &call) = 0;

    // The files that make `to` differ from `from`: along parent ids, through the common ancestor
    // where `from` is not an ancestor of `to`. Snapshots that only moved rows between files
    // (compaction) contribute nothing. When both ends are the same there are no files, and only the
    // columns are looked up. NotFound, Unavailable, Corrupt, Unsupported, Cancelled, Timeout.
    virtual Result<TableChanges> changes(const ChangesRequest &request, const Call &call) = 0;

    // What the data files hold that are live at `at`, deleted rows included; an estimate, which may
    // be of a state after `at`. NotFound, Unavailable, Corrupt, Unsupported, Cancelled, Timeout.
    virtual Result<FileTotals> liveFiles(const LiveFilesRequest &request, const Call &call) = 0;
};

}  // namespace ivm
