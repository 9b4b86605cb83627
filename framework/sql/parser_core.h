// The parser itself: recursive descent for clauses, operator precedence ("Pratt") for expressions.
// Inside framework/sql only; others use parser.h.
//
// One Parser a text; not thread-safe. Every function starts at the current token and, when it
// succeeds, stops behind what it has read. There is no backtracking: what starts alike is told
// apart by looking ahead, or parsed as the common part first.
#pragma once

#include "framework/sql/power.h"
#include "framework/sql/statement.h"
#include "framework/sql/token_stream.h"

namespace ivm::sql {

class Parser : public TokenStream {
public:
    using TokenStream::TokenStream;

    Result<Query> query();
    Result<ExprPtr> expression();
    Result<Statement> statement();
    Result<TypePtr> type();
    Result<QualifiedName> qualifiedName(QStringView what);
    // Fails when something is left behind the whole of what was read.
    Status expectEnd(QStringView what) const;

private:
    class Level;

    // What stands in parentheses where both a query and something that starts with one may stand:
    // ((SELECT 1) + 2).
    template <typename Other>
    struct QueryOr {
        std::optional<Query> query;
        bool inOwnParentheses = false;  // the query is the whole content, in one more pair of them
        Span span;                      // of the query, with that pair
        Other other;                    // null when it is a query
    };

    // parser_expression.cpp
    Result<ExprPtr> operand(int minPower);
    Result<ExprPtr> value();
    Status wrap();
    Status checkDepth() const;
    Result<ExprPtr> climb(ExprPtr left, int minPower, int maxPower);
    int infixPower() const;
    bool atPredicate() const;
    Result<ExprPtr> infix(ExprPtr left, int opPower);
    Result<ExprPtr> logical(ExprPtr left, LogicalOp op);
    Result<ExprPtr> arithmetic(ExprPtr left, int opPower);
    Result<ExprPtr> concatenation(ExprPtr left);
    Result<ExprPtr> notOrSign();
    Result<ExprPtr> continued(ExprPtr primary);
    Result<std::vector<ExprPtr>> expressions();

    // parser_predicate.cpp
    std::optional<ComparisonOp> comparisonOp() const;
    Result<ExprPtr> predicate(ExprPtr left);
    Result<ExprPtr> comparison(ExprPtr left, ComparisonOp op);
    Result<ExprPtr> between(ExprPtr left, bool negated);
    Result<ExprPtr> in(ExprPtr left, bool negated);
    Result<ExprPtr> like(ExprPtr left, bool negated);
    Result<ExprPtr> is(ExprPtr left);

    // parser_primary.cpp
    Result<ExprPtr> primary();
    Result<ExprPtr> primaryWithoutPostfix();
    Result<ExprPtr> postfix(ExprPtr base);
    Result<ExprPtr> atTimeZone(ExprPtr value);
    Result<ExprPtr> wordPrimary();
    Result<ExprPtr> namePrimary();
    Result<ExprPtr> parenthesized();
    Result<ExprPtr> closeParenthesis(qsizetype begin, ExprPtr first);
    Result<QueryOr<ExprPtr>> queryOrExpression();
    Result<QueryOr<ExprPtr>> queryInParenthesesOrExpression();
    static ExprPtr asExpression(QueryOr<ExprPtr> content);
    bool atLambda() const;
    Result<ExprPtr> lambda();
    Result<ExprPtr> row();
    Result<ExprPtr> array();
    Result<ExprPtr> exists();
    Result<ExprPtr> caseExpression();
    Result<ExprPtr> cast();

    // parser_literal.cpp
    Result<ExprPtr> number();
    Result<ExprPtr> stringLiteral();
    Result<ExprPtr> binaryLiteral();
    Result<ExprPtr> constant();
    Result<ExprPtr> intervalLiteral();
    Result<ExprPtr> intervalOrName();
    Result<ExprPtr> doublePrecisionOrName();
    Result<ExprPtr> typedLiteral();
    Result<ExprPtr> parameter();
    Result<QString> string(QStringView what);
    bool atIntervalLiteral() const;
    bool atIntervalField(qsizetype ahead = 0) const;
    Result<IntervalField> intervalField();
    Result<qint64> integer(QStringView what);

