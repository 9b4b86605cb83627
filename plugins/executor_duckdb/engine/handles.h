// DuckDB's handles, each freed at the end of its scope.
//
// Threads: as the handle. Not copied, not moved.
#pragma once

#include <duckdb.h>

namespace ivm::duckdb {

struct Answer {
    duckdb_result handle{};
    Answer() = default;
    ~Answer() { duckdb_destroy_result(&handle); }
    Answer(const Answer &) = delete;
    Answer &operator=(const Answer &) = delete;
};

struct Prepared {
    duckdb_prepared_statement handle = nullptr;
    Prepared() = default;
    ~Prepared() { duckdb_destroy_prepare(&handle); }
    Prepared(const Prepared &) = delete;
    Prepared &operator=(const Prepared &) = delete;
};

struct Pending {
    duckdb_pending_result handle = nullptr;
    Pending() = default;
    ~Pending() { duckdb_destroy_pending(&handle); }
    Pending(const Pending &) = delete;
    Pending &operator=(const Pending &) = delete;
};

struct Chunk {
    duckdb_data_chunk handle;
    explicit Chunk(duckdb_data_chunk chunk) : handle(chunk) {}
    ~Chunk() { duckdb_destroy_data_chunk(&handle); }
    Chunk(const Chunk &) = delete;
    Chunk &operator=(const Chunk &) = delete;
};

struct LogicalType {
    duckdb_logical_type handle;
    explicit LogicalType(duckdb_logical_type type) : handle(type) {}
    ~LogicalType() { duckdb_destroy_logical_type(&handle); }
    LogicalType(const LogicalType &) = delete;
    LogicalType &operator=(const LogicalType &) = delete;
};

}  // namespace ivm::duckdb
