// SELECT … FROM … WHERE … GROUP BY … HAVING … ORDER BY … LIMIT.
#include "framework/sql/visit.h"
#include "plugins/executor_duckdb/translate/binder.h"
#include "plugins/executor_duckdb/translate/nested.h"
#include "plugins/executor_duckdb/translate/typing.h"

#include <algorithm>

namespace ivm::duckdb {

namespace {

// The name that an item gives to its column.
QString itemName(const sql::SelectItem &item)
{
    if (item.alias)
        return item.alias->value;
    if (const auto *column = sql::as<sql::ColumnReference>(item.expression))
        return column->name.value;
    if (const auto *column = sql::as<sql::Dereference>(item.expression))
        return column->field.value;
    return {};
}

// Binds one SELECT, clause by clause.
class SelectBinder {
public:
    SelectBinder(Binder &binder, const sql::Select &select, const sql::Query *tail,
                 OutputNames names)
        : m_binder(binder), m_select(select), m_tail(tail), m_names(names)
    {
    }

    Result<BoundQuery> run(const Scope *outer, const Grouping *grouping)
    {
        m_scope.outer = outer;
        m_scope.outerGrouping = grouping;
        IVM_CHECK(bindFrom());
        IVM_CHECK(bindWhere());
        m_aggregated = isAggregated();
        IVM_CHECK(bindGroups());
        IVM_CHECK(bindItems());
        IVM_CHECK(bindHaving());
        IVM_CHECK(bindOrder());
        return print();
    }

private:
    struct Item {
        Output output;
        Bound value;
        sql::Span span;
    };

    Context context(QStringView clause) const
    {
        return {.scope = &m_scope,
                .clause = clause,
                .aggregates = true,
                .grouping = m_aggregated ? &m_grouping : nullptr};
    }

    Status bindFrom()
    {
        for (const auto &relation : m_select.from) {
            IVM_TRY(const BoundFrom from,
                    m_binder.relation(relation, m_scope.outer, m_scope.outerGrouping));
            m_from.append(from.sql);
            m_scope.fields.insert(m_scope.fields.end(), from.fields.begin(), from.fields.end());
        }
        return {};
    }

    Status bindWhere()
    {
        if (!m_select.where)
            return {};
        IVM_TRY(const Bound where,
                m_binder.condition(m_select.where, {.scope = &m_scope, .clause = u"WHERE"}));
        m_where = where.sql;
        return {};
    }

    bool isAggregated() const
    {
        const auto &items = m_select.items;
        const bool inItems =
            std::any_of(items.begin(), items.end(), [](const sql::SelectItem &item) {
                return !item.star && hasAggregate(item.expression);
            });
        const bool inOrder =
            m_tail && std::any_of(m_tail->orderBy.begin(), m_tail->orderBy.end(),
                                  [](const sql::SortItem &item) { return hasAggregate(item.key); });
        return m_select.groupBy || m_select.having || inItems || inOrder;
    }

    Status bindGroups()
    {
        if (!m_select.groupBy)
            return {};
        for (const auto &element : m_select.groupBy->elements) {
            if (element.kind != sql::GroupingElement::Kind::Simple ||
                m_select.groupBy->quantifier == sql::SetQuantifier::Distinct) {
                return m_binder.unsupported(
                    element.span, u"unsupported_query",
                    QStringLiteral(
                        "GROUPING SETS, ROLLUP and CUBE are not in the embedded engine"));
            }
            for (const auto &expr : element.sets[0].expressions)
                IVM_CHECK(bindGroup(expr));
        }
        return {};
    }

    Status bindGroup(const sql::ExprPtr &expr)
    {
        IVM_TRY(const auto position, m_binder.ordinal(expr, m_select.items.size(), u"GROUP BY"));
        sql::ExprPtr key = expr;
        if (position) {
            const auto &item = m_select.items[*position];
            if (starBefore(*position)) {
                return m_binder.unsupported(
                    expr->span, u"unsupported_query",
                    QStringLiteral(
                        "GROUP BY a position at or after * is not in the embedded engine"),
                    QStringLiteral("Name the columns"));
            }
            key = item.expression;
        }
        if (hasSubquery(key))
            return m_binder.unsupported(
                key->span, u"unsupported_query",
                QStringLiteral("GROUP BY a subquery is not in the embedded engine"));
        IVM_TRY(Bound bound, m_binder.expression(key, {.scope = &m_scope, .clause = u"GROUP BY"}));
        if (!m_grouping.contains(bound.sql) && !isComparable(bound.type)) {
            IVM_TRY(bound.sql, canonicalColumn(bound, key->span));
        }
        m_grouping.insert(bound.sql);
        if (!m_groups.contains(bound.sql))
            m_groups.append(bound.sql);
        return {};
    }

