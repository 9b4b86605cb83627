#include "framework/view/column_class.h"

#include "framework/sql/equal.h"
#include "framework/sql/visit.h"
#include "framework/view/functions.h"

#include <algorithm>

namespace ivm {

namespace {

ColumnClass worseClass(ColumnClass a, ColumnClass b)
{
    return std::max(a, b);  // the classes are in the order of how little they promise
}

// Whether the values that an aggregate collects are sorted by themselves, among other things: rows
// that tie then give equal values.
bool isSortedByItself(const sql::ExprPtr &value, const std::vector<sql::SortItem> &orderBy)
{
    return std::ranges::any_of(orderBy,
                               [&](const auto &item) { return sql::equal(item.key, value); });
}

// Equal texts are the same text.
bool isExact(const sql::Listagg &list) { return isSortedByItself(list.value, list.orderBy); }

}  // namespace

ColumnClass classOf(const sql::ExprPtr &expr)
{
    ColumnClass worst = ColumnClass::Exact;
    sql::forEachExpression(expr, [&](const sql::ExprPtr &part) {
        if (const auto *list = sql::as<sql::Listagg>(part); list && !isExact(*list))
            worst = worseClass(worst, ColumnClass::OrderDependent);
        const auto *call = sql::as<sql::FunctionCall>(part);
        if (!call)
            return;
        switch (functionNature(call->name.last().value.toLower())) {
        case FunctionNature::SumAggregate: worst = worseClass(worst, ColumnClass::Float); break;
        case FunctionNature::ApproximateAggregate:
            worst = worseClass(worst, ColumnClass::Approximate);
            break;
        case FunctionNature::OrderDependentAggregate:
            worst = worseClass(worst, ColumnClass::OrderDependent);
            break;
        default: break;
        }
    });
    return worst;
}

bool hasAggregate(const sql::ExprPtr &expr)
{
    bool found = false;
    sql::forEachExpression(expr, [&](const sql::ExprPtr &part) {
        const auto *call = sql::as<sql::FunctionCall>(part);
        found = found || sql::as<sql::Listagg>(part) ||
                (call && isAggregate(functionNature(call->name.last().value.toLower())));
    });
    return found;
}

bool isSortedArray(const sql::ExprPtr &expr)
{
    const auto *call = sql::as<sql::FunctionCall>(expr);
    return call && sql::sameName(call->name.last().value, u"array_agg") &&
           call->arguments.size() == 1 && isSortedByItself(call->arguments[0], call->orderBy);
}

}  // namespace ivm
