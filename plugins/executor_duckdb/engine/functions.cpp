#include "plugins/executor_duckdb/engine/functions.h"

#include "framework/iceberg/transform.h"
#include "plugins/executor_duckdb/engine/handles.h"

#include <QtEndian>

#include <array>

namespace ivm::duckdb {

namespace {

int hashOf(QByteArrayView bytes) { return int(iceberg::murmur3(bytes) & 0x7fffffffu); }

// Every whole number and time is hashed as an Iceberg long.
int hash(const qint64 &value)
{
    std::array<char, sizeof(value)> bytes{};
    qToLittleEndian(value, bytes.data());
    return hashOf({bytes.data(), qsizetype(bytes.size())});
}

int hash(const duckdb_hugeint &unscaled)
{
    std::array<char, sizeof(unscaled)> bytes{};
    qToBigEndian(unscaled.upper, bytes.data());
    qToBigEndian(unscaled.lower, bytes.data() + sizeof(unscaled.upper));
    return hashOf(iceberg::shortestDecimal({bytes.data(), qsizetype(bytes.size())}));
}

int hash(const duckdb_string_t &value)
{
    // The call takes no const pointer, and changes nothing.
    auto *text = const_cast<duckdb_string_t *>(&value);
    return hashOf({duckdb_string_t_data(text), qsizetype(duckdb_string_t_length(value))});
}

template <typename Argument>
void hashChunk(duckdb_function_info, duckdb_data_chunk input, duckdb_vector output)
{
    const duckdb_vector vector = duckdb_data_chunk_get_vector(input, 0);
    uint64_t *validity = duckdb_vector_get_validity(vector);
    const auto *values = static_cast<const Argument *>(duckdb_vector_get_data(vector));
    auto *hashes = static_cast<int32_t *>(duckdb_vector_get_data(output));
    const idx_t size = duckdb_data_chunk_get_size(input);
    for (idx_t row = 0; row < size; ++row) {
        if (!validity || duckdb_validity_row_is_valid(validity, row)) {
            hashes[row] = hash(values[row]);
            continue;
        }
        duckdb_vector_ensure_validity_writable(output);
        duckdb_validity_set_row_invalid(duckdb_vector_get_validity(output), row);
    }
}

struct Function {
    duckdb_scalar_function handle = duckdb_create_scalar_function();
    Function() = default;
    ~Function() { duckdb_destroy_scalar_function(&handle); }
    Function(const Function &) = delete;
    Function &operator=(const Function &) = delete;
};

bool registerHash(duckdb_connection connection, duckdb_type argument, duckdb_scalar_function_t run)
{
    const Function function;
    const LogicalType parameter(duckdb_create_logical_type(argument));
    const LogicalType result(duckdb_create_logical_type(DUCKDB_TYPE_INTEGER));
    duckdb_scalar_function_set_name(function.handle, "ivm_hash");
    duckdb_scalar_function_add_parameter(function.handle, parameter.handle);
    duckdb_scalar_function_set_return_type(function.handle, result.handle);
    duckdb_scalar_function_set_function(function.handle, run);
    return duckdb_register_scalar_function(connection, function.handle) == DuckDBSuccess;
}

}  // namespace

Status registerFunctions(duckdb_database database)
{
    duckdb_connection connection = nullptr;
    const bool known = duckdb_connect(database, &connection) == DuckDBSuccess &&
                       registerHash(connection, DUCKDB_TYPE_BIGINT, hashChunk<qint64>) &&
                       registerHash(connection, DUCKDB_TYPE_HUGEINT, hashChunk<duckdb_hugeint>) &&
                       registerHash(connection, DUCKDB_TYPE_BLOB, hashChunk<duckdb_string_t>);
    duckdb_disconnect(&connection);
    if (known)
        return {};
    return fail(unavailableError(QStringLiteral("DuckDB took no functions of ours")));
}

}  // namespace ivm::duckdb
