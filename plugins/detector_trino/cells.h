// Reads single values out of rows; what is NULL or of another type is nothing.
//
// Pure functions; any thread.
#pragma once

#include "framework/api/rows.h"

#include <optional>

namespace ivm::trino {

inline QString textIn(const Row &row, size_t index)
{
    const auto *text = index < row.size() ? std::get_if<QString>(&row[index].data) : nullptr;
    return text ? *text : QString();
}

inline std::optional<qint64> wholeIn(const Row &row, size_t index)
{
    const auto *whole = index < row.size() ? std::get_if<qint64>(&row[index].data) : nullptr;
    return whole ? std::optional(*whole) : std::nullopt;
}

}  // namespace ivm::trino
