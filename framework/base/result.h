// Result<T>: a value or an Error. Return early with the two macros; there is no exception in the
// framework.
#pragma once

#include "framework/base/error.h"

#include <expected>
#include <utility>

namespace ivm {

template <typename T>
using Result = std::expected<T, Error>;

// The outcome of something that gives no value.
using Status = std::expected<void, Error>;

// The failed side, from one of the makers: `return fail(notFoundError(...));`
inline std::unexpected<Error> fail(Error error) { return std::unexpected<Error>(std::move(error)); }

}  // namespace ivm

#define IVM_CONCAT_(a, b) a##b
#define IVM_CONCAT(a, b) IVM_CONCAT_(a, b)

// IVM_TRY(auto rows, session.query(sql, call)): the value, or return the error from this function.
#define IVM_TRY(declaration, ...)                                                                  \
    IVM_TRY_(IVM_CONCAT(ivmResult_, __COUNTER__), declaration, __VA_ARGS__)
#define IVM_TRY_(result, declaration, ...)                                                         \
    auto result = (__VA_ARGS__);                                                                   \
    if (!result.has_value())                                                                       \
        return std::unexpected(std::move(result).error());                                         \
    declaration = *std::move(result)

// IVM_CHECK(store.save(bookmark)): go on, or return the error from this function.
#define IVM_CHECK(...)                                                                             \
    do {                                                                                           \
        if (auto ivmStatus = (__VA_ARGS__); !ivmStatus)                                            \
            return std::unexpected(std::move(ivmStatus).error());                                  \
    } while (false)
