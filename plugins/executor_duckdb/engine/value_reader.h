// Reads one column of DuckDB's data chunks into values without loss, spelled as the column's Trino
// type asks.
//
// Threads: one at a time. Lifetime: independent of the result it was made for.
#pragma once

#include "framework/api/rows.h"

#include <duckdb.h>

namespace ivm::duckdb {

class ValueReader {
public:
    // `wanted` decides how values are spelled: digits of a second, Y-M or D H:M:S intervals.
    // Unknown: as DuckDB has them. Unsupported, naming `column`, for types that rows.h has no place
    // for.
    static Result<ValueReader> make(duckdb_logical_type type, const Type &wanted,
                                    QStringView column);

    // Corrupt where a number does not fit the wanted type (a HUGEINT for a bigint).
    Result<Value> read(duckdb_vector vector, idx_t row) const;

private:
    Result<Value> readValid(duckdb_vector vector, idx_t row) const;
    Result<Value> readHugeint(duckdb_vector vector, idx_t row) const;
    Value readDecimal(duckdb_vector vector, idx_t row) const;
    Result<Value> readList(duckdb_vector vector, idx_t row) const;
    Result<Value> readArray(duckdb_vector vector, idx_t row) const;
    Result<Value> readStruct(duckdb_vector vector, idx_t row) const;
    Result<Value> readMap(duckdb_vector vector, idx_t row) const;

    duckdb_type m_type = DUCKDB_TYPE_INVALID;
    duckdb_type m_storage = DUCKDB_TYPE_INVALID;  // of decimals and enums
    int m_scale = 0;
    idx_t m_arraySize = 0;
    Type m_wanted;
    QStringList m_enumValues;
    std::vector<ValueReader> m_children;
};

// The Trino type whose values are the same as those of a DuckDB type; for files that were not
// written by us. Unsupported, naming `column`, where there is none.
Result<Type> trinoType(duckdb_logical_type type, QStringView column);

}  // namespace ivm::duckdb
