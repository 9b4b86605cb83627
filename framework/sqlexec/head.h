// Where a table stands, asked in SQL through Iceberg's metadata tables.
//
// Pure functions; any thread. Source: Trino's documentation, "Iceberg connector", "Metadata
// tables".
#pragma once

#include "framework/api/table.h"
#include "framework/sqlexec/dialect.h"

namespace ivm {

// An aggregate over rows of `"t$metadata_log_entries"` (columns file, timestamp): the newest file.
// The number in the file's name decides, since clocks of several writers may disagree; the time is
// for names without one.
QString newestMetadataFileSql();

// A scalar subquery giving the newest metadata file of one table.
QString metadataFileSql(const TableName &table);

// A scalar subquery giving the head of `main`; NULL for a table without snapshots, which has no row
// there.
QString mainSnapshotSql(const TableName &table);

// Lets a statement go on only while the table is at the expected state: else it fails, with
// kStaleHeadMark and the state that was found in the error's message. A head without token is known
// by its snapshot alone. And only in UTC, which buckets are counted in: a cluster can force another
// zone on all sessions, and then the message has kWrongZoneMark and the zone; in plain SQL the
// session's own settings have to see to that.
struct HeadGuard {
    QString from;   // a relation of one row, called h, to be cross-joined
    QString where;  // a condition on it
};
HeadGuard headGuard(const TableName &table, const TableHead &expected,
                    SqlDialect dialect = SqlDialect::Trino);
inline constexpr auto kStaleHeadMark = u"ivm stale head: ";
inline constexpr auto kWrongZoneMark = u"ivm time zone: ";

// Whether a table is in the expected state: by its metadata file where that is known, else by its
// snapshot.
bool isAt(const TableHead &head, const TableHead &expected);

}  // namespace ivm
