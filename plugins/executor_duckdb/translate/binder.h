// Binds the parts of one statement and prints them for DuckDB as it goes: every name gets its
// column, every expression its type, every conversion that Trino makes by itself is written out as
// a CAST.
//
// Relations get the aliases r0, r1 …, WITH queries w0, w1 …, the columns of inner queries c0, c1 …,
// so no name of the user's can mean anything else to DuckDB than it did to Trino.
// Threads: one. Lifetime: one statement. Errors carry the place in the statement's text.
#pragma once

#include "plugins/executor_duckdb/translate/overload.h"
#include "plugins/executor_duckdb/translate/scope.h"
#include "plugins/executor_duckdb/translate/translate.h"

namespace ivm::duckdb {

struct Output {
    QString name;  // empty: unnamed
    Type type;
};

struct BoundQuery {
    QString sql;
    std::vector<Output> outputs;
};

// How the output columns are called in the DuckDB text.
enum class OutputNames { Positions, Own };

// What a name can mean as a column of the result; ORDER BY looks here first.
struct NamedOutput {
    QString name;
    const Bound *value;
};

// Where an expression stands.
struct Context {
    const Scope *scope = nullptr;
    QStringView clause = u"this expression";  // for messages
    bool aggregates = false;                  // may stand here
    bool windows = false;                     // may stand here
    const Grouping *grouping = nullptr;       // of this query, when it is aggregated
    const std::vector<NamedOutput> *outputs = nullptr;
};

// What a call of an aggregate or window function has besides its arguments, as DuckDB writes it.
struct CallClauses {
    QString distinct = {};  // "DISTINCT "
    QString order = {};     // " ORDER BY …", inside of the parentheses
    QString suffix = {};    // FILTER and OVER
};

// What FROM gives.
struct BoundFrom {
    QString sql;
    std::vector<Field> fields;
};

class Binder {
public:
    explicit Binder(const Input &input) : m_input(input) {}

    Result<BoundQuery> query(const sql::Query &query, const Scope *outer, const Grouping *grouping,
                             OutputNames names);

    Result<Bound> expression(const sql::ExprPtr &expr, const Context &context);
    // A boolean of which only TRUE counts: WHERE and ON.
    Result<Bound> condition(const sql::ExprPtr &expr, const Context &context);
    // A boolean as a value.
    Result<Bound> boolean(const sql::ExprPtr &expr, const Context &context, QStringView what);

    // The value as another type, as CAST makes it.
    Result<Bound> cast(const Bound &value, const Type &type, sql::Span span);
    Result<Bound> tryCast(const Bound &value, const Type &type, sql::Span span);

    // The error with the place of the span.
    Error at(sql::Span span, Error error) const;
    std::unexpected<Error> invalid(sql::Span span, QStringView code, const QString &message,
                                   const QString &hint = {}) const;
    std::unexpected<Error> unsupported(sql::Span span, QStringView code, const QString &message,
                                       const QString &hint = {}) const;

    // What has been used of the tables so far.
    const UsedRows &used() const { return m_used; }

    std::unexpected<Error> tooLong(sql::Span span) const;

    QString newAlias() { return QStringLiteral("r%1").arg(m_aliases++); }

    // bind_select.cpp
    Result<BoundQuery> select(const sql::Select &select, const sql::Query *tail, const Scope *outer,
                              const Grouping *grouping, OutputNames names);
    // bind_relation.cpp
    Result<BoundFrom> relation(const sql::RelationPtr &relation, const Scope *outer,
                               const Grouping *grouping);
    Result<BoundFrom> table(const sql::QualifiedName &name, const std::optional<sql::QueryPeriod> &,
                            sql::Span span);
    // " ASC NULLS LAST"
    static QString direction(const sql::SortItem &item);
    // " LIMIT 5 OFFSET 2"
    Result<QString> limits(const sql::Query &query) const;
    // A position from ORDER BY or GROUP BY, from 0.
    Result<std::optional<size_t>> ordinal(const sql::ExprPtr &expr, size_t count,
                                          QStringView clause) const;
    // Values of a type that can be told apart: for DISTINCT, GROUP BY, set operations.
    Status requireComparable(const Type &type, sql::Span span, QStringView what) const;
    Status requireOrderable(const Type &type, sql::Span span, QStringView what) const;
    // Whether the value's parts can be written out one by one.
    Status checkParts(const Bound &value, sql::Span span) const;
    // The text to sort a query's rows by.
    Result<QString> sortKey(const QString &sql, const Type &type, sql::Span span) const;

