// read_parquet, read_csv and read_json: files that are no tables, by path.
//
// Threads: the connection's.
#pragma once

#include "plugins/executor_duckdb/engine/connection.h"
#include "plugins/executor_duckdb/translate/translate.h"

namespace ivm::duckdb {

// TABLE(name(arguments)). Unsupported for another name; Invalid for arguments it does not take;
// NotFound for missing files.
Result<BoundRelation> fileRelation(const QString &name, const QList<FunctionArgument> &arguments,
                                   Connection &connection, const Call &call);

}  // namespace ivm::duckdb
