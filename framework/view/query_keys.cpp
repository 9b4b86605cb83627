#include "framework/view/query_keys.h"

#include "framework/sql/equal.h"
#include "framework/sql/parser.h"
#include "framework/sql/visit.h"
#include "framework/view/column_class.h"

#include <algorithm>
#include <numeric>

namespace ivm {

namespace {

class KeyReader {
public:
    KeyReader(const sql::Select &select, const RelationNames &names, const ViewShape &shape)
        : m_select(select), m_names(names), m_shape(shape)
    {
    }

    std::expected<QueryKeys, Refusal> run()
    {
        QueryKeys keys;
        if (m_select.groupBy) {
            if (auto refusal = readGroupBy(keys))
                return std::unexpected(*std::move(refusal));
        }
        const bool isAggregated = hasAggregates();
        if (m_select.groupBy && !keys.unselected) {
            keys.source = keys.grouped.isEmpty() ? KeySource::OneRow : KeySource::GroupBy;
            keys.keys = keys.grouped;
        } else if (!m_select.groupBy && (isAggregated || m_select.having)) {
            keys.source = KeySource::OneRow;
        } else if (m_select.quantifier == sql::SetQuantifier::Distinct && !isAggregated) {
            keys.source = KeySource::Distinct;
            keys.keys.resize(m_shape.columns.size());
            std::iota(keys.keys.begin(), keys.keys.end(), 0);
        }
        return keys;
    }

private:
    bool hasAggregates() const
    {
        return std::ranges::any_of(m_select.items,
                                   [](const auto &item) { return hasAggregate(item.expression); });
    }

    std::optional<Refusal> readGroupBy(QueryKeys &keys) const
    {
        for (const auto &element : m_select.groupBy->elements) {
            for (const auto &key : element.sets.front().expressions) {
                const auto index = outputOf(key);
                if (!index)
                    return index.error();
                if (*index)
                    keys.grouped.append(**index);
                else if (!keys.unselected)
                    keys.unselected = key;
            }
        }
        return {};
    }

    // The output column that a GROUP BY item stands for; none when it is not selected.
    std::expected<std::optional<qsizetype>, Refusal> outputOf(const sql::ExprPtr &key) const
    {
        const auto count = qsizetype(m_select.items.size());
        if (const auto *ordinal = sql::as<sql::IntegerLiteral>(key)) {
            if (ordinal->value >= 1 && ordinal->value <= count)
                return qsizetype(ordinal->value - 1);
            const auto message =
                QStringLiteral("GROUP BY %1 is not in the projection (it has %2 %3)")
                    .arg(ordinal->value)
                    .arg(count)
                    .arg(count == 1 ? u"column" : u"columns");
            return std::unexpected(Refusal{invalidError(message)
                                               .withCode(u"group_by_position")
                                               .withHint(u"Count the columns of SELECT from 1"),
                                           key->span.begin});
        }
        for (qsizetype i = 0; i < count; ++i) {
            if (sameExpression(key, m_select.items[size_t(i)].expression))
                return i;
        }
        return std::nullopt;
    }

    // t.origin and origin are the same column when t is the one relation, at any depth of an
    // expression.
    bool sameExpression(const sql::ExprPtr &a, const sql::ExprPtr &b) const
    {
        return sql::equal(a, b) || sql::equal(unqualified(a), unqualified(b));
    }

    // The expression with every column named by its last part alone; null where that is no
    // expression.
    sql::ExprPtr unqualified(const sql::ExprPtr &expr) const
    {
        QString text;
        qsizetype done = expr->span.begin;
        sql::forEachExpression(expr, [&](const sql::ExprPtr &part) {
            const auto *dereference = sql::as<sql::Dereference>(part);
            if (!dereference || !m_names.column(part))
                return;
            text += QStringView(m_shape.query).sliced(done, part->span.begin - done);
            done = dereference->field.span.begin;
        });
        text += QStringView(m_shape.query).sliced(done, expr->span.end - done);
        return sql::parseExpression(text).value_or(nullptr);
    }

    const sql::Select &m_select;
    const RelationNames &m_names;
    const ViewShape &m_shape;
};

}  // namespace

std::expected<QueryKeys, Refusal> readQueryKeys(const sql::Select &select,
                                                const RelationNames &names, const ViewShape &shape)
{
    return KeyReader(select, names, shape).run();
}

}  // namespace ivm