    Result<QString> columnCast(const QString &column, const Type &from, const Type &to,
                               sql::Span span);

private:
    struct WithQuery {
        QString name;
        QString alias;
        std::vector<Output> outputs;
    };

    // bind_query.cpp
    Result<QString> withQueries(const sql::With &with, const Scope *outer,
                                const Grouping *grouping);
    Result<BoundQuery> body(const sql::QueryBody &body, const sql::Query *tail, const Scope *outer,
                            const Grouping *grouping, OutputNames names);
    Result<BoundQuery> sorted(BoundQuery inner, const sql::Query &tail, const Scope *outer,
                              OutputNames names);
    Result<BoundQuery> setOperation(const sql::SetOperation &node, const Scope *outer,
                                    const Grouping *grouping, OutputNames names);
    Status unite(std::vector<Output> &types, const BoundQuery &operand,
                 const sql::SetOperation::Step &step) const;
    Result<QString> operandAs(const BoundQuery &operand, const std::vector<Output> &outputs,
                              OutputNames names, sql::Span span);
    Result<BoundQuery> values(const sql::Values &node, const Scope *outer, OutputNames names,
                              sql::Span span);
    // A row of VALUES: one value, or those of the row that it is.
    Result<QList<Bound>> cells(const sql::ExprPtr &row, const Context &context);
    Result<BoundQuery> tableQuery(const sql::TableQuery &node, OutputNames names);

    // bind_relation.cpp
    Result<BoundFrom> from(const sql::Table &node, sql::Span span);
    Result<BoundFrom> from(const sql::SubqueryRelation &node, const Scope *outer,
                           const Grouping *grouping);
    Result<BoundFrom> from(const sql::TableFunction &node, sql::Span span);
    Result<BoundFrom> from(const sql::Join &node, const Scope *outer, const Grouping *grouping,
                           sql::Span span);
    Result<BoundFrom> joinOn(const sql::Join &node, BoundFrom left, BoundFrom right,
                             const sql::ExprPtr &on, const Scope *outer, const Grouping *grouping);
    Result<BoundFrom> joinUsing(const sql::Join &node, BoundFrom left, BoundFrom right,
                                const sql::Join::Using &shared);
    BoundFrom fromWith(const WithQuery &with);
    BoundFrom named(const QString &sql, const std::vector<Output> &outputs, QStringList qualifier);
    Status rename(BoundFrom &from, const sql::Alias &alias) const;
    Result<TableVersion> version(const std::optional<sql::QueryPeriod> &period) const;
    Result<FunctionArgument> argument(const sql::TableFunctionArgument &argument) const;

    // bind_literal.cpp
    Result<Bound> node(const sql::NullLiteral &, const Context &, sql::Span);
    Result<Bound> node(const sql::BooleanLiteral &, const Context &, sql::Span);
    Result<Bound> node(const sql::IntegerLiteral &, const Context &, sql::Span);
    Result<Bound> node(const sql::DecimalLiteral &, const Context &, sql::Span);
    Result<Bound> node(const sql::DoubleLiteral &, const Context &, sql::Span);
    Result<Bound> node(const sql::StringLiteral &, const Context &, sql::Span);
    Result<Bound> node(const sql::BinaryLiteral &, const Context &, sql::Span);
    Result<Bound> node(const sql::TypedLiteral &, const Context &, sql::Span);
    Result<Bound> node(const sql::IntervalLiteral &, const Context &, sql::Span);
    Result<Bound> decimal(const QString &text, sql::Span span) const;
    Result<Bound> moment(const sql::TypedLiteral &node, sql::Span span) const;
    Result<Bound> node(const sql::CurrentValue &, const Context &, sql::Span);
    // The time of the statement, as the clock in UTC shows it.
    QString clockText(int digits) const;

    // bind_column.cpp
    Result<Bound> node(const sql::ColumnReference &, const Context &, sql::Span);
    Result<Bound> column(const QStringList &parts, const Context &context, sql::Span span);
    // A query inside of an expression.
    Result<BoundQuery> subqueryOf(const sql::Query &inner, const Context &context, sql::Span span);
    Result<Bound> node(const sql::SubqueryExpression &, const Context &, sql::Span);
    Result<Bound> node(const sql::Exists &, const Context &, sql::Span);
    Result<Bound> node(const sql::InSubquery &, const Context &, sql::Span);

