// Making and dropping schemas and tables, and showing what there is: statements that never need the
// engine.
//
// Threads: the session's. Errors: those of Session::run().
#pragma once

#include "framework/api/executor.h"
#include "framework/sql/statement.h"
#include "plugins/executor_duckdb/table/warehouse_folder.h"

namespace ivm::duckdb {

enum class MissingSchema { Fail, Make };

// What every way to make a table goes through. Columns keep what Iceberg keeps of their types
// (iceberg::storedType). AlreadyExists; NotFound (schema); Invalid; Unsupported, naming the column
// or the transform.
Result<iceberg::Table> createTable(WarehouseFolder &warehouse, const TableSpec &spec,
                                   MissingSchema missingSchema);
// NotFound. Files go after the table's name; what can't be removed is only logged.
Status dropTable(WarehouseFolder &warehouse, const TableName &name);

// The entries of the catalog whose metadata lies in a folder, however their locations are spelled.
Result<QList<TableName>> tablesIn(const QString &folder, iceberg::Catalog &catalog);

struct TableProperties {
    QList<PartitionField> partitioning = {};
    QStringList sortedBy = {};
    QString format = QStringLiteral("PARQUET");
};
// WITH (…) of CREATE TABLE. Invalid, Unsupported, with the place of the property.
Result<TableProperties> tableProperties(const std::vector<sql::Property> &properties,
                                        QStringView text);
// ALTER TABLE … SET PROPERTIES: those that are named change, DEFAULT takes them back. As above.
Status setProperties(iceberg::TableMetadata &metadata, const std::vector<sql::Property> &properties,
                     QStringView text);

// What CREATE TABLE asks for. Invalid, Unsupported, with the place.
Result<TableSpec> tableSpec(const sql::CreateTable &statement, const TableName &name,
                            QStringView text);
Result<iceberg::NewTable> newTable(const TableSpec &spec, const WarehouseFolder &warehouse,
                                   qint64 nowMs);

Result<StatementResult> runCreateSchema(const sql::CreateSchema &statement,
                                        WarehouseFolder &warehouse);
Result<StatementResult> runDropSchema(const sql::DropSchema &statement, WarehouseFolder &warehouse);
Result<StatementResult> runCreateTable(const sql::CreateTable &statement,
                                       WarehouseFolder &warehouse, QStringView text);
Result<StatementResult> runDropTable(const sql::DropTable &statement, WarehouseFolder &warehouse);

Result<StatementResult> runShowTables(const sql::ShowTables &statement, WarehouseFolder &warehouse,
                                      RowSink &sink);
Result<StatementResult> runShowSchemas(const sql::ShowSchemas &statement,
                                       WarehouseFolder &warehouse, RowSink &sink);
Result<StatementResult> runShowColumns(const sql::ShowColumns &statement,
                                       WarehouseFolder &warehouse, RowSink &sink);

// A schema's name of one or two parts. NotFound for another catalog.
Result<QString> schemaName(const sql::QualifiedName &name, const TableName &defaults);

}  // namespace ivm::duckdb
