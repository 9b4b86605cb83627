// The data files that the row-level deletes of a snapshot speak of. Pure; any thread.
#pragma once

#include "plugins/detector_catalog/snapshot_entries.h"

namespace ivm::catalog {

// By path, once each. `live` are the data files live in the snapshot; those that it removed had
// their rows before, so deletes that went away with them speak of them too. A delete that names one
// file touches that one, others every older file of their partition (of the table, for global
// equality deletes). Iceberg table spec, "Scan Planning".
QMap<QString, iceberg::DataFile> touchedFiles(const SnapshotEntries &entries,
                                              const std::vector<iceberg::LiveFile> &live,
                                              const iceberg::TableMetadata &metadata);

}  // namespace ivm::catalog
