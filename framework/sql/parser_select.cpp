// SELECT and its clauses.
#include "framework/sql/parser_core.h"

namespace ivm::sql {

Result<QueryBodyPtr> Parser::select()
{
    const qsizetype start = begin();
    advance();
    Select node;
    acceptQuantifier(node.quantifier);
    const qsizetype items = begin();
    do {
        IVM_TRY(SelectItem item, selectItem());
        node.items.push_back(std::move(item));
    } while (acceptSymbol(u","));
    node.itemsSpan = spanFrom(items);
    node.fromSpan = {node.itemsSpan.end, node.itemsSpan.end};
    IVM_CHECK(fromAndWhere(node));
    if (atWord(u"GROUP")) {
        IVM_TRY(node.groupBy, groupBy());
    }
    const qsizetype having = begin();
    if (acceptWord(u"HAVING")) {
        IVM_TRY(node.having, expression());
        node.havingSpan = spanFrom(having);
    }
    if (atWindowClause()) {
        IVM_TRY(node.windows, windows());
    }
    node.span = spanFrom(start);
    return std::make_shared<QueryBody>(QueryBody{std::move(node), spanFrom(start)});
}

Status Parser::fromAndWhere(Select &select)
{
    const qsizetype from = begin();
    if (acceptWord(u"FROM")) {
        do {
            IVM_TRY(RelationPtr one, relation());
            select.from.push_back(std::move(one));
        } while (acceptSymbol(u","));
        select.fromSpan = spanFrom(from);
    }
    const qsizetype where = begin();
    if (acceptWord(u"WHERE")) {
        IVM_TRY(select.where, expression());
        select.whereSpan = spanFrom(where);
    }
    return {};
}

Result<SelectItem> Parser::selectItem()
{
    const qsizetype start = begin();
    SelectItem item;
    if (acceptSymbol(u"*")) {
        item.star = true;
        item.span = spanFrom(start);
        return item;
    }
    Level level(*this);
    IVM_CHECK(checkDepth());
    if (atWord(u"NOT") || atSymbol(u"-") || atSymbol(u"+")) {
        IVM_TRY(item.expression, expression());
    } else {
        IVM_TRY(item.expression, primary());
        if (atSymbol(u".")) {
            IVM_CHECK(allColumns(item));
            item.span = spanFrom(start);
            return item;
        }
        IVM_TRY(item.expression, climb(std::move(item.expression), power::kOr, power::kPrimary));
    }
    if (acceptWord(u"AS") || atImplicitAlias()) {
        IVM_TRY(item.alias, expectIdentifier(u"a column name"));
    }
    item.span = spanFrom(start);
    return item;
}

// The rest of t.* [AS (a, b)].
Status Parser::allColumns(SelectItem &item)
{
    advance();
    IVM_CHECK(expectSymbol(u"*"));
    item.star = true;
    if (acceptWord(u"AS")) {
        IVM_TRY(item.columnAliases, columnAliases(u"a column name"));
    }
    return {};
}

// A name that is not the start of the clause that may follow here.
bool Parser::atImplicitAlias() const { return atIdentifier() && !atLimit(0) && !atWindowClause(); }

bool Parser::atWindowClause(qsizetype ahead) const
{
    return atWord(u"WINDOW", ahead) && atIdentifier(ahead + 1) && atWord(u"AS", ahead + 2) &&
           atSymbol(u"(", ahead + 3);
}

Result<GroupBy> Parser::groupBy()
{
    const qsizetype start = begin();
    advance();
    IVM_CHECK(expectWord(u"BY"));
    GroupBy node;
    if (atWord(u"AUTO"))
        return failUnsupported(QStringLiteral("GROUP BY AUTO is not supported; name the columns"));
    acceptQuantifier(node.quantifier);
    do {
        IVM_TRY(GroupingElement element, groupingElement());
        node.elements.push_back(std::move(element));
    } while (acceptSymbol(u","));
    node.span = spanFrom(start);
    return node;
}

Result<GroupingElement> Parser::groupingElement()
{
    using Kind = GroupingElement::Kind;
    const qsizetype start = begin();
    GroupingElement element;
    if (acceptWord(u"ROLLUP")) {
        element.kind = Kind::Rollup;
    } else if (acceptWord(u"CUBE")) {
        element.kind = Kind::Cube;
    } else if (acceptWords({u"GROUPING", u"SETS"})) {
        element.kind = Kind::GroupingSets;
    } else {
        IVM_TRY(GroupingSet set, groupingSet());
        element.sets.push_back(std::move(set));
        element.span = spanFrom(start);
        return element;
    }
    IVM_CHECK(expectSymbol(u"("));
    IVM_TRY(element.sets, groupingSets());
    if (!acceptSymbol(u")"))
        return unexpected(QStringLiteral("',' or ')'"));
    element.span = spanFrom(start);
    return element;
}

Result<std::vector<GroupingSet>> Parser::groupingSets()
{
    std::vector<GroupingSet> sets;
    do {
        IVM_TRY(GroupingSet set, groupingSet());
        sets.push_back(std::move(set));
    } while (acceptSymbol(u","));
    return sets;
}

// (), (a, b) or an expression. What reads as a row without the word ROW is a set of its items.
Result<GroupingSet> Parser::groupingSet()
{
    const qsizetype start = begin();
    GroupingSet set;
    if (atSymbol(u"(") && atSymbol(u")", 1) && !atSymbol(u"->", 2)) {
        advance();
        advance();
        set.span = spanFrom(start);
        return set;
    }
    const bool parenthesis = atSymbol(u"(");
    const qsizetype firstItem = peek(1).span.begin;
    IVM_TRY(ExprPtr whole, expression());
    set.span = spanFrom(start);
    const auto *row = as<RowConstructor>(whole);
    if (row && parenthesis && row->items.front()->span.begin == firstItem)
        set.expressions = row->items;
    else
        set.expressions.push_back(std::move(whole));
    return set;
}

Result<std::vector<WindowDefinition>> Parser::windows()
{
    advance();
    std::vector<WindowDefinition> definitions;
    do {
        WindowDefinition definition;
        IVM_TRY(definition.name, expectIdentifier(u"the name of a window"));
        IVM_CHECK(expectWord(u"AS"));
        IVM_CHECK(expectSymbol(u"("));
        IVM_TRY(definition.specification, windowSpecification());
        IVM_CHECK(expectSymbol(u")"));
        definitions.push_back(std::move(definition));
    } while (acceptSymbol(u","));
    return definitions;
}

}  // namespace ivm::sql