    // parser_call.cpp
    Result<ExprPtr> functionCall();
    Status callArguments(FunctionCall &call);
    bool acceptQuantifier(SetQuantifier &quantifier);
    bool atQuantifierAll() const;
    bool atOperandAfterAll() const;
    Result<ExprPtr> filter();
    Result<std::optional<Over>> over();
    Result<WindowSpecification> windowSpecification();
    Result<std::optional<WindowFrame>> windowFrame();
    Result<FrameBound> frameBound();

    // parser_special.cpp: what has a syntax of its own though it looks like a call
    Result<ExprPtr> extract();
    Result<ExprPtr> position();
    Result<ExprPtr> substring();
    Result<ExprPtr> trim();
    Result<ExprPtr> normalize();
    Result<ExprPtr> listagg();
    Result<ExprPtr> grouping();
    Result<ExprPtr> currentValue();
    Result<ExprPtr> jsonFunction();
    Status listaggOverflow(Listagg &listagg);
    bool atValueArgument() const;
    Result<std::vector<ExprPtr>> argumentsFrom(ExprPtr first);
    Result<ExprPtr> plainCall(qsizetype begin, QualifiedName name, std::vector<ExprPtr> arguments);

    // parser_type.cpp
    Result<TypePtr> plainType();
    Result<Type> dateTimeType(DateTimeType::Base base);
    Result<Type> genericType();
    Result<Type> rowType();
    Result<Type> legacyType();
    Result<Type> intervalType();
    Result<RowField> rowField();
    Result<TypeParameter> typeParameter();

    // parser_query.cpp
    bool atQuery(qsizetype ahead = 0) const;
    bool atQueryOrNested(qsizetype ahead = 0) const;
    bool atSetOperation() const;
    bool atQueryTail(qsizetype ahead = 0) const;
    bool atLimit(qsizetype ahead) const;
    Result<With> with();
    Result<Query> queryNoWith(QueryBodyPtr first = {});
    Status queryTail(Query &query);
    Result<std::optional<Limit>> limit();
    Result<ExprPtr> rowCount();
    Result<QueryBodyPtr> setOperations(QueryBodyPtr first);
    Result<QueryBodyPtr> intersections(QueryBodyPtr first);
    Result<QueryBodyPtr> queryPrimary();
    Result<SetOperation::Step> setOperator();
    static QueryBodyPtr asBody(Query query, Span span);
    static QueryBodyPtr unwrapped(QueryBodyPtr body);
    Result<QueryBodyPtr> values();
    Result<QueryPtr> queryInParentheses();  // ( query )
    Result<SortItem> sortItem();
    Result<std::vector<SortItem>> sortItems();
    Result<std::vector<Identifier>> columnAliases(QStringView what);

    // parser_select.cpp
    Result<QueryBodyPtr> select();
    Status fromAndWhere(Select &select);
    Result<SelectItem> selectItem();
    Status allColumns(SelectItem &item);
    Result<GroupBy> groupBy();
    Result<GroupingElement> groupingElement();
    Result<GroupingSet> groupingSet();
    Result<std::vector<GroupingSet>> groupingSets();
    Result<std::vector<WindowDefinition>> windows();
    bool atImplicitAlias() const;
    bool atWindowClause(qsizetype ahead = 0) const;

