// The rows of a table as a relation in DuckDB's SQL: its live data files read by field id, without
// the rows that position delete files name and those that equality delete files describe.
//
// Pure functions; any thread.
#pragma once

#include "framework/iceberg/scan.h"

namespace ivm::duckdb {

// Columns beside the table's own. Hidden ones of a table are always there; the place of a row on
// request.
inline constexpr QStringView kPathColumn =
    u"$path";                                       // the data file's location, as in the manifest
inline constexpr QStringView kRowColumn = u"$row";  // its place in the file, from 0

enum class WithRow { No, Yes };

struct TableRows {
    const iceberg::TableMetadata &metadata;  // gives the schema that the rows are read with
    iceberg::LiveFiles files;
};

// For FROM, an alias follows: "(SELECT …)". Columns have the table's names and are of duckdbType().
// Unsupported: equality deletes by floats or by what is inside of columns, files that are not
// Parquet or not local, columns whose names differ only in case, nested fields that were renamed.
Result<QString> relationSql(const TableRows &rows, WithRow withRow);

// ['a', 'b']
QString listSql(const QStringList &literals);

}  // namespace ivm::duckdb
