// From Trino's SQL to a syntax tree.
//
// Pure functions, safe in any thread; the tree keeps nothing of the text. Errors are Invalid with
// code `syntax` and the line and column in `place` (its `file` is left to the caller): "found ')',
// expected an expression". Text of any bytes is fine: it is parsed or refused, in time proportional
// to its length.
#pragma once

#include "framework/base/result.h"
#include "framework/sql/ast.h"
#include "framework/sql/statement.h"

namespace ivm::sql {

// Longer texts are refused before they are read, in UTF-16 units.
inline constexpr qsizetype kMaxTextLength = 1024 * 1024;
// How many levels of parentheses, subqueries, calls … may lie inside one another.
inline constexpr int kMaxDepth = 500;

// One query: SELECT, VALUES, WITH …, which one semicolon may end; its span is without that.
Result<Query> parseQuery(QStringView sql);

// One expression and nothing else.
Result<ExprPtr> parseExpression(QStringView sql);

// One statement, which one semicolon may end. A statement of Trino that is not in statement.h is
// refused by name with kind Unsupported and code `unsupported_statement`.
Result<Statement> parseStatement(QStringView sql);

// A type as it stands in CAST or in a column's definition: "decimal(10, 2)", "timestamp(6) with
// time zone".
Result<TypePtr> parseType(QStringView sql);

// A table's or function's name of one to any number of parts, quoted parts allowed:
// `iceberg.main."My Table"`.
Result<QualifiedName> parseName(QStringView sql);

}  // namespace ivm::sql
