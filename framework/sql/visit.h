// Walks over syntax trees: every expression, relation and query inside one, parents first, in the
// order of the fields.
//
// Pure functions, safe in any thread. What a callback gets lives as long as the tree that was
// given.
#pragma once

#include "framework/sql/ast.h"
#include "framework/sql/statement.h"

#include <functional>

namespace ivm::sql {

// What a callback wants done with the node's own parts.
enum class Walk { Into, Skip };

// What is left empty is walked into without a call.
struct Visitor {
    std::function<Walk(const ExprPtr &)> expression;
    std::function<Walk(const Relation &)> relation;
    std::function<Walk(const Query &)> query;  // subqueries at any place; also the one given
};

void visit(const ExprPtr &expr, const Visitor &visitor);
void visit(const Relation &relation, const Visitor &visitor);
void visit(const Query &query, const Visitor &visitor);
void visit(const Select &select, const Visitor &visitor);
void visit(const Statement &statement, const Visitor &visitor);

// Every expression in `expr`, itself included; subqueries are walked into as well.
void forEachExpression(const ExprPtr &expr, const std::function<void(const ExprPtr &)> &call);

// a, t.a, t.a.b as its names from the left; empty for any other expression.
std::vector<Identifier> nameChain(const ExprPtr &expr);

// Every stored table that is named anywhere in the query: in FROM, in subqueries, in WITH, each
// mention once. Names that stand for a WITH query in whose scope they are do not count.
void forEachTable(const Query &query,
                  const std::function<void(const Table &, const Relation &)> &call);

}  // namespace ivm::sql
