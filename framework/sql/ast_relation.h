// What stands in FROM. ast.h says what holds for all nodes.
#pragma once

#include "framework/sql/ast_call.h"

namespace ivm::sql {

// FOR VERSION AS OF x, FOR TIMESTAMP AS OF x.
struct QueryPeriod {
    enum class Kind { Version, Timestamp };
    Kind kind = Kind::Version;
    ExprPtr end;
    Span span;  // from FOR to the end of x
    auto fields() const { return std::tie(kind, end); }
};
struct Table {
    QualifiedName name;
    std::optional<QueryPeriod> period;
    auto fields() const { return std::tie(name, period); }
};
struct SubqueryRelation {
    QueryPtr query;
    auto fields() const { return std::tie(query); }
};
struct Lateral {
    QueryPtr query;
    auto fields() const { return std::tie(query); }
};
struct Unnest {
    std::vector<ExprPtr> expressions;
    bool withOrdinality = false;
    auto fields() const { return std::tie(expressions, withOrdinality); }
};

// A table handed to a table function: TABLE(t) or TABLE(SELECT …), with how it is split and sorted.
struct TableArgument {
    enum class Empty { Unsaid, Prune, Keep };
    RelationPtr relation;  // a Table or a SubqueryRelation, perhaps with an alias
    std::optional<std::vector<ExprPtr>> partitionBy;
    Empty whenEmpty = Empty::Unsaid;
    std::vector<SortItem> orderBy;
    auto fields() const { return std::tie(relation, partitionBy, whenEmpty, orderBy); }
};
struct DescriptorField {
    Identifier name;
    TypePtr type;  // null when absent
    auto fields() const { return std::tie(name, type); }
};
// DESCRIPTOR(a, b bigint); without fields: CAST(NULL AS DESCRIPTOR).
struct DescriptorArgument {
    std::vector<DescriptorField> descriptorFields;
    auto fields() const { return std::tie(descriptorFields); }
};
struct TableFunctionArgument {
    std::optional<Identifier> name;
    std::variant<ExprPtr, TableArgument, DescriptorArgument> value;
    Span span;
    auto fields() const { return std::tie(name, value); }
};
// TABLE(name(…)).
struct TableFunction {
    QualifiedName name;
    std::vector<TableFunctionArgument> arguments;
    std::vector<std::vector<QualifiedName>> copartitions;
    auto fields() const { return std::tie(name, arguments, copartitions); }
};

// Only where a relation in parentheses gets another alias or sample than its own: (a AS x) AS y.
struct ParenthesizedRelation {
    RelationPtr relation;
    auto fields() const { return std::tie(relation); }
};

struct Join {
    enum class Kind { Cross, Inner, Left, Right, Full };
    struct On {
        ExprPtr condition;
        auto fields() const { return std::tie(condition); }
    };
    struct Using {
        std::vector<Identifier> columns;
        auto fields() const { return std::tie(columns); }
    };
    struct Natural {
        auto fields() const { return std::tie(); }
    };
    Kind kind = Kind::Inner;
    RelationPtr left;
    RelationPtr right;
    std::variant<std::monostate, On, Using, Natural> criteria;  // monostate with Cross only
    auto fields() const { return std::tie(kind, left, right, criteria); }
};

struct Alias {
    Identifier name;
    std::vector<Identifier> columns;
    Span span;
    auto fields() const { return std::tie(name, columns); }
};
struct Sample {
    enum class Method { Bernoulli, System };
    Method method = Method::Bernoulli;
    ExprPtr percentage;
    Span span;
    auto fields() const { return std::tie(method, percentage); }
};

struct Relation {
    using Node = std::variant<Table, SubqueryRelation, Lateral, Unnest, TableFunction, Join,
                              ParenthesizedRelation>;
    Node node;
    std::optional<Alias> alias;
    std::optional<Sample> sample;
    Span span;  // with alias, sample and parentheses

    auto fields() const { return std::tie(node, alias, sample); }
};

template <typename Node>
const Node *as(const RelationPtr &relation)
{
    return relation ? std::get_if<Node>(&relation->node) : nullptr;
}

}  // namespace ivm::sql