    // Maps are grouped by in one order of their keys, which then is that of the column.
    Result<QString> canonicalColumn(const Bound &key, sql::Span span)
    {
        const auto column = std::find_if(m_scope.fields.begin(), m_scope.fields.end(),
                                         [&](const Field &field) { return field.sql == key.sql; });
        if (column == m_scope.fields.end() || !isEquatable(key.type))
            IVM_CHECK(m_binder.requireOrderable(key.type, span, u"GROUP BY"));
        column->sql = canonicalText(key.type, key.sql);
        return column->sql;
    }

    // Whether * stands at the position or before it, so that positions are not those of the items.
    bool starBefore(size_t position) const
    {
        return std::any_of(m_select.items.begin(), m_select.items.begin() + qsizetype(position) + 1,
                           [](const sql::SelectItem &item) { return item.star; });
    }

    Status bindItems()
    {
        Context inItems = context(u"SELECT");
        inItems.windows = true;
        for (const auto &item : m_select.items) {
            if (item.star) {
                IVM_CHECK(bindStar(item));
                continue;
            }
            IVM_TRY(Bound value, m_binder.expression(item.expression, inItems));
            IVM_CHECK(checkOutput(value, item.span));
            if (m_select.quantifier == sql::SetQuantifier::Distinct)
                value.sql = canonicalText(value.type, value.sql);
            m_items.push_back({{itemName(item), value.type}, value, item.span});
        }
        return {};
    }

    Status bindStar(const sql::SelectItem &item)
    {
        if (!item.columnAliases.empty())
            return m_binder.unsupported(
                item.span, u"unsupported_query",
                QStringLiteral("t.* with column aliases is not in the embedded "
                               "engine"));
        QStringList qualifier;
        if (item.expression) {
            for (const auto &name : sql::nameChain(item.expression))
                qualifier.append(name.value);
        }
        const size_t before = m_items.size();
        for (const auto &field : m_scope.fields) {
            const bool wanted = !item.expression || !qualifier.isEmpty();
            if (!wanted || field.hidden || !isQualifiedBy(field, qualifier))
                continue;
            Bound value{.sql = field.sql, .type = field.type};
            if (!m_grouping.contains(field.sql))
                value.loose = LooseColumn{field.name, item.span};
            IVM_CHECK(checkOutput(value, item.span));
            if (m_select.quantifier == sql::SetQuantifier::Distinct)
                value.sql = canonicalText(value.type, value.sql);
            m_items.push_back({{field.name, field.type}, value, item.span});
        }
        if (m_items.size() > before)
            return {};
        if (!item.expression)
            return m_binder.invalid(item.span, u"unknown_column",
                                    QStringLiteral("SELECT * needs a FROM"));
        return m_binder.invalid(
            item.span, u"unknown_column",
            QStringLiteral("there is no table '%1' in FROM").arg(qualifier.join(u'.')));
    }

    // What a query returns, DuckDB has to be able to hold; what it groups, it has to group.
    Status checkOutput(const Bound &value, sql::Span span) const
    {
        IVM_CHECK(checkLoose(value));
        if (const auto type = duckdbType(value.type); !type)
            return fail(m_binder.at(span, type.error()));
        if (m_select.quantifier == sql::SetQuantifier::Distinct)
            return isEquatable(value.type)
                       ? Status()
                       : m_binder.requireOrderable(value.type, span, u"SELECT DISTINCT");
        return {};
    }

    Status checkLoose(const Bound &value) const
    {
        if (!m_aggregated || !value.loose)
            return {};
        return m_binder.invalid(
            value.loose->span, u"not_grouped",
            QStringLiteral("'%1' is neither grouped by nor inside an aggregate")
                .arg(value.loose->name),
            QStringLiteral("Add it to GROUP BY, or take min, max or arbitrary of it"));
    }

