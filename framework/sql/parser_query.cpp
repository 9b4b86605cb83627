// Queries around SELECT: WITH, set operations, ORDER BY, OFFSET, LIMIT.
#include "framework/sql/parser.h"
#include "framework/sql/parser_core.h"

namespace ivm::sql {

namespace {

// The chain that goes on with `left`: its own when it is one of the same operators.
SetOperation chainOf(QueryBodyPtr left, bool intersect)
{
    const auto *chain = std::get_if<SetOperation>(&left->node);
    if (chain && (chain->rest.front().op == SetOperation::Op::Intersect) == intersect)
        return *chain;
    return {std::move(left), {}};
}

}  // namespace

bool Parser::atQuery(qsizetype ahead) const
{
    return atAnyWord({u"SELECT", u"WITH", u"VALUES"}, ahead) ||
           (atWord(u"TABLE", ahead) && atIdentifier(ahead + 1));
}

// A query, or parentheses around something that starts with one. More of them than may be nested
// are refused in any case.
bool Parser::atQueryOrNested(qsizetype ahead) const
{
    const qsizetype last = ahead + kMaxDepth;
    while (ahead < last && atSymbol(u"(", ahead))
        ++ahead;
    return atQuery(ahead);
}

bool Parser::atSetOperation() const { return atAnyWord({u"UNION", u"INTERSECT", u"EXCEPT"}); }

// LIMIT, OFFSET and FETCH may be names too: only with what must follow are they clauses.
bool Parser::atLimit(qsizetype ahead) const
{
    const bool count = peek(ahead + 1).kind == TokenKind::Integer || atSymbol(u"?", ahead + 1);
    return (atWord(u"LIMIT", ahead) && (count || atWord(u"ALL", ahead + 1))) ||
           (atWord(u"OFFSET", ahead) && count) ||
           (atWord(u"FETCH", ahead) && atAnyWord({u"FIRST", u"NEXT"}, ahead + 1));
}

bool Parser::atQueryTail(qsizetype ahead) const
{
    return atWord(u"ORDER", ahead) || atLimit(ahead);
}

Result<Query> Parser::query()
{
    constexpr int kWeight = 2;  // a query takes more of the stack than an expression
    Level level(*this, kWeight);
    IVM_CHECK(checkDepth());
    if (!atWord(u"WITH"))
        return queryNoWith();
    const qsizetype start = begin();
    IVM_TRY(With clause, with());
    IVM_TRY(Query node, queryNoWith());
    node.with = std::move(clause);
    node.span = spanFrom(start);
    return node;
}

Result<With> Parser::with()
{
    const qsizetype start = begin();
    advance();
    if (atAnyWord({u"FUNCTION", u"SESSION"}) && !atWord(u"AS", 1) && !atSymbol(u"(", 1))
        return failUnsupported(
            QStringLiteral("WITH %1 is not supported").arg(word().toString().toUpper()));
    With clause;
    clause.recursive = acceptWord(u"RECURSIVE");
    do {
        NamedQuery named;
        IVM_TRY(named.name, expectIdentifier(u"the name of a WITH query"));
        if (atSymbol(u"(")) {
            IVM_TRY(named.columns, columnAliases(u"a column name"));
        }
        IVM_CHECK(expectWord(u"AS"));
        IVM_TRY(named.query, queryInParentheses());
        named.span = spanFrom(named.name.span.begin);
        clause.queries.push_back(std::move(named));
    } while (acceptSymbol(u","));
    clause.span = spanFrom(start);
    return clause;
}

// `first`, when given, was already read: the query's first operand.
Result<Query> Parser::queryNoWith(QueryBodyPtr first)
{
    const qsizetype start = first ? first->span.begin : begin();
    Query node;
    IVM_TRY(node.body, setOperations(std::move(first)));
    IVM_CHECK(queryTail(node));
    node.span = spanFrom(start);
    const auto *inner = std::get_if<ParenthesizedQuery>(&node.body->node);
    if (!inner || !node.orderBy.empty() || node.offset || node.limit)
        return node;
    Query same = *inner->query;  // nothing around the parentheses: they say nothing
    same.span = node.span;
    return same;
}

Status Parser::queryTail(Query &query)
{
    const qsizetype order = begin();
    if (acceptWords({u"ORDER", u"BY"})) {
        IVM_TRY(query.orderBy, sortItems());
        query.orderBySpan = spanFrom(order);
    }
    const qsizetype offset = begin();
    if (acceptWord(u"OFFSET")) {
        IVM_TRY(query.offset, rowCount());
        if (!acceptWord(u"ROWS"))
            acceptWord(u"ROW");
        query.offsetSpan = spanFrom(offset);
    }
    IVM_TRY(query.limit, limit());
    return {};
}

Result<std::optional<Limit>> Parser::limit()
{
    const qsizetype start = begin();
    Limit node;
    if (acceptWord(u"LIMIT")) {
        if (acceptWord(u"ALL")) {
            node.kind = Limit::Kind::LimitAll;
        } else {
            IVM_TRY(node.count, rowCount());
        }
    } else if (acceptWord(u"FETCH")) {
        if (!acceptWord(u"FIRST") && !acceptWord(u"NEXT"))
            return unexpected(QStringLiteral("FIRST or NEXT"));
        if (!atAnyWord({u"ROW", u"ROWS"})) {
            IVM_TRY(node.count, rowCount());
        }
        if (!acceptWord(u"ROW") && !acceptWord(u"ROWS"))
            return unexpected(QStringLiteral("ROWS"));
        node.kind = acceptWord(u"ONLY") ? Limit::Kind::Fetch : Limit::Kind::FetchWithTies;
        if (node.kind == Limit::Kind::FetchWithTies && !acceptWords({u"WITH", u"TIES"}))
            return unexpected(QStringLiteral("ONLY or WITH TIES"));
    } else {
        return std::nullopt;
    }
    node.span = spanFrom(start);
    return node;
}

Result<ExprPtr> Parser::rowCount()
{
    if (atSymbol(u"?"))
        return parameter();
    if (peek().kind != TokenKind::Integer)
        return unexpected(QStringLiteral("a number of rows"));
    return number();
}

Result<QueryBodyPtr> Parser::setOperations(QueryBodyPtr first)
{
    IVM_TRY(QueryBodyPtr left, intersections(std::move(first)));
    if (!atAnyWord({u"UNION", u"EXCEPT"}))
        return left;
    const qsizetype start = left->span.begin;
    SetOperation node = chainOf(unwrapped(std::move(left)), false);
    while (atAnyWord({u"UNION", u"EXCEPT"})) {
        IVM_TRY(SetOperation::Step step, setOperator());
        IVM_TRY(step.operand, intersections({}));
        step.operand = unwrapped(std::move(step.operand));
        node.rest.push_back(std::move(step));
    }
    return std::make_shared<QueryBody>(QueryBody{std::move(node), spanFrom(start)});
}

Result<QueryBodyPtr> Parser::intersections(QueryBodyPtr first)
{
    if (!first) {
        IVM_TRY(first, queryPrimary());
    }
    if (!atWord(u"INTERSECT"))
        return first;
    const qsizetype start = first->span.begin;
    SetOperation node = chainOf(unwrapped(std::move(first)), true);
    while (atWord(u"INTERSECT")) {
        IVM_TRY(SetOperation::Step step, setOperator());
        IVM_TRY(step.operand, queryPrimary());
        step.operand = unwrapped(std::move(step.operand));
        node.rest.push_back(std::move(step));
    }
    return std::make_shared<QueryBody>(QueryBody{std::move(node), spanFrom(start)});
}

// UNION ALL, INTERSECT, EXCEPT DISTINCT …; the step without its operand.
Result<SetOperation::Step> Parser::setOperator()
{
    using Op = SetOperation::Op;
    SetOperation::Step step;
    step.op = atWord(u"UNION") ? Op::Union : atWord(u"INTERSECT") ? Op::Intersect : Op::Except;
    step.opSpan = advance().span;
    if (acceptWord(u"ALL"))
        step.quantifier = SetQuantifier::All;
    else
        acceptWord(u"DISTINCT");
    if (atWord(u"CORRESPONDING"))
        return failUnsupported(
            QStringLiteral("CORRESPONDING is not supported; name the columns in both queries"));
    return step;
}

// An operand of a set operation without the parentheses that say nothing: those around no ORDER BY
// and no LIMIT.
QueryBodyPtr Parser::unwrapped(QueryBodyPtr body)
{
    const auto *inner = std::get_if<ParenthesizedQuery>(&body->node);
    if (!inner || !inner->query->orderBy.empty() || inner->query->offset || inner->query->limit)
        return body;
    return widened(inner->query->body, body->span);
}

Result<QueryBodyPtr> Parser::queryPrimary()
{
    const qsizetype start = begin();
    if (atWord(u"SELECT"))
        return select();
    if (atWord(u"VALUES"))
        return values();
    if (acceptWord(u"TABLE")) {
        IVM_TRY(QualifiedName name, qualifiedName(u"a table"));
        const Span span = name.span;
        auto relation =
            std::make_shared<Relation>(Relation{Table{std::move(name), {}}, {}, {}, span});
        return std::make_shared<QueryBody>(
            QueryBody{TableQuery{std::move(relation)}, spanFrom(start)});
    }
    if (!acceptSymbol(u"("))
        return unexpected(QStringLiteral("SELECT, VALUES, TABLE or a query in parentheses"));
    Level level(*this, 2);
    IVM_CHECK(checkDepth());
    IVM_TRY(Query inner, queryNoWith());
    IVM_CHECK(expectSymbol(u")"));
    return asBody(std::move(inner), spanFrom(start));
}

QueryBodyPtr Parser::asBody(Query query, Span span)
{
    return std::make_shared<QueryBody>(
        QueryBody{ParenthesizedQuery{std::make_shared<Query>(std::move(query))}, span});
}

Result<QueryBodyPtr> Parser::values()
{
    const qsizetype start = begin();
    advance();
    IVM_TRY(std::vector<ExprPtr> rows, expressions());
    return std::make_shared<QueryBody>(QueryBody{Values{std::move(rows)}, spanFrom(start)});
}

Result<QueryPtr> Parser::queryInParentheses()
{
    IVM_CHECK(expectSymbol(u"("));
    IVM_TRY(Query node, query());
    IVM_CHECK(expectSymbol(u")"));
    return std::make_shared<Query>(std::move(node));
}

Result<SortItem> Parser::sortItem()
{
    const qsizetype start = begin();
    SortItem item;
    IVM_TRY(item.key, expression());
    if (acceptWord(u"DESC"))
        item.order = SortOrder::Descending;
    else
        acceptWord(u"ASC");
    if (acceptWord(u"NULLS")) {
        item.nulls = atWord(u"FIRST") ? NullOrder::First : NullOrder::Last;
        if (!acceptWord(u"FIRST") && !acceptWord(u"LAST"))
            return unexpected(QStringLiteral("FIRST or LAST"));
    }
    item.span = spanFrom(start);
    return item;
}

Result<std::vector<SortItem>> Parser::sortItems()
{
    std::vector<SortItem> items;
    do {
        IVM_TRY(SortItem item, sortItem());
        items.push_back(std::move(item));
    } while (acceptSymbol(u","));
    return items;
}

// (a, b, …)
Result<std::vector<Identifier>> Parser::columnAliases(QStringView what)
{
    IVM_CHECK(expectSymbol(u"("));
    std::vector<Identifier> names;
    do {
        IVM_TRY(Identifier name, expectIdentifier(what));
        names.push_back(std::move(name));
    } while (acceptSymbol(u","));
    if (!acceptSymbol(u")"))
        return unexpected(QStringLiteral("',' or ')'"));
    return names;
}

Result<QualifiedName> Parser::qualifiedName(QStringView what)
{
    const qsizetype start = begin();
    QualifiedName name;
    do {
        IVM_TRY(Identifier part,
                expectIdentifier(name.parts.empty() ? what : QStringView(u"a name after the dot")));
        name.parts.push_back(std::move(part));
    } while (acceptSymbol(u"."));
    name.span = spanFrom(start);
    return name;
}

}  // namespace ivm::sql
