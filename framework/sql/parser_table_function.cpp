// TABLE(function(…)) in FROM, with tables and descriptors as arguments.
#include "framework/sql/parser_core.h"

namespace ivm::sql {

Result<RelationPtr> Parser::tableFunction()
{
    const qsizetype start = begin();
    advance();
    IVM_CHECK(expectSymbol(u"("));
    TableFunction node;
    IVM_TRY(node.name, qualifiedName(u"a table function"));
    IVM_CHECK(expectSymbol(u"("));
    while (!atSymbol(u")") && !atWord(u"COPARTITION")) {
        IVM_TRY(TableFunctionArgument argument, tableFunctionArgument());
        node.arguments.push_back(std::move(argument));
        if (!acceptSymbol(u","))
            break;
        if (atSymbol(u")"))
            return unexpected(QStringLiteral("an argument"));
    }
    if (acceptWord(u"COPARTITION")) {
        IVM_TRY(node.copartitions, copartitions());
    }
    if (!acceptSymbol(u")"))
        return unexpected(QStringLiteral("',' or ')'"));
    IVM_CHECK(expectSymbol(u")"));
    return std::make_shared<Relation>(Relation{std::move(node), {}, {}, spanFrom(start)});
}

// [name =>] a table, a descriptor or an expression
Result<TableFunctionArgument> Parser::tableFunctionArgument()
{
    const qsizetype start = begin();
    TableFunctionArgument argument;
    if (atIdentifier() && atSymbol(u"=>", 1)) {
        IVM_TRY(argument.name, expectIdentifier(u"the name of an argument"));
        advance();
    }
    const bool nullDescriptor =
        atWord(u"CAST") && atSymbol(u"(", 1) && atWords({u"NULL", u"AS", u"DESCRIPTOR"}, 2);
    if (atWord(u"TABLE") && atSymbol(u"(", 1)) {
        IVM_TRY(argument.value, tableArgument());
    } else if (nullDescriptor || (atWord(u"DESCRIPTOR") && atSymbol(u"(", 1))) {
        IVM_TRY(argument.value, descriptor());
    } else {
        IVM_TRY(argument.value, expression());
    }
    argument.span = spanFrom(start);
    return argument;
}

// TABLE(name) or TABLE(query) [alias] [PARTITION BY …] [PRUNE | KEEP WHEN EMPTY] [ORDER BY …]
Result<TableArgument> Parser::tableArgument()
{
    const qsizetype start = begin();
    advance();
    IVM_CHECK(expectSymbol(u"("));
    Relation relation;
    if (atQueryOrNested()) {
        IVM_TRY(Query inner, query());
        relation.node = SubqueryRelation{std::make_shared<Query>(std::move(inner))};
    } else {
        Table node;
        IVM_TRY(node.name, qualifiedName(u"a table"));
        relation.node = std::move(node);
    }
    IVM_CHECK(expectSymbol(u")"));
    IVM_TRY(relation.alias, alias());
    relation.span = spanFrom(start);
    TableArgument argument;
    argument.relation = std::make_shared<Relation>(std::move(relation));
    if (acceptWords({u"PARTITION", u"BY"})) {
        IVM_TRY(GroupingSet columns, groupingSet());
        argument.partitionBy = std::move(columns.expressions);
    }
    if (acceptWords({u"PRUNE", u"WHEN", u"EMPTY"}))
        argument.whenEmpty = TableArgument::Empty::Prune;
    else if (acceptWords({u"KEEP", u"WHEN", u"EMPTY"}))
        argument.whenEmpty = TableArgument::Empty::Keep;
    if (acceptWords({u"ORDER", u"BY"})) {
        IVM_TRY(argument.orderBy, tableArgumentOrder());
    }
    return argument;
}

// (a DESC, b) or one item without parentheses.
Result<std::vector<SortItem>> Parser::tableArgumentOrder()
{
    if (!atSymbol(u"(")) {
        IVM_TRY(SortItem item, sortItem());
        return std::vector<SortItem>{std::move(item)};
    }
    advance();
    IVM_TRY(std::vector<SortItem> items, sortItems());
    IVM_CHECK(expectSymbol(u")"));
    return items;
}

// DESCRIPTOR(a, b bigint), CAST(NULL AS DESCRIPTOR)
Result<DescriptorArgument> Parser::descriptor()
{
    DescriptorArgument node;
    if (acceptWord(u"CAST")) {
        IVM_CHECK(expectSymbol(u"("));
        IVM_CHECK(expectWords({u"NULL", u"AS", u"DESCRIPTOR"}));
        IVM_CHECK(expectSymbol(u")"));
        return node;
    }
    advance();
    IVM_CHECK(expectSymbol(u"("));
    do {
        DescriptorField field;
        IVM_TRY(field.name, expectIdentifier(u"a field"));
        if (!atSymbol(u",") && !atSymbol(u")")) {
            IVM_TRY(field.type, type());
        }
        node.descriptorFields.push_back(std::move(field));
    } while (acceptSymbol(u","));
    if (!acceptSymbol(u")"))
        return unexpected(QStringLiteral("',' or ')'"));
    return node;
}

// (t1, t2), (t3, t4)
Result<std::vector<std::vector<QualifiedName>>> Parser::copartitions()
{
    std::vector<std::vector<QualifiedName>> all;
    do {
        IVM_CHECK(expectSymbol(u"("));
        std::vector<QualifiedName> tables;
        do {
            IVM_TRY(QualifiedName name, qualifiedName(u"a table"));
            tables.push_back(std::move(name));
        } while (acceptSymbol(u","));
        if (tables.size() < 2)
            return unexpected(QStringLiteral("',' and another table"));
        IVM_CHECK(expectSymbol(u")"));
        all.push_back(std::move(tables));
    } while (acceptSymbol(u","));
    return all;
}

}  // namespace ivm::sql
