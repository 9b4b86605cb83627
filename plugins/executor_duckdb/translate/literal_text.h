// Reads the texts of literals as Trino does and writes them for DuckDB.
//
// Pure functions; any thread. Nothing is returned where Trino or the embedded engine does not take
// the text.
#pragma once

#include "framework/api/types.h"
#include "framework/sql/ast.h"

#include <optional>

namespace ivm::duckdb {

// A quoted DuckDB string; a zero character is written with chr(0), which ends no statement early.
std::optional<QString> stringText(const QString &value);

// The type of a decimal's digits: "1.50" has decimal(3,2). Leading zeros do not count.
std::optional<Type> decimalLiteralType(QStringView text);

struct Moment {
    Type type;
    QString text;  // as DuckDB reads it
};
// "2001-1-31"; years 0001 to 9999.
std::optional<Moment> parseDate(QStringView text);
// "2001-1-31", "2001-01-31 12:00", "2001-01-31 12:00:00.123456 UTC": at most six digits, and no
// zone but UTC or a distance from it, as in "2001-01-31 12:00 +05:30"; the text has it behind.
std::optional<Moment> parseTimestamp(QStringView text);

// Milliseconds, or months for YEAR and MONTH; within what 100,000 years have.
std::optional<qint64> intervalLength(const sql::IntervalLiteral &literal);

// The text of BIGINT '12', DOUBLE '1e3', BOOLEAN 'true'.
std::optional<QString> plainLiteralText(const Type &type, const QString &value);

}  // namespace ivm::duckdb
