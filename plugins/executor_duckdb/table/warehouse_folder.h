// A warehouse on local disk: a folder with the catalog in `catalog.db` and the tables' files beside
// it.
//
// Threads: any. Lifetime: outlives everything that it gives out. It is made by the first statement
// that writes; until then reading says that there is none.
#pragma once

#include "framework/iceberg/commit.h"

#include <memory>
#include <mutex>

namespace ivm::duckdb {

class WarehouseFolder {
public:
    // `defaults` names the catalog, and the schema that is made together with the warehouse. No
    // I/O.
    WarehouseFolder(QString folder, TableName defaults);

    // NotFound (code `no_warehouse`) when there is no catalog yet; Unavailable, Corrupt.
    Result<iceberg::Warehouse> reading();
    // Makes folder, catalog and default schema where they are missing. Unavailable, naming the
    // folder, when that fails.
    Result<iceberg::Warehouse> writing();

    const QString &folder() const { return m_folder; }
    QString uri() const { return fileUri(m_folder); }
    // For what the engine can't keep in memory; the engine makes it and removes it.
    QString spillFolder() const;
    // Those of this machine's processes that ended without doing so.
    void removeLeftSpillFolders() const;
    const TableName &defaults() const { return m_defaults; }

private:
    Result<std::unique_ptr<iceberg::Catalog>> open(iceberg::CatalogAccess access) const;
    iceberg::Warehouse with(iceberg::Catalog &catalog) { return {catalog, m_io, m_clock}; }

    QString m_folder;
    TableName m_defaults;
    iceberg::LocalFileIO m_io;
    SystemClock m_clock;
    std::mutex m_mutex;
    // Both stay until the end, since others may be inside a call.
    std::unique_ptr<iceberg::Catalog> m_reader;
    std::unique_ptr<iceberg::Catalog> m_writer;
};

}  // namespace ivm::duckdb
