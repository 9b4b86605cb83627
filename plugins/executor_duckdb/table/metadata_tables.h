// "t$snapshots", "t$refs", "t$history", "t$files", "t$metadata_log_entries": a table's own records
// as relations, with Trino's column names.
//
// Pure but for reading manifests; any thread. Source: Trino's documentation, "Iceberg connector",
// "Metadata tables".
#pragma once

#include "framework/base/call.h"
#include "framework/iceberg/commit.h"
#include "plugins/executor_duckdb/translate/translate.h"

namespace ivm::duckdb {

struct MetadataTableName {
    QString table;
    QString suffix;  // "snapshots"
};

// None unless the name ends in one of the suffixes above.
std::optional<MetadataTableName> metadataTableName(const QString &name);

Result<BoundRelation> metadataRelation(const iceberg::Table &table, const QString &suffix,
                                       iceberg::FileIO &io, const Call &call);

}  // namespace ivm::duckdb
