// Statements that make and drop tables.
//
// Pure functions; any thread. Source: Trino's documentation, "CREATE TABLE" and "Iceberg
// connector", "Table properties".
#pragma once

#include "framework/api/table.h"

namespace ivm {

// CREATE TABLE with the spec's partitioning, sort order, format and comments, and further
// properties of the engine by name, their values literals; columns get the types an Iceberg table
// has. Invalid for no column; Unsupported for types that cannot be stored (columnType).
Result<QString> createTableSql(const TableSpec &spec, const QMap<QString, QString> &further = {});

QString createSchemaSql(const TableName &table);  // its schema, if that is missing
QString dropTableSql(const TableName &table);

}  // namespace ivm
