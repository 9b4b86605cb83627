// What the detector says of the way between two states of a test table.
#pragma once

#include "plugins/detector_catalog/file_changes.h"
#include "tests/unit/iceberg/warehouse.h"

namespace ivm::test {

// With bounds of the column `ts`; a failure ends the program.
inline TableChanges between(TestWarehouse &warehouse, const iceberg::Table &from,
                            const iceberg::Table &to, const QStringList &columns = {})
{
    return valueOf(catalog::fileChanges(warehouse.io, to.metadata,
                                        {.table = to.name,
                                         .from = from.head(),
                                         .to = to.head(),
                                         .column = QStringLiteral("ts"),
                                         .columns = columns},
                                        {}));
}

}  // namespace ivm::test
