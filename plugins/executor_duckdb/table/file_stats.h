// What COPY … (RETURN_STATS) says about a file, as a manifest's entry.
//
// Pure; any thread.
#pragma once

#include "framework/api/rows.h"
#include "framework/iceberg/manifest.h"

namespace ivm::duckdb {

struct WrittenFile {
    QString path;  // as the engine wrote it
    iceberg::DataFile file;
    // By field id, where the engine tells them whole.
    QMap<int, iceberg::Literal> least;
    QMap<int, iceberg::Literal> greatest;
    QList<int> withNaN;  // columns that hold NaN; how many of them is not told
};

// The file's location, spec and partition are left open. Internal when the row is not what DuckDB
// 1.5 gives.
Result<WrittenFile> writtenFile(const Row &row, const iceberg::Schema &schema);

}  // namespace ivm::duckdb
