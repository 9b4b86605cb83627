// How rows are told apart by partition while files are written, and which partition a file is of.
//
// Threads: the connection's. The engine only keeps rows of different partitions apart; partition
// values are made by iceberg::applyTransform() from values of the file that was written.
#pragma once

#include "framework/iceberg/metadata.h"
#include "plugins/executor_duckdb/engine/connection.h"
#include "plugins/executor_duckdb/table/file_stats.h"

namespace ivm::duckdb {

// For SELECT, over the table's columns: values of it differ exactly where partition values do, and
// are short. Empty for a field that tells nothing apart. Unsupported, naming the field, for unknown
// transforms and columns inside lists and maps.
Result<QString> partitionKey(const iceberg::SpecField &field, const iceberg::Schema &schema);

// The partition of a file by the default spec. Internal when its rows are of more than one.
Result<QList<iceberg::Literal>> partitionOf(const WrittenFile &written,
                                            const iceberg::TableMetadata &metadata,
                                            Connection &connection, const Call &call);

// A column, or a field inside of structs, as an expression over the columns. None for what is
// inside lists and maps, and for ids that the schema has not.
std::optional<QString> columnExpression(const iceberg::Schema &schema, int fieldId);

}  // namespace ivm::duckdb
