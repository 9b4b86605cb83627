// What a statement of an author's does that `check` warns of.
//
// Pure; any thread.
#pragma once

#include "framework/api/table.h"

#include <chrono>
#include <optional>

namespace ivm::migrate {

// "random()", "current_timestamp": the first part of the statement that gives another answer each
// time; empty where there is none, or the statement cannot be read here.
QString volatilePart(const QString &statement);

// ALTER TABLE … EXECUTE expire_snapshots(retention_threshold => '1h').
struct Expiry {
    TableName table;
    std::chrono::milliseconds retention{0};
};
std::optional<Expiry> expiryOf(const QString &statement, const TableName &defaults);

}  // namespace ivm::migrate