    Status bindHaving()
    {
        if (!m_select.having)
            return {};
        IVM_TRY(const Bound having,
                m_binder.boolean(m_select.having, context(u"HAVING"), u"HAVING"));
        IVM_CHECK(checkLoose(having));
        m_having = having.sql;
        return {};
    }

    Status bindOrder()
    {
        if (!m_tail)
            return {};
        std::vector<NamedOutput> outputs;
        for (const auto &item : m_items) {
            if (!item.output.name.isEmpty())
                outputs.push_back({item.output.name, &item.value});
        }
        Context inOrder = context(u"ORDER BY");
        inOrder.windows = true;
        inOrder.outputs = &outputs;
        for (const auto &item : m_tail->orderBy) {
            IVM_TRY(const auto ordinal, m_binder.ordinal(item.key, m_items.size(), u"ORDER BY"));
            Bound bound;
            if (ordinal) {
                bound = m_items[*ordinal].value;
            } else {
                IVM_TRY(bound, m_binder.expression(item.key, inOrder));
                IVM_CHECK(checkLoose(bound));
            }
            IVM_TRY(const QString key, m_binder.sortKey(bound.sql, bound.type, item.key->span));
            const auto position = ordinal && key == bound.sql ? ordinal : positionOf(key);
            if (!position && m_select.quantifier == sql::SetQuantifier::Distinct) {
                return m_binder.invalid(
                    item.key->span, u"not_projected",
                    QStringLiteral("with SELECT DISTINCT, ORDER BY takes what is "
                                   "selected"));
            }
            m_order.append((position ? QString::number(*position + 1) : key) +
                           Binder::direction(item));
        }
        IVM_TRY(m_limits, m_binder.limits(*m_tail));
        return {};
    }

    std::optional<size_t> positionOf(const QString &sql) const
    {
        for (size_t i = 0; i < m_items.size(); ++i) {
            if (m_items[i].value.sql == sql)
                return i;
        }
        return std::nullopt;
    }

    BoundQuery print() const
    {
        std::vector<Output> outputs;
        for (const auto &item : m_items)
            outputs.push_back(item.output);
        QStringList items;
        for (size_t i = 0; i < outputs.size(); ++i)
            items.append(m_items[i].value.sql + QStringLiteral(" AS ") +
                         outputName(outputs, i, m_names));
        QString text = m_select.quantifier == sql::SetQuantifier::Distinct
                           ? QStringLiteral("SELECT DISTINCT ")
                           : QStringLiteral("SELECT ");
        text += items.join(QStringLiteral(", "));
        if (!m_from.isEmpty())
            text += QStringLiteral(" FROM ") + m_from.join(QStringLiteral(", "));
        if (!m_where.isEmpty())
            text += QStringLiteral(" WHERE ") + m_where;
        if (!m_groups.isEmpty())
            text += QStringLiteral(" GROUP BY ") + m_groups.join(QStringLiteral(", "));
        else if (m_select.groupBy)
            text += QStringLiteral(" GROUP BY ()");
        if (!m_having.isEmpty())
            text += QStringLiteral(" HAVING ") + m_having;
        if (!m_order.isEmpty())
            text += QStringLiteral(" ORDER BY ") + m_order.join(QStringLiteral(", "));
        return {text + m_limits, std::move(outputs)};
    }

    Binder &m_binder;
    const sql::Select &m_select;
    const sql::Query *m_tail;
    OutputNames m_names;
    bool m_aggregated = false;
    Scope m_scope;
    Grouping m_grouping;
    std::vector<Item> m_items;
    QStringList m_from;
    QStringList m_groups;
    QStringList m_order;
    QString m_where;
    QString m_having;
    QString m_limits;
};

}  // namespace

Result<BoundQuery> Binder::select(const sql::Select &select, const sql::Query *tail,
                                  const Scope *outer, const Grouping *grouping, OutputNames names)
{
    return SelectBinder(*this, select, tail, names).run(outer, grouping);
}

}  // namespace ivm::duckdb
