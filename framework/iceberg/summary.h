// The counts in a snapshot's summary. Pure; any thread. Private to this folder.
#pragma once

#include "framework/iceberg/commit.h"

namespace ivm::iceberg {

QString operationName(Operation operation);

// Iceberg table spec, Appendix F: what was added and removed, and the totals after it where the
// parent's are known (null parent: an empty table). The caller's own members stand beside them.
QMap<QString, QString> makeSummary(const SnapshotChange &change, const QList<DataFile> &removed,
                                   const Snapshot *parent);

}  // namespace ivm::iceberg
