// Taking rows out of a table's data files: by writing a file again without them, or by a position
// delete file, whichever is cheaper.
//
// Threads: the connection's.
#pragma once

#include "framework/iceberg/commit.h"
#include "framework/iceberg/scan.h"
#include "plugins/executor_duckdb/engine/connection.h"
#include "plugins/executor_duckdb/table/file_writer.h"

namespace ivm::duckdb {

struct Rewrite {
    QStringList removed;  // files to write again, and deletes that were theirs alone
    QString survivors;    // a SELECT of what else was in them; empty when nothing was
    NewFiles deletes;     // for the files that stay
};

// `gone` is a relation with "$path" and "$row" of the rows to take out, none of them twice; `live`
// has their files. A file stays when it is large and has lost few of its rows; the table property
// `write.delete.mode` (merge-on-read, copy-on-write) decides instead where it is set.
Result<Rewrite> planRewrite(const iceberg::Table &table, const iceberg::LiveFiles &live,
                            const QString &gone, Connection &connection, const Call &call);

// The SELECTs that are not empty, one below the other.
QString unionOf(const QStringList &selects);
// "a", "b": the table's columns, each behind `prefix`.
QString columnList(const iceberg::Table &table, QStringView prefix = {});

// Commits removed and added files in one snapshot, or none when there are neither; the operation
// follows from what there is unless it is said. The new files are kept when they are, or may be,
// part of the table. Errors as iceberg::commitSnapshot().
struct FilesChange {
    std::optional<iceberg::Operation> operation = {};
    QStringList removed = {};
    QMap<QString, QString> summary = {};
};
Result<iceberg::Table> commitFiles(iceberg::Warehouse warehouse, const iceberg::Table &base,
                                   FilesChange change, NewFiles &added);

}  // namespace ivm::duckdb
