// What COPY … (RETURN_STATS) says about a file, as a manifest's entry.
//
// Pure; any thread.
#pragma once

#include "framework/api/rows.h"
#include "framework/iceberg/manifest.h"

namespace ivm::duckdb {

// Columns of the result of such a COPY that are used, in this order, for a SELECT list.
struct WrittenFile {
    QString path;  // as the engine wrote it
    iceberg::DataFile file;
};

// The name of the engine's partition column for the n-th field of the table's spec.
QString partitionColumn(qsizetype index);

// The file's location is left open. Internal when the row is not what DuckDB 1.5 gives.
Result<WrittenFile> writtenFile(const Row &row, const iceberg::TableMetadata &metadata);

}  // namespace ivm::duckdb
