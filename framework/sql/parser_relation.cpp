// What stands in FROM: tables, joins, subqueries, UNNEST.
#include "framework/sql/parser_core.h"

namespace ivm::sql {

namespace {

RelationPtr makeRelation(Relation::Node node, Span span)
{
    return std::make_shared<Relation>(Relation{std::move(node), {}, {}, span});
}

// The relation with an alias or a sample more; one that has its own is kept as it is inside.
Relation outer(RelationPtr inner, bool taken)
{
    const Span span = inner->span;
    return taken ? Relation{ParenthesizedRelation{std::move(inner)}, {}, {}, span} : *inner;
}

}  // namespace

Result<RelationPtr> Parser::relation()
{
    constexpr int kWeight = 2;
    Level level(*this, kWeight);
    IVM_CHECK(checkDepth());
    IVM_TRY(RelationPtr left, sampled());
    return joins(std::move(left));
}

Result<RelationPtr> Parser::joins(RelationPtr left)
{
    while (atAnyWord({u"CROSS", u"NATURAL", u"JOIN", u"INNER", u"LEFT", u"RIGHT", u"FULL"})) {
        IVM_CHECK(wrap());
        IVM_TRY(left, join(std::move(left)));
    }
    return left;
}

Result<RelationPtr> Parser::join(RelationPtr left)
{
    const qsizetype start = left->span.begin;
    Join node;
    node.left = std::move(left);
    if (acceptWord(u"CROSS")) {
        IVM_CHECK(expectWord(u"JOIN"));
        node.kind = Join::Kind::Cross;
        IVM_TRY(node.right, sampled());
        return makeRelation(std::move(node), spanFrom(start));
    }
    const bool natural = acceptWord(u"NATURAL");
    node.kind = joinKind();
    IVM_CHECK(expectWord(u"JOIN"));
    if (natural) {
        node.criteria = Join::Natural{};
        IVM_TRY(node.right, sampled());
        return makeRelation(std::move(node), spanFrom(start));
    }
    IVM_TRY(node.right, relation());
    if (acceptWord(u"ON")) {
        IVM_TRY(ExprPtr condition, expression());
        node.criteria = Join::On{std::move(condition)};
    } else if (acceptWord(u"USING")) {
        IVM_TRY(std::vector<Identifier> columns, columnAliases(u"a column"));
        node.criteria = Join::Using{std::move(columns)};
    } else {
        return unexpected(QStringLiteral("ON or USING"));
    }
    return makeRelation(std::move(node), spanFrom(start));
}

// INNER, LEFT [OUTER] …; nothing is INNER.
Join::Kind Parser::joinKind()
{
    Join::Kind kind = Join::Kind::Inner;
    if (acceptWord(u"LEFT"))
        kind = Join::Kind::Left;
    else if (acceptWord(u"RIGHT"))
        kind = Join::Kind::Right;
    else if (acceptWord(u"FULL"))
        kind = Join::Kind::Full;
    else
        acceptWord(u"INNER");
    if (kind != Join::Kind::Inner)
        acceptWord(u"OUTER");
    return kind;
}

// relation [alias] [TABLESAMPLE method (percentage)]
Result<RelationPtr> Parser::sampled()
{
    IVM_TRY(RelationPtr primary, relationPrimary());
    return named(std::move(primary));
}

Result<RelationPtr> Parser::named(RelationPtr primary)
{
    const qsizetype start = primary->span.begin;
    IVM_TRY(std::optional<Alias> name, alias());
    if (name) {
        const bool taken = primary->alias || primary->sample;
        Relation node = outer(std::move(primary), taken);
        node.alias = std::move(name);
        node.span = spanFrom(start);
        primary = std::make_shared<Relation>(std::move(node));
    }
    if (atWord(u"MATCH_RECOGNIZE") && atSymbol(u"(", 1))
        return failUnsupported(QStringLiteral("MATCH_RECOGNIZE is not supported"));
    if (!atSampleClause())
        return primary;
    const bool taken = primary->sample.has_value();
    Relation node = outer(std::move(primary), taken);
    IVM_TRY(node.sample, sample());
    node.span = spanFrom(start);
    return std::make_shared<Relation>(std::move(node));
}

bool Parser::atSampleClause() const
{
    return atWord(u"TABLESAMPLE") && atAnyWord({u"BERNOULLI", u"SYSTEM"}, 1);
}

Result<Sample> Parser::sample()
{
    const qsizetype start = begin();
    advance();
    Sample node;
    node.method = atWord(u"SYSTEM") ? Sample::Method::System : Sample::Method::Bernoulli;
    advance();
    IVM_CHECK(expectSymbol(u"("));
    IVM_TRY(node.percentage, expression());
    IVM_CHECK(expectSymbol(u")"));
    node.span = spanFrom(start);
    return node;
}

Result<RelationPtr> Parser::relationPrimary()
{
    const qsizetype start = begin();
    if (atSymbol(u"("))
        return parenthesizedRelation();
    if (atWord(u"UNNEST"))
        return unnest();
    if (atWord(u"LATERAL") && atSymbol(u"(", 1)) {
        advance();
        IVM_TRY(QueryPtr node, queryInParentheses());
        return makeRelation(Lateral{std::move(node)}, spanFrom(start));
    }
    if (atWord(u"TABLE"))
        return tableFunction();
    if (atWord(u"JSON_TABLE"))
        return failUnsupported(QStringLiteral("JSON_TABLE is not supported yet"));
    return table();
}

Result<RelationPtr> Parser::table()
{
    const qsizetype start = begin();
    Table node;
    IVM_TRY(node.name, qualifiedName(u"a table"));
    IVM_TRY(node.period, queryPeriod());
    if (atSymbol(u"(") && node.name.parts.size() == 1) {
        return fail(unexpected(QStringLiteral("a table"))
                        .error()
                        .withHint(u"A function in FROM is written TABLE(name(…))"));
    }
    return makeRelation(std::move(node), spanFrom(start));
}

// FOR VERSION AS OF x, FOR TIMESTAMP AS OF x
Result<std::optional<QueryPeriod>> Parser::queryPeriod()
{
    const qsizetype start = begin();
    if (!acceptWord(u"FOR"))
        return std::nullopt;
    QueryPeriod period;
    if (acceptWord(u"TIMESTAMP"))
        period.kind = QueryPeriod::Kind::Timestamp;
    else if (!acceptWord(u"VERSION"))
        return unexpected(QStringLiteral("VERSION AS OF or TIMESTAMP AS OF"));
    IVM_CHECK(expectWords({u"AS", u"OF"}));
    IVM_TRY(period.end, value());
    period.span = spanFrom(start);
    return period;
}

Result<RelationPtr> Parser::unnest()
{
    const qsizetype start = begin();
    advance();
    IVM_CHECK(expectSymbol(u"("));
    Unnest node;
    IVM_TRY(node.expressions, expressions());
    IVM_CHECK(expectSymbol(u")"));
    node.withOrdinality = acceptWords({u"WITH", u"ORDINALITY"});
    return makeRelation(std::move(node), spanFrom(start));
}

// (query) or (relation)
Result<RelationPtr> Parser::parenthesizedRelation()
{
    const qsizetype start = begin();
    advance();
    IVM_TRY(auto content, queryOrRelation());
    IVM_CHECK(expectSymbol(u")"));
    const Span span = spanFrom(start);
    if (content.query)
        return makeRelation(SubqueryRelation{std::make_shared<Query>(*std::move(content.query))},
                            span);
    return widened(std::move(content.other), span);
}

// What follows an opening parenthesis: all of a query, or all of a relation.
Result<Parser::QueryOr<RelationPtr>> Parser::queryOrRelation()
{
    QueryOr<RelationPtr> content;
    if (atQuery()) {
        IVM_TRY(content.query, query());
        return content;
    }
    if (!atQueryOrNested()) {
        IVM_TRY(content.other, relation());
        return content;
    }
    // ((SELECT 1) UNION …), ((SELECT 1) AS x JOIN …) or ((SELECT 1))
    Level level(*this, 2);
    IVM_CHECK(checkDepth());
    const qsizetype start = begin();
    advance();
    IVM_TRY(auto inner, queryOrRelation());
    IVM_CHECK(expectSymbol(u")"));
    const Span span = spanFrom(start);
    if (inner.query && !inner.query->with &&
        (atSetOperation() || atQueryTail() || atSymbol(u")"))) {
        IVM_TRY(content.query, queryNoWith(asBody(*std::move(inner.query), span)));
        return content;
    }
    if (inner.query)
        inner.other =
            makeRelation(SubqueryRelation{std::make_shared<Query>(*std::move(inner.query))}, span);
    IVM_TRY(RelationPtr left, named(widened(std::move(inner.other), span)));
    IVM_TRY(content.other, joins(std::move(left)));
    return content;
}

// [AS] name [(columns)]
Result<std::optional<Alias>> Parser::alias()
{
    const qsizetype start = begin();
    if (!acceptWord(u"AS") && !atRelationAlias())
        return std::nullopt;
    Alias node;
    IVM_TRY(node.name, expectIdentifier(u"a name"));
    if (atSymbol(u"(")) {
        IVM_TRY(node.columns, columnAliases(u"a column name"));
    }
    node.span = spanFrom(start);
    return node;
}

// A name that is not the start of a clause that may follow a relation.
bool Parser::atRelationAlias() const
{
    const bool ofTableArgument = atWords({u"PARTITION", u"BY"}) || atWords({u"PRUNE", u"WHEN"}) ||
                                 atWords({u"KEEP", u"WHEN"}) ||
                                 (atWord(u"COPARTITION") && atSymbol(u"(", 1));
    const bool ofPattern = atWord(u"MATCH_RECOGNIZE") && atSymbol(u"(", 1);
    return atImplicitAlias() && !atSampleClause() && !ofTableArgument && !ofPattern;
}

}  // namespace ivm::sql
