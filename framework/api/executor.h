// The engine: runs SQL, describes queries, and commits changes to targets.
//
// Threads: an Executor may be used from any thread; a Session belongs to the thread that opened it
// and to one call at a time. Lifetime: an Executor outlives its sessions, and lives until the
// process ends. Language: every SQL text is Trino's, whatever the engine; an engine with another
// dialect translates it.
#pragma once

#include "framework/api/change.h"
#include "framework/api/rows.h"
#include "framework/base/call.h"

#include <chrono>
#include <memory>
#include <optional>

namespace ivm {

struct StatementResult {
    QString statementId;       // the engine's id; may be empty
    QString updateType;        // "INSERT", "CREATE TABLE" …; empty for a query
    qint64 rowsAffected = -1;  // -1: not a statement that counts rows
    qint64 rowsRead = 0;
    qint64 bytesRead = 0;
};

// How a session differs from what the executor was configured with.
struct SessionOptions {
    QString purpose;  // for the engine's own list of statements: "view departures"
    // As in SET SESSION; an engine that has none is silent about them.
    QMap<QString, QString> properties;
    // The longest that one statement may take, waiting in queues included: Timeout, and nothing was
    // committed; or CommitUnknown.
    std::optional<std::chrono::milliseconds> statementTimeout;
};

// The code of a missing privilege without which a lost answer leads to a diff.
inline constexpr QStringView kCannotSettle = u"cannot_settle";

class Session {
public:
    virtual ~Session() = default;

    // Runs one statement and hands its rows to `sink`.
    // Invalid (with the place in `sql` where known; also what the user may not do), Unsupported,
    // NotFound (table, schema), AlreadyExists, Conflict, CommitUnknown (a writing statement whose
    // answer was lost), Unavailable, Cancelled, Timeout, Corrupt.
    virtual Result<StatementResult> run(const QString &sql, RowSink &sink, const Call &call) = 0;

    // The output columns of a query, without running it. Errors as run().
    virtual Result<QList<Column>> describe(const QString &sql, const Call &call) = 0;

    // NotFound when there is no such table; Unavailable, Corrupt, Cancelled, Timeout.
    virtual Result<TableInfo> tableInfo(const TableName &name, const Call &call) = 0;

    // Makes an empty table, and its schema if that is missing. AlreadyExists, Invalid, Unavailable,
    // Cancelled, Timeout.
    virtual Status createTable(const TableSpec &spec, const Call &call) = 0;

    // NotFound, Unavailable, Cancelled, Timeout.
    virtual Status dropTable(const TableName &name, const Call &call) = 0;

    // Applies the change in one atomic commit, or none. `record` is called with the statement id
    // first, on engines with `queryIdBeforeStart`. Conflict: the target is not at
    // intent.targetHead, or changed meanwhile; nothing was written. CommitUnknown: settle it. Else
    // as run(); then nothing was written.
    virtual Result<CommitResult> commit(const Change &change, const Intent &intent,
                                        const IntentRecorder &record, const Call &call) = 0;

    // What a refresh of a view would not be allowed to do, each an error that names the privilege
    // and the table; with the code kCannotSettle where it gets by without. Engines without
    // privileges have none to miss. Nothing is run or made. Unavailable, Invalid (the query),
    // Cancelled, Timeout.
    virtual Result<QList<Error>>
    missingPrivileges(const Replacement &view, const QList<TableName> &sources, const Call &call)
    {
        Q_UNUSED(view)
        Q_UNUSED(sources)
        IVM_CHECK(call.check(u"asking for privileges"));
        return QList<Error>();
    }

    // Finds out whether an intent's commit landed, waiting for or killing a statement that still
    // runs. Unavailable, Cancelled, Timeout.
    virtual Result<Settlement> settle(const Intent &intent, const Call &call) = 0;

    // Whether a statement of a session with this purpose, whoever opened it, is still at work. No
    // on engines whose statements end with their process. Unavailable, Cancelled, Timeout.
    virtual Result<bool> isAtWork(const QString &purpose, const Call &call)
    {
        Q_UNUSED(purpose)
        IVM_CHECK(call.check(u"asking for statements at work"));
        return false;
    }
};

// What an executor can do beyond the contract; stable words, also in its plugin metadata.
enum class Capability {
    QueryIdBeforeStart,  // commit() knows the statement's id before the statement can start
    PinsCurrentSchema,   // FOR VERSION AS OF reads old rows with the table's current schema
    AtomicSummary,       // a commit carries intent.summary in its own snapshot
};

class Executor {
public:
    virtual ~Executor() = default;

    virtual bool can(Capability capability) const = 0;

    // Catalog and schema that bare names are looked up in; `table` is empty. No I/O.
    virtual TableName defaults() const = 0;

    // Unavailable, Invalid (options that cannot work), Cancelled, Timeout.
    virtual Result<std::unique_ptr<Session>> openSession(const SessionOptions &options,
                                                         const Call &call) = 0;

    // Where people look at a statement of this executor in a browser; empty where there is no such
    // place. No I/O.
    virtual QString statementUri(const QString &statementId) const
    {
        Q_UNUSED(statementId)
        return {};
    }
};

// run() with the rows collected in memory. For results that are known to be small.
Result<Rows> query(Session &session, const QString &sql, const Call &call);
// run() for a statement whose rows are of no interest.
Result<StatementResult> execute(Session &session, const QString &sql, const Call &call);

}  // namespace ivm
