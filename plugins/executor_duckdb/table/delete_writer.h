// Writes position deletes: one file for each data file that loses rows.
//
// Threads: the connection's. Source: Iceberg table spec, "Position Delete Files".
#pragma once

#include "framework/iceberg/scan.h"
#include "plugins/executor_duckdb/table/file_writer.h"

namespace ivm::duckdb {

// `gone` is a relation with "$path" and "$row"; those of other files are left out. Errors as
// writeFiles().
Result<NewFiles> writePositionDeletes(const iceberg::Table &table,
                                      const std::vector<iceberg::DataFile> &dataFiles,
                                      const QString &gone, Connection &connection,
                                      const Call &call);

}  // namespace ivm::duckdb
