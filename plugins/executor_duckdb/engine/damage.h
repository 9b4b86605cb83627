// What DuckDB says about files whose bytes are not what they have to be.
//
// Pure but for `answers`; any thread.
#pragma once

#include "framework/base/result.h"

#include <QSet>

#include <functional>

namespace ivm::duckdb {

bool isDamage(const QString &message);

// Corrupt, naming the file: the one that the message names, else the one of `files` whose footer
// cannot be read. `answers` runs a statement and says whether it worked.
Error damageError(const QString &message, const QSet<QString> &files,
                  const std::function<bool(const QString &)> &answers);

}  // namespace ivm::duckdb
