#include "framework/sql/visit.h"

#include <algorithm>

namespace ivm::sql {

namespace {

// Goes through a node's fields() and calls back for the nodes that a visitor wants.
class Walker {
public:
    explicit Walker(const Visitor &visitor) : m_visitor(visitor) {}

    void walk(const ExprPtr &expr)
    {
        if (expr && (!m_visitor.expression || m_visitor.expression(expr) == Walk::Into))
            walk(expr->node);
    }
    void walk(const Relation &relation)
    {
        if (!m_visitor.relation || m_visitor.relation(relation) == Walk::Into)
            walkFields(relation);
    }
    void walk(const Query &query)
    {
        if (!m_visitor.query || m_visitor.query(query) == Walk::Into)
            walkFields(query);
    }
    template <typename T>
    void walk(const std::shared_ptr<const T> &node)
    {
        if (node)
            walk(*node);
    }
    template <typename T>
    void walk(const std::vector<T> &nodes)
    {
        for (const T &node : nodes)
            walk(node);
    }
    template <typename T>
    void walk(const std::optional<T> &node)
    {
        if (node)
            walk(*node);
    }
    template <typename... T>
    void walk(const std::variant<T...> &node)
    {
        std::visit([this](const auto &one) { walk(one); }, node);
    }
    template <typename T>
    void walk(const T &node)
    {
        if constexpr (requires { node.fields(); })
            walkFields(node);
    }
    template <typename T>
    void walkFields(const T &node)
    {
        std::apply([this](const auto &...field) { (walk(field), ...); }, node.fields());
    }

private:
    const Visitor &m_visitor;
};

// Finds tables while keeping the names that WITH defines, innermost last.
class TableFinder {
public:
    using Call = std::function<void(const Table &, const Relation &)>;

    explicit TableFinder(const Call &call) : m_call(call)
    {
        m_visitor.query = [this](const Query &query) {
            find(query);
            return Walk::Skip;
        };
        m_visitor.relation = [this](const Relation &relation) {
            const auto *table = std::get_if<Table>(&relation.node);
            if (table && !isDefined(table->name))
                m_call(*table, relation);
            return Walk::Into;
        };
    }

    void find(const Query &query)
    {
        const size_t outer = m_defined.size();
        if (query.with) {
            for (const NamedQuery &named : query.with->queries) {
                if (query.with->recursive)
                    m_defined.push_back(named.name.value);
                find(*named.query);
                if (!query.with->recursive)
                    m_defined.push_back(named.name.value);
            }
        }
        Walker walker(m_visitor);
        walker.walk(query.body);
        walker.walk(query.orderBy);
        m_defined.resize(outer);
    }

private:
    bool isDefined(const QualifiedName &name) const
    {
        return name.parts.size() == 1 && std::ranges::any_of(m_defined, [&](const QString &one) {
                   return sameName(one, name.last().value);
               });
    }

    const Call &m_call;
    Visitor m_visitor;
    std::vector<QString> m_defined;
};

}  // namespace

void visit(const ExprPtr &expr, const Visitor &visitor) { Walker(visitor).walk(expr); }
void visit(const Relation &relation, const Visitor &visitor) { Walker(visitor).walk(relation); }
void visit(const Query &query, const Visitor &visitor) { Walker(visitor).walk(query); }
void visit(const Select &select, const Visitor &visitor) { Walker(visitor).walk(select); }
void visit(const Statement &statement, const Visitor &visitor) { Walker(visitor).walk(statement); }

void forEachExpression(const ExprPtr &expr, const std::function<void(const ExprPtr &)> &call)
{
    const Visitor visitor{.expression =
                              [&call](const ExprPtr &one) {
                                  call(one);
                                  return Walk::Into;
                              },
                          .relation = {},
                          .query = {}};
    visit(expr, visitor);
}

std::vector<Identifier> nameChain(const ExprPtr &expr)
{
    std::vector<Identifier> names;
    const Expr *at = expr.get();
    while (at) {
        if (const auto *column = std::get_if<ColumnReference>(&at->node)) {
            names.push_back(column->name);
            std::ranges::reverse(names);
            return names;
        }
        const auto *dereference = std::get_if<Dereference>(&at->node);
        if (!dereference)
            break;
        names.push_back(dereference->field);
        at = dereference->base.get();
    }
    return {};
}

void forEachTable(const Query &query,
                  const std::function<void(const Table &, const Relation &)> &call)
{
    TableFinder(call).find(query);
}

}  // namespace ivm::sql
