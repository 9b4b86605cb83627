// The SQL of the state's tables, in Trino's language.
//
// Pure functions; any thread. Everything from outside is written as a quoted literal. What tells
// the time is an expression, so that the clock is the engine's.
#pragma once

#include "framework/api/store.h"
#include "framework/base/process_identity.h"
#include "plugins/store_iceberg/tables.h"

#include <QPair>

namespace ivm::store_iceberg {

// A row of view_state. An empty bookmark or intent is none.
struct ViewRow {
    QString target;  // quoted
    QString token;
    QString bookmark;
    QString intent;
};

// What a write must find, so that nobody who has lost his lease writes over another.
struct Fence {
    std::optional<QString> token;  // of the row as it was; none: there was no row
};

// What is read: kViewColumns, in this order.
QString viewsSql(const StateTables &tables);
QString viewSql(const StateTables &tables, const QString &view);

// Saves a bookmark and forgets the intent; saves an intent and leaves the bookmark; forgets the
// intent alone. Those of one token may be run twice. Without a fence the last one wins.
QString saveBookmarkSql(const StateTables &tables, const Bookmark &bookmark, const QString &token,
                        const std::optional<Fence> &fence);
QString saveIntentSql(const StateTables &tables, const Intent &intent, const QString &token,
                      const std::optional<Fence> &fence);
QString forgetIntentSql(const StateTables &tables, const QString &view, const QString &token,
                        const std::optional<Fence> &fence);
QString forgetViewSql(const StateTables &tables, const QString &view);

// A lease as it is kept.
struct LeaseRow {
    QString target;  // quoted
    QString token;
    QString owner;
    ProcessIdentity process;
    QDateTime since;
    QDateTime until;
    bool isOver = false;  // by the engine's clock
};

// target, token, owner, machine, pid, started, since, until, and 1 where it is over, else 0.
QString leasesSql(const StateTables &tables, const QString &now);
QString leaseSql(const StateTables &tables, const QString &target, const QString &now);
// Takes a target that nobody holds, or whose lease is over, or that of `abandoned`.
QString acquireLeaseSql(const StateTables &tables, const LeaseRow &lease,
                        std::chrono::seconds lifetime, const QString &now,
                        const QString &abandoned);
QString renewLeaseSql(const StateTables &tables, const QString &target, const QString &token,
                      std::chrono::seconds lifetime, const QString &now);
QString releaseLeaseSql(const StateTables &tables, const QString &target, const QString &token);

// id, view, started, action, reason, seconds, rows read, written and deleted, statement, error;
// newest first.
QString recordsSql(const StateTables &tables, const QString &view, int most);
// The newest of each view.
QString lastRecordsSql(const StateTables &tables);
using RecordById = QPair<QString, RefreshRecord>;
QString addRecordsSql(const StateTables &tables, const QList<RecordById> &records);
// The list in pieces of one statement each.
QList<QList<RecordById>> inPieces(const QList<RecordById> &records);
QString findRecordSql(const StateTables &tables, const QString &id);
QString forgetRecordsSql(const StateTables &tables, const QString &view);
// All but the newest kRecordsKept of each view.
QString trimRecordsSql(const StateTables &tables);

}  // namespace ivm::store_iceberg