    // bind_operator.cpp
    Result<Bound> node(const sql::Arithmetic &, const Context &, sql::Span);
    Result<Bound> node(const sql::Unary &, const Context &, sql::Span);
    Result<Bound> node(const sql::Concatenation &, const Context &, sql::Span);
    Result<Bound> node(const sql::AtTimeZone &, const Context &, sql::Span);
    // The id of the time zone that a literal names.
    Result<QString> zone(const sql::ExprPtr &zone) const;
    Result<Bound> operation(QStringView name, QList<Bound> operands, sql::Span span);
    Result<Bound> apply(const Choice &choice, const QList<Bound> &operands,
                        const CallClauses &clauses, sql::Span span);

    // bind_predicate.cpp
    Result<Bound> node(const sql::Logical &, const Context &, sql::Span);
    Result<Bound> node(const sql::Not &, const Context &, sql::Span);
    Result<Bound> node(const sql::Comparison &, const Context &, sql::Span);
    Result<Bound> node(const sql::Between &, const Context &, sql::Span);
    Result<Bound> node(const sql::InList &, const Context &, sql::Span);
    Result<Bound> node(const sql::Like &, const Context &, sql::Span);
    Result<Bound> node(const sql::IsNull &, const Context &, sql::Span);
    Result<Bound> node(const sql::IsDistinctFrom &, const Context &, sql::Span);
    Result<Bound> compare(sql::ComparisonOp op, const Bound &a, const Bound &b, sql::Span span);
    Result<Bound> compareForTruth(sql::ComparisonOp op, const Bound &a, const Bound &b,
                                  sql::Span span);
    Status unify(QList<Bound> &values, QStringView what, sql::Span span);

    // bind_call.cpp
    Result<Bound> node(const sql::FunctionCall &, const Context &, sql::Span);
    Result<Bound> node(const sql::Listagg &, const Context &, sql::Span);
    Result<Bound> node(const sql::Extract &, const Context &, sql::Span);
    Result<Bound> node(const sql::Case &, const Context &, sql::Span);
    Result<Bound> node(const sql::Cast &, const Context &, sql::Span);
    Result<Bound> nullif(const sql::FunctionCall &call, const Context &context, sql::Span span);
    Result<Bound> branches(const QList<Bound> &conditions, QList<Bound> results, bool hasElse,
                           sql::Span span);
    Status checkPlace(const sql::FunctionCall &call, FunctionKind kind, const Context &context,
                      sql::Span span) const;
    Result<QList<Bound>> arguments(const sql::FunctionCall &call, const Context &context);
    Result<QString> suffixOf(const sql::FunctionCall &call, const Context &context, sql::Span span);
    Result<QString> window(const sql::Over &over, const Context &context, sql::Span span);
    // " ORDER BY …" of an aggregate.
    Result<QString> orderOf(const sql::FunctionCall &call, const QList<Bound> &operands,
                            const Context &context);
    Result<Bound> call(const sql::FunctionCall &call, const QList<Bound> &operands,
                       CallClauses clauses, sql::Span span);

    // bind_nested.cpp
    Result<Bound> node(const sql::RowConstructor &, const Context &, sql::Span);
    Result<Bound> node(const sql::ArrayConstructor &, const Context &, sql::Span);
    Result<Bound> node(const sql::Dereference &, const Context &, sql::Span);
    Result<Bound> node(const sql::Subscript &, const Context &, sql::Span);
    Result<Bound> field(const Bound &row, const QString &name, const QStringList &chain,
                        sql::Span span) const;
    Result<Bound> castNested(const Bound &value, const Type &type, bool safe, sql::Span span);
    struct NestedCast {
        QString sql;
        bool same = false;  // no part changes
    };
    Result<NestedCast> castParts(const Bound &value, const Type &type, sql::Span span);

    // What the embedded engine has nothing for.
    template <typename Node>
    Result<Bound> node(const Node &, const Context &, sql::Span span);

    // fill(), with the place in errors.
    Result<QString> filled(QStringView text, const Filling &filling, sql::Span span) const;
    Result<Bound> castWith(const Bound &value, const Type &type, bool safe, sql::Span span);

    Input m_input;
    UsedRows m_used;
    int m_aliases = 0;
    int m_subqueries = 0;  // around the expression that is bound
    std::vector<WithQuery> m_with;
};

// The value with the first loose column of its parts.
Bound boundOf(QString sql, Type type, const QList<Bound> &parts);

// How an output column is called: "c2", or its own quoted name.
QString outputName(const std::vector<Output> &outputs, size_t index, OutputNames names);
// Trino's name for it: its own or _col2.
QString shownName(const Output &output, size_t index);

// Whether the expression calls an aggregate of its own query (subqueries and windows aside).
bool hasAggregate(const sql::ExprPtr &expr);
bool hasSubquery(const sql::ExprPtr &expr);

}  // namespace ivm::duckdb
