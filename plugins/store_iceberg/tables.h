// The tables of both stores: their names, columns and comments.
//
// Plain data and pure functions; any thread. The columns of the history's first two are what other
// programs read, and stay.
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

struct StateTables {
    TableName views;
    TableName leases;
    TableName records;
};

StateTables stateTables(const QString &catalog, const QString &schema);
QList<TableSpec> tableSpecs(const StateTables &tables);

// The partition of a row with this key: rows of two partitions can be written at the same time,
// those of one can not, so two that write one key never both succeed.
QString shardOf(const QString &key);

}  // namespace ivm::store_iceberg