    // parser_relation.cpp
    Result<RelationPtr> relation();
    Result<RelationPtr> joins(RelationPtr left);
    Result<RelationPtr> join(RelationPtr left);
    Join::Kind joinKind();
    Result<RelationPtr> sampled();
    Result<Sample> sample();
    bool atSampleClause() const;
    Result<RelationPtr> named(RelationPtr primary);
    Result<RelationPtr> relationPrimary();
    Result<RelationPtr> parenthesizedRelation();
    Result<QueryOr<RelationPtr>> queryOrRelation();
    Result<RelationPtr> table();
    Result<std::optional<QueryPeriod>> queryPeriod();
    Result<RelationPtr> unnest();
    Result<std::optional<Alias>> alias();
    bool atRelationAlias() const;

    // parser_table_function.cpp
    Result<RelationPtr> tableFunction();
    Result<TableFunctionArgument> tableFunctionArgument();
    Result<TableArgument> tableArgument();
    Result<std::vector<SortItem>> tableArgumentOrder();
    Result<DescriptorArgument> descriptor();
    Result<std::vector<std::vector<QualifiedName>>> copartitions();

    // parser_statement.cpp, parser_ddl.cpp
    Result<Statement::Node> statementNode();
    Result<Statement::Node> createStatement();
    Result<Statement::Node> createTable(bool orReplace);
    Result<Statement::Node> createTableAs(CreateTable table, std::vector<Identifier> aliases);
    Result<Statement::Node> dropStatement();
    Result<Statement::Node> insert();
    Result<Statement::Node> deleteFrom();
    Result<Statement::Node> update();
    Result<Statement::Node> merge();
    Result<MergeCase> mergeCase();
    Result<MergeInsert> mergeInsert();
    Result<Statement::Node> alterTable();
    Result<Statement::Node> alterColumns(QualifiedName table, bool ifExists);
    Result<ColumnPosition> columnPosition();
    Result<Statement::Node> commentOn();
    Result<Statement::Node> tableExecute(QualifiedName table);
    Result<Statement::Node> show();
    Result<Statement::Node> describe();
    Result<std::optional<ShowPattern>> showPattern();
    Result<std::vector<Assignment>> assignments();
    Result<TableElement> tableElement();
    Result<ColumnDefinition> columnDefinition();
    Result<std::vector<Property>> properties();
    Result<std::vector<Property>> propertyAssignments();
    Result<std::optional<QString>> comment();
    Result<ExprPtr> optionalWhere();
    std::unexpected<Error> unsupportedStatement() const;

    int m_depth = 0;       // levels that are open now
    int m_height = 0;      // of the highest subtree that was finished in the current level
    int m_parameters = 0;  // how many `?` were read
};

// Guards one level of nesting: bounds both the recursion of the parser and the depth of the tree it
// builds. A weight of 0 only keeps the heights of siblings apart.
class Parser::Level {
public:
    explicit Level(Parser &parser, int weight = 1)
        : m_parser(parser), m_weight(weight), m_heightBefore(std::exchange(parser.m_height, 0))
    {
        parser.m_depth += weight;
    }
    ~Level()
    {
        m_parser.m_depth -= m_weight;
        m_parser.m_height = std::max(m_heightBefore, m_parser.m_height + m_weight);
    }
    Q_DISABLE_COPY_MOVE(Level)

private:
    Parser &m_parser;
    int m_weight;
    int m_heightBefore;
};

// The node of a tree that nobody else holds yet, moved out; otherwise a copy.
template <typename Node>
Node take(const ExprPtr &expr)
{
    // Made by makeExpr() as a non-const object.
    if (expr.use_count() == 1)
        return std::move(std::get<Node>(const_cast<Expr &>(*expr).node));
    return std::get<Node>(expr->node);
}

// The same tree with a wider span: in its parentheses. Copies only what somebody else holds.
template <typename Node>
std::shared_ptr<const Node> widened(std::shared_ptr<const Node> node, Span span)
{
    if (node.use_count() != 1)
        node = std::make_shared<Node>(*node);
    const_cast<Node &>(*node).span = span;  // made by make_shared<Node> as a non-const object
    return node;
}

}  // namespace ivm::sql
