// The tables of the history: their names, columns and comments.
//
// Plain data and pure functions; any thread. The columns of the first two are what other programs
// read: FORMATS, "Migration history".
#pragma once

#include "framework/api/table.h"

namespace ivm::store_iceberg {

struct HistoryTables {
    TableName history;
    TableName events;
    TableName views;
    TableName locks;

    QList<TableName> all() const { return {history, events, views, locks}; }
};

HistoryTables historyTables(const QString &catalog, const QString &schema);

// How they are made.
QList<TableSpec> tableSpecs(const HistoryTables &tables);

}  // namespace ivm::store_iceberg
