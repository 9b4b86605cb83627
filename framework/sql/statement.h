// The syntax tree of the statements that `ivmctl sql` and migrations run. Rules as in ast.h.
#pragma once

#include "framework/sql/ast.h"

namespace ivm::sql {

// name = expression, or name = DEFAULT (then value is null).
struct Property {
    Identifier name;
    ExprPtr value;
    auto fields() const { return std::tie(name, value); }
};

struct ColumnDefinition {
    QualifiedName name;
    TypePtr type;
    bool notNull = false;
    std::optional<QString> comment;
    std::vector<Property> properties;
    Span span;
    auto fields() const { return std::tie(name, type, notNull, comment, properties); }
};
// LIKE other [INCLUDING | EXCLUDING PROPERTIES]
struct LikeClause {
    QualifiedName name;
    bool includingProperties = false;
    Span span;
    auto fields() const { return std::tie(name, includingProperties); }
};
using TableElement = std::variant<ColumnDefinition, LikeClause>;

enum class WhenExists {
    Fail,
    Keep,
    Replace
};  // CREATE TABLE | CREATE TABLE IF NOT EXISTS | CREATE OR REPLACE TABLE

struct CreateSchema {
    QualifiedName name;
    bool ifNotExists = false;
    std::vector<Property> properties;
    auto fields() const { return std::tie(name, ifNotExists, properties); }
};
struct DropSchema {
    QualifiedName name;
    bool ifExists = false;
    bool cascade = false;
    auto fields() const { return std::tie(name, ifExists, cascade); }
};
struct CreateTable {
    QualifiedName name;
    WhenExists whenExists = WhenExists::Fail;
    std::vector<TableElement> elements;
    std::optional<QString> comment;
    std::vector<Property> properties;
    auto fields() const { return std::tie(name, whenExists, elements, comment, properties); }
};
struct CreateTableAs {
    QualifiedName name;
    WhenExists whenExists = WhenExists::Fail;
    std::vector<Identifier> columnAliases;
    std::optional<QString> comment;
    std::vector<Property> properties;
    QueryPtr query;
    bool withData = true;
    auto fields() const
    {
        return std::tie(name, whenExists, columnAliases, comment, properties, query, withData);
    }
};
struct DropTable {
    QualifiedName name;
    bool ifExists = false;
    auto fields() const { return std::tie(name, ifExists); }
};
struct TruncateTable {
    QualifiedName name;
    auto fields() const { return std::tie(name); }
};

struct Insert {
    QualifiedName table;
    std::vector<Identifier> columns;  // empty: all columns in their order
    QueryPtr query;
    auto fields() const { return std::tie(table, columns, query); }
};
struct Delete {
    QualifiedName table;
    ExprPtr where;  // null when absent
    auto fields() const { return std::tie(table, where); }
};
struct Assignment {
    Identifier target;
    ExprPtr value;
    auto fields() const { return std::tie(target, value); }
};
struct Update {
    QualifiedName table;
    std::vector<Assignment> assignments;
    ExprPtr where;  // null when absent
    auto fields() const { return std::tie(table, assignments, where); }
};
struct MergeUpdate {
    std::vector<Assignment> assignments;
    auto fields() const { return std::tie(assignments); }
};
struct MergeDelete {
    auto fields() const { return std::tie(); }
};
struct MergeInsert {
    std::vector<Identifier> columns;  // empty: all columns in their order
    std::vector<ExprPtr> values;
    auto fields() const { return std::tie(columns, values); }
};
// WHEN [NOT] MATCHED [AND condition] THEN …; NOT MATCHED exactly with MergeInsert.
struct MergeCase {
    ExprPtr condition;  // null when absent
    std::variant<MergeUpdate, MergeDelete, MergeInsert> action;
    Span span;
    auto fields() const { return std::tie(condition, action); }
};
struct Merge {
    QualifiedName table;
    std::optional<Identifier> alias;
    RelationPtr source;
    ExprPtr on;
    std::vector<MergeCase> cases;
    auto fields() const { return std::tie(table, alias, source, on, cases); }
};

struct RenameTable {
    QualifiedName table;
    bool ifExists = false;
    QualifiedName to;
    auto fields() const { return std::tie(table, ifExists, to); }
};
// FIRST, LAST (also when nothing is said), or AFTER a column.
struct ColumnPosition {
    bool first = false;
    std::optional<Identifier> after;
    auto fields() const { return std::tie(first, after); }
};
struct AddColumn {
    QualifiedName table;
    bool ifExists = false;
    ColumnDefinition column;
    bool ifNotExists = false;
    ColumnPosition position;
    auto fields() const { return std::tie(table, ifExists, column, ifNotExists, position); }
};
struct DropColumn {
    QualifiedName table;
    bool ifExists = false;
    QualifiedName column;
    bool ifColumnExists = false;
    auto fields() const { return std::tie(table, ifExists, column, ifColumnExists); }
};
struct RenameColumn {
    QualifiedName table;
    bool ifExists = false;
    QualifiedName column;
    bool ifColumnExists = false;
    Identifier to;
    auto fields() const { return std::tie(table, ifExists, column, ifColumnExists, to); }
};
struct SetColumnType {
    QualifiedName table;
    bool ifExists = false;
    QualifiedName column;
    TypePtr type;
    auto fields() const { return std::tie(table, ifExists, column, type); }
};
struct DropNotNull {
    QualifiedName table;
    bool ifExists = false;
    Identifier column;
    auto fields() const { return std::tie(table, ifExists, column); }
};
struct SetTableProperties {
    QualifiedName table;
    std::vector<Property> properties;
    auto fields() const { return std::tie(table, properties); }
};
// COMMENT ON TABLE t IS 'text', and IS NULL, which takes the comment away
struct CommentOnTable {
    QualifiedName table;
    std::optional<QString> comment;
    auto fields() const { return std::tie(table, comment); }
};
struct CommentOnColumn {
    QualifiedName table;
    Identifier column;
    std::optional<QString> comment;
    auto fields() const { return std::tie(table, column, comment); }
};
// f(1, name => 2)
struct CallArgument {
    std::optional<Identifier> name;
    ExprPtr value;
    auto fields() const { return std::tie(name, value); }
};
// ALTER TABLE t EXECUTE optimize(file_size_threshold => '10MB') WHERE …
struct TableExecute {
    QualifiedName table;
    Identifier procedure;
    std::vector<CallArgument> arguments;
    ExprPtr where;  // null when absent
    auto fields() const { return std::tie(table, procedure, arguments, where); }
};

// LIKE 'pattern' [ESCAPE 'e']
struct ShowPattern {
    QString pattern;
    std::optional<QString> escape;
    auto fields() const { return std::tie(pattern, escape); }
};
struct ShowTables {
    std::optional<QualifiedName> schema;
    std::optional<ShowPattern> like;
    auto fields() const { return std::tie(schema, like); }
};
struct ShowSchemas {
    std::optional<Identifier> catalog;
    std::optional<ShowPattern> like;
    auto fields() const { return std::tie(catalog, like); }
};
// Also DESCRIBE t and DESC t.
struct ShowColumns {
    QualifiedName table;
    std::optional<ShowPattern> like;
    auto fields() const { return std::tie(table, like); }
};

struct Statement {
    using Node = std::variant<Query, CreateSchema, DropSchema, CreateTable, CreateTableAs,
                              DropTable, TruncateTable, Insert, Delete, Update, Merge, RenameTable,
                              AddColumn, DropColumn, RenameColumn, SetColumnType, DropNotNull,
                              SetTableProperties, CommentOnTable, CommentOnColumn, TableExecute,
                              ShowTables, ShowSchemas, ShowColumns>;
    Node node;
    Span span;  // without a trailing semicolon
    auto fields() const { return std::tie(node); }
};

}  // namespace ivm::sql
