// From a syntax tree back to Trino's SQL, on one line, with as few parentheses as keep the meaning.
//
// Pure functions, safe in any thread. Parsing what was printed gives a structurally equal tree
// (equal.h). Columns, tables and aliases are always quoted; names of functions and types only where
// they need it.
#pragma once

#include "framework/sql/ast.h"
#include "framework/sql/statement.h"

namespace ivm::sql {

QString print(const Query &query);
QString print(const Expr &expr);
inline QString print(const ExprPtr &expr) { return print(*expr); }
QString print(const Relation &relation);
QString print(const Type &type);
inline QString print(const TypePtr &type) { return print(*type); }
QString print(const Statement &statement);
QString print(const QualifiedName &name);

// "name", with " doubled.
QString quoteIdentifier(QStringView name);
// 'text', with ' doubled.
QString quoteString(QStringView text);

}  // namespace ivm::sql
