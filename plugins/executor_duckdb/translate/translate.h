// From Trino's SQL to DuckDB's: binds names and types as Trino does and prints a statement that
// gives equal values of equal types. What is not known to be equal is refused by name; the function
// and cast tables say what is known.
//
// Pure functions, safe in any thread; a RelationSource is called from the calling thread only.
// Results own their text. The statements rely on sessionSettings() and on each relation's columns
// being of duckdbType(). Errors are Invalid or Unsupported, with a stable code, the line and column
// in the given text, and a hint; besides those, whatever the RelationSource gave, with the place of
// the relation added.
#pragma once

#include "framework/api/rows.h"
#include "framework/sql/ast.h"

#include <QSet>

#include <chrono>
#include <variant>

namespace ivm::duckdb {

// Which state of a table FOR VERSION AS OF names: the head where it is not written, a snapshot, a
// branch or tag.
using TableVersion = std::variant<std::monostate, SnapshotId, QString>;

// What a name in FROM stands for.
struct BoundRelation {
    TableName name =
        {};  // may qualify the columns; without a table name (a function's result) nothing does
    QList<Column> columns;  // what SELECT * gives, in order, with Trino's types
    QString sql;  // DuckDB's: goes into FROM as it is, followed by an alias. Its columns have the
                  // names above and below.
    QList<Column> hidden = {};  // found by their names only ("$path"), not by *
};

// An argument of a table function, a constant: positional ones have no name.
struct FunctionArgument {
    QString name;
    Value value;
};

// Looks up what stands in FROM.
class RelationSource {
public:
    virtual ~RelationSource() = default;
    // `name` has as many parts as were written. NotFound when there is no such table or version,
    // and whatever reading it can give.
    virtual Result<BoundRelation> table(const sql::QualifiedName &name,
                                        const TableVersion &version) = 0;
    // TABLE(name(arguments)), the name in lower case. Invalid (arguments), Unsupported (no such
    // function), and whatever reading it can give.
    virtual Result<BoundRelation> tableFunction(const QString &name,
                                                const QList<FunctionArgument> &arguments) = 0;
};

// Where expressions and names come from: the text that was parsed, for places in errors, the
// relations, and the time that the whole statement takes for now.
struct Input {
    QStringView text;
    RelationSource &relations;
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now();
};

struct FunctionRow;
struct CastRow;
// Rows of the tables (function_table.h).
struct UsedRows {
    QSet<const FunctionRow *> functions;
    QSet<const CastRow *> casts;
};

struct TranslatedQuery {
    QString sql;
    QList<Column> columns;  // named as Trino names them (_col0 …); names may repeat
    UsedRows used = {};
};
struct TranslatedExpression {
    QString sql;
    Type type;
};

// One row of a table, for the expressions of DELETE, UPDATE and the like.
struct RowScope {
    TableName name;  // may qualify the columns
    QList<Column> columns;
    QString alias;  // the alias that the caller's statement gives to the relation that holds the
                    // columns
};

Result<TranslatedQuery> translateQuery(const sql::Query &query, const Input &input);

// The query's rows converted to a table's columns as INSERT does; type_mismatch where Trino
// refuses. A value that does not fit fails when the statement runs.
Result<TranslatedQuery> translateInsert(const sql::Query &query, const QList<Column> &table,
                                        const Input &input);

// A boolean over one row: WHERE of DELETE and UPDATE.
Result<TranslatedExpression> translateCondition(const sql::ExprPtr &condition, const RowScope &row,
                                                const Input &input);

// A value over one row, converted to `column` as UPDATE … SET does.
Result<TranslatedExpression> translateAssignment(const sql::ExprPtr &value, const Column &column,
                                                 const RowScope &row, const Input &input);

// How DuckDB has to hold a value of the type: "DECIMAL(12,2)". Unsupported, naming it, for a type
// the engine does not take.
Result<QString> duckdbType(const Type &type);

// The type that a CAST or a column definition names. Invalid (no such type), Unsupported.
Result<Type> boundType(const sql::TypePtr &type, QStringView text);

// Statements to run once on every connection that runs translated SQL.
QStringList sessionSettings();

}  // namespace ivm::duckdb
