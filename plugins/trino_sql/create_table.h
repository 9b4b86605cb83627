// Reads back what SHOW CREATE TABLE prints.
//
// Pure functions; any thread. Source: Trino's `SqlFormatter`.
#pragma once

#include "framework/api/table.h"

namespace ivm::trino {

struct CreateTable {
    QList<Column> columns;
    QList<PartitionField> partitioning;
    QStringList sortedBy;
    QString comment;
};

// Corrupt when the text is no CREATE TABLE; Unsupported, naming the column, for types this product
// does not know.
Result<CreateTable> readCreateTable(QStringView text);

}  // namespace ivm::trino
