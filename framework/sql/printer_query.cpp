// Queries and what stands in their clauses.
#include "framework/sql/power.h"
#include "framework/sql/printer_core.h"

#include <array>

namespace ivm::sql {

namespace {

// UNION and EXCEPT are looser than INTERSECT; a body that is no chain is tighter than both.
int setPower(const QueryBody &body)
{
    const auto *chain = std::get_if<SetOperation>(&body.node);
    if (!chain)
        return 2;
    return chain->rest.front().op == SetOperation::Op::Intersect ? 1 : 0;
}

}  // namespace

void Printer::query(const Query &query)
{
    if (query.with)
        with(*query.with);
    std::visit([this](const auto &one) { node(one); }, query.body->node);
    if (!query.orderBy.empty()) {
        write(u" ORDER BY ");
        sortItems(query.orderBy);
    }
    if (query.offset) {
        write(u" OFFSET ");
        expression(*query.offset);
    }
    if (query.limit)
        limit(*query.limit);
}

void Printer::subquery(const Query &one)
{
    write(u"(");
    query(one);
    write(u")");
}

void Printer::with(const With &with)
{
    write(with.recursive ? u"WITH RECURSIVE " : u"WITH ");
    list(with.queries, [this](const NamedQuery &named) {
        name(named.name);
        if (!named.columns.empty())
            names(named.columns);
        write(u" AS ");
        subquery(*named.query);
    });
    write(u" ");
}

void Printer::limit(const Limit &limit)
{
    const bool fetch = limit.kind == Limit::Kind::Fetch || limit.kind == Limit::Kind::FetchWithTies;
    write(fetch ? u" FETCH FIRST" : u" LIMIT");
    if (limit.kind == Limit::Kind::LimitAll)
        write(u" ALL");
    if (limit.count) {
        write(u" ");
        expression(*limit.count);
    }
    if (fetch)
        write(limit.kind == Limit::Kind::Fetch ? u" ROWS ONLY" : u" ROWS WITH TIES");
}

void Printer::sortItems(const std::vector<SortItem> &items)
{
    list(items, [this](const SortItem &item) {
        expression(*item.key);
        if (item.order == SortOrder::Descending)
            write(u" DESC");
        if (item.nulls != NullOrder::Unsaid)
            write(item.nulls == NullOrder::First ? u" NULLS FIRST" : u" NULLS LAST");
    });
}

void Printer::node(const Select &one)
{
    write(u"SELECT ");
    setQuantifier(one.quantifier);
    list(one.items, [this](const SelectItem &item) { selectItem(item); });
    if (!one.from.empty()) {
        write(u" FROM ");
        list(one.from, [this](const RelationPtr &from) { relation(*from); });
    }
    where(one.where);
    if (one.groupBy)
        groupBy(*one.groupBy);
    if (one.having) {
        write(u" HAVING ");
        expression(*one.having);
    }
    if (!one.windows.empty()) {
        write(u" WINDOW ");
        list(one.windows, [this](const WindowDefinition &definition) {
            name(definition.name);
            write(u" AS ");
            window(definition.specification);
        });
    }
}

void Printer::selectItem(const SelectItem &item)
{
    if (item.expression)
        expression(*item.expression, item.star ? power::kPrimary : power::kNone);
    if (item.star)
        write(item.expression ? u".*" : u"*");
    if (item.alias) {
        write(u" AS ");
        name(*item.alias);
    }
    if (!item.columnAliases.empty()) {
        write(u" AS ");
        names(item.columnAliases);
    }
}

void Printer::groupBy(const GroupBy &groupBy)
{
    write(u" GROUP BY ");
    setQuantifier(groupBy.quantifier);
    list(groupBy.elements, [this](const GroupingElement &element) { groupingElement(element); });
}

void Printer::groupingElement(const GroupingElement &element)
{
    static constexpr std::array<QStringView, 4> kWords = {u"", u"ROLLUP (", u"CUBE (",
                                                          u"GROUPING SETS ("};
    const bool simple = element.kind == GroupingElement::Kind::Simple;
    write(kWords[static_cast<size_t>(element.kind)]);
    list(element.sets, [this](const GroupingSet &set) {
        const bool single = set.expressions.size() == 1;
        write(single ? u"" : u"(");
        expressions(set.expressions);
        write(single ? u"" : u")");
    });
    if (!simple)
        write(u")");
}

void Printer::node(const SetOperation &one)
{
    static constexpr std::array<QStringView, 3> kWords = {u" UNION ", u" INTERSECT ", u" EXCEPT "};
    const int own = one.rest.front().op == SetOperation::Op::Intersect ? 1 : 0;
    setOperand(*one.first, setPower(*one.first) < own);
    for (const SetOperation::Step &step : one.rest) {
        write(kWords[static_cast<size_t>(step.op)]);
        if (step.quantifier == SetQuantifier::All)
            write(u"ALL ");
        setOperand(*step.operand, setPower(*step.operand) <= own);
    }
}

void Printer::setOperand(const QueryBody &body, bool parenthesize)
{
    if (parenthesize)
        write(u"(");
    std::visit([this](const auto &one) { node(one); }, body.node);
    if (parenthesize)
        write(u")");
}

void Printer::node(const Values &one)
{
    write(u"VALUES ");
    list(one.rows, [this](const ExprPtr &row) {
        const auto *columns = as<RowConstructor>(row);
        const bool several = columns && columns->items.size() > 1;
        write(several ? u"(" : u"");
        if (several)
            expressions(columns->items);
        else
            expression(*row);
        write(several ? u")" : u"");
    });
}

void Printer::node(const TableQuery &one)
{
    write(u"TABLE ");
    relation(*one.table);
}

}  // namespace ivm::sql
