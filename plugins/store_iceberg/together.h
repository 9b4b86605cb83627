// What several statements select, as one: a server plans and schedules each for longer than it
// reads a small table.
//
// Pure functions; any thread.
#pragma once

#include "framework/api/rows.h"

namespace ivm::store_iceberg {

// One of them: it selects `columns`, in their order.
struct Part {
    QString sql;
    QList<Column> columns;
};

// The rows of all parts, in no order.
QString togetherSql(const QList<Part> &parts);

// The rows of each part again, from those of togetherSql(). Corrupt: rows of another statement.
Result<QList<Rows>> apart(const QList<Part> &parts, Rows rows);

}  // namespace ivm::store_iceberg
