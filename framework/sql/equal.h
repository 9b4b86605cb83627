// Whether two trees say the same, whatever their spans, quoting and letter case of names: is this
// GROUP BY expression that SELECT item? Literals are compared exactly ('A' is not 'a', 1.50 is
// not 1.5).
//
// Pure functions, safe in any thread. A null pointer equals only a null pointer.
#pragma once

#include "framework/sql/ast.h"
#include "framework/sql/statement.h"

namespace ivm::sql {

bool equal(const ExprPtr &a, const ExprPtr &b);
bool equal(const Query &a, const Query &b);
bool equal(const RelationPtr &a, const RelationPtr &b);
bool equal(const TypePtr &a, const TypePtr &b);
bool equal(const QualifiedName &a, const QualifiedName &b);
bool equal(const Statement &a, const Statement &b);

}  // namespace ivm::sql
