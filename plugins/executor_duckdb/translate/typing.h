// Trino's rules about types: which converts to which by itself, and what several become together.
//
// Pure functions; any thread. Source: Trino's TypeCoercion and its documentation, "Data types".
#pragma once

#include "framework/api/types.h"

#include <optional>

namespace ivm::duckdb {

// The length of varchar(0), the type of ''; a Type's precision of 0 says "unbounded".
inline constexpr int kEmptyVarchar = -1;
// DuckDB's timestamps count microseconds.
inline constexpr int kMaxTimestampDigits = 6;

Type simpleType(TypeKind kind, int precision = 0);
Type decimalType(int precision, int scale);
// `length` code points, 0 included.
Type varcharType(qsizetype length);

// As Trino writes it, varchar(0) included.
QString typeText(const Type &type);
QString typeTexts(const QList<Type> &types);  // "integer, varchar(1)"

bool isTimestamp(const Type &type);  // either kind
bool isVarchar(const Type &type);
bool isInterval(const Type &type);
bool isNumeric(const Type &type);
// Values of the type can be compared, sorted and grouped alike by both engines.
bool isOrderable(const Type &type);

// What both convert to without being asked; nothing where there is no such type.
std::optional<Type> commonSuperType(const Type &a, const Type &b);
// Whether a value of `from` becomes one of `to` without being asked.
bool canCoerce(const Type &from, const Type &to);

}  // namespace ivm::duckdb
