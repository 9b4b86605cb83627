#include "framework/view/columns.h"

#include "framework/sql/visit.h"

#include <set>

namespace ivm {

namespace {

// The dotted path of a chain of dereferences over a bare name, lower case; empty when it is none.
QStringList pathOf(const sql::ExprPtr &expr)
{
    if (const auto *column = sql::as<sql::ColumnReference>(expr))
        return {column->name.value.toLower()};
    if (const auto *field = sql::as<sql::Dereference>(expr)) {
        QStringList path = pathOf(field->base);
        if (!path.isEmpty())
            path.append(field->field.value.toLower());
        return path;
    }
    return {};
}

class ColumnCollector {
public:
    explicit ColumnCollector(const RelationNames &names) : m_names(names) {}

    void collect(const sql::Query &query) { sql::visit(query, visitor()); }

    QStringList result() const { return QStringList(m_columns.begin(), m_columns.end()); }

private:
    sql::Visitor visitor()
    {
        sql::Visitor visitor;
        visitor.expression = [this](const sql::ExprPtr &expr) { return take(expr); };
        return visitor;
    }

    sql::Walk take(const sql::ExprPtr &expr)
    {
        if (const auto *lambda = sql::as<sql::Lambda>(expr)) {
            takeLambda(*lambda);
            return sql::Walk::Skip;
        }
        // A qualified name is a column's, also where a parameter has the same.
        const QStringList path = pathOf(expr);
        if (!path.isEmpty() && m_lambdaParameters.contains(path.front()))
            return sql::Walk::Skip;
        if (const auto column = m_names.column(expr)) {
            m_columns.insert(*column);
            return sql::Walk::Skip;
        }
        return sql::Walk::Into;
    }

    void takeLambda(const sql::Lambda &lambda)
    {
        const auto outside = m_lambdaParameters;
        for (const auto &parameter : lambda.parameters)
            m_lambdaParameters.insert(parameter.value.toLower());
        sql::visit(lambda.body, visitor());
        m_lambdaParameters = outside;
    }

    const RelationNames &m_names;
    std::set<QString> m_lambdaParameters;
    std::set<QString> m_columns;
};

}  // namespace

bool RelationNames::qualifies(const QStringList &qualifier) const
{
    return !qualifier.isEmpty() && qualifier.size() <= parts.size() &&
           qualifier == parts.last(qualifier.size());
}

std::optional<QString> RelationNames::column(const sql::ExprPtr &expr) const
{
    const QStringList path = pathOf(expr);
    if (path.size() == 1)
        return path.front();
    if (!path.isEmpty() && qualifies(path.first(path.size() - 1)))
        return path.back();
    return {};
}

RelationNames relationNames(const sql::Relation &relation)
{
    if (relation.alias)
        return {{relation.alias->name.value.toLower()}};
    RelationNames names;
    if (const auto *table = std::get_if<sql::Table>(&relation.node)) {
        for (const auto &part : table->name.parts)
            names.parts.append(part.value.toLower());
    }
    return names;
}

QStringList usedColumns(const sql::Query &query, const RelationNames &names)
{
    // It orders rows that a view keeps in none, and may name outputs.
    sql::Query unordered = query;
    unordered.orderBy.clear();
    ColumnCollector collector(names);
    collector.collect(unordered);
    return collector.result();
}

}  // namespace ivm
