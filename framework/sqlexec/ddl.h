// Statements that make, replace, rename and drop tables.
//
// Pure functions; any thread. Source: Trino's documentation, "CREATE TABLE" and "Iceberg
// connector", "Table properties".
#pragma once

#include "framework/api/table.h"

namespace ivm {

// ARRAY['a', 'b'], as properties of tables have it.
QString arraySql(const QStringList &texts);

// CREATE TABLE with the spec's partitioning, sort order, format and comments, and further
// properties of the engine by name, their values literals; columns get the types an Iceberg table
// has. Invalid for no column; Unsupported for types that cannot be stored (columnType).
Result<QString> createTableSql(const TableSpec &spec, const QMap<QString, QString> &further = {});

// CREATE OR REPLACE TABLE … AS: one commit after which the table has the query's columns and rows,
// and the spec's partitioning, sort order, format and comment. The spec's columns do not matter.
// The table keeps its earlier snapshots, with the columns that they had.
QString replaceTableAsSql(const TableSpec &spec, const QString &query);

// The table's rows are those of an earlier snapshot again; no row is read or written, and columns
// and properties stay as they are.
QString rollbackSql(const TableName &table, SnapshotId snapshot);

QString renameTableSql(const TableName &from, const TableName &to);

QString createSchemaSql(const TableName &table);  // its schema, if that is missing
QString dropTableSql(const TableName &table);

}  // namespace ivm
