// One DuckDB instance in this process: no files of its own, no network, no extensions beyond those
// inside the library.
//
// Threads: any. Lifetime: outlives its connections (they share it).
#pragma once

#include "framework/base/result.h"

#include <duckdb.h>

#include <atomic>
#include <memory>

namespace ivm::duckdb {

struct DatabaseOptions {
    QString spillFolder;  // for what does not fit into memory; made when first needed. Empty: never
                          // spill
    int threads = 0;      // 0: as many as there are cores
    QString memoryLimit;  // as DuckDB spells it, "2GB"; empty: four fifths of the machine
};

class Database {
public:
    // Invalid, naming the option; Unavailable when the engine can't start.
    static Result<std::shared_ptr<Database>> open(const DatabaseOptions &options);

    explicit Database(duckdb_database handle) : m_handle(handle) {}
    ~Database();
    Database(const Database &) = delete;
    Database &operator=(const Database &) = delete;

    duckdb_database handle() const { return m_handle; }

    // After a fatal error every statement on the instance fails: make a new one.
    void setBroken() { m_broken = true; }
    bool isBroken() const { return m_broken; }

private:
    duckdb_database m_handle;
    std::atomic<bool> m_broken = false;
};

}  // namespace ivm::duckdb
