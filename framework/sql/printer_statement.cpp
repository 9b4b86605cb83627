// Statements.
#include "framework/sql/printer_core.h"

namespace ivm::sql {

void Printer::statement(const Statement &statement)
{
    std::visit([this](const auto &one) { node(one); }, statement.node);
}

void Printer::where(const ExprPtr &condition)
{
    if (!condition)
        return;
    write(u" WHERE ");
    expression(*condition);
}

void Printer::comment(const std::optional<QString> &words)
{
    if (!words)
        return;
    write(u" COMMENT ");
    string(*words);
}

// a = 1, b = DEFAULT
void Printer::propertyList(const std::vector<Property> &all)
{
    list(all, [this](const Property &one) {
        name(one.name);
        write(u" = ");
        if (one.value)
            expression(*one.value);
        else
            write(u"DEFAULT");
    });
}

void Printer::properties(const std::vector<Property> &all)
{
    if (all.empty())
        return;
    write(u" WITH (");
    propertyList(all);
    write(u")");
}

void Printer::assignments(const std::vector<Assignment> &all)
{
    list(all, [this](const Assignment &one) {
        name(one.target);
        write(u" = ");
        expression(*one.value);
    });
}

void Printer::node(const CreateSchema &one)
{
    write(one.ifNotExists ? u"CREATE SCHEMA IF NOT EXISTS " : u"CREATE SCHEMA ");
    name(one.name);
    properties(one.properties);
}

void Printer::node(const DropSchema &one)
{
    write(one.ifExists ? u"DROP SCHEMA IF EXISTS " : u"DROP SCHEMA ");
    name(one.name);
    if (one.cascade)
        write(u" CASCADE");
}

void Printer::createHead(WhenExists whenExists, const QualifiedName &table)
{
    write(whenExists == WhenExists::Replace ? u"CREATE OR REPLACE TABLE " : u"CREATE TABLE ");
    if (whenExists == WhenExists::Keep)
        write(u"IF NOT EXISTS ");
    name(table);
}

void Printer::node(const CreateTable &one)
{
    createHead(one.whenExists, one.name);
    write(u" (");
    list(one.elements, [this](const TableElement &element) {
        if (const auto *definition = std::get_if<ColumnDefinition>(&element)) {
            column(*definition);
            return;
        }
        const LikeClause &like = std::get<LikeClause>(element);
        write(u"LIKE ");
        name(like.name);
        if (like.includingProperties)
            write(u" INCLUDING PROPERTIES");
    });
    write(u")");
    comment(one.comment);
    properties(one.properties);
}

void Printer::column(const ColumnDefinition &column)
{
    name(column.name);
    write(u" ");
    type(*column.type);
    if (column.notNull)
        write(u" NOT NULL");
    comment(column.comment);
    properties(column.properties);
}

void Printer::node(const CreateTableAs &one)
{
    createHead(one.whenExists, one.name);
    if (!one.columnAliases.empty()) {
        write(u" ");
        names(one.columnAliases);
    }
    comment(one.comment);
    properties(one.properties);
    write(u" AS ");
    query(*one.query);
    if (!one.withData)
        write(u" WITH NO DATA");
}

void Printer::node(const DropTable &one)
{
    write(one.ifExists ? u"DROP TABLE IF EXISTS " : u"DROP TABLE ");
    name(one.name);
}

void Printer::node(const TruncateTable &one)
{
    write(u"TRUNCATE TABLE ");
    name(one.name);
}

void Printer::node(const Insert &one)
{
    write(u"INSERT INTO ");
    name(one.table);
    write(u" ");
    if (!one.columns.empty()) {
        names(one.columns);
        write(u" ");
    }
    query(*one.query);
}

void Printer::node(const Delete &one)
{
    write(u"DELETE FROM ");
    name(one.table);
    where(one.where);
}

void Printer::node(const Update &one)
{
    write(u"UPDATE ");
    name(one.table);
    write(u" SET ");
    assignments(one.assignments);
    where(one.where);
}

void Printer::node(const Merge &one)
{
    write(u"MERGE INTO ");
    name(one.table);
    if (one.alias) {
        write(u" AS ");
        name(*one.alias);
    }
    write(u" USING ");
    relation(*one.source);
    write(u" ON ");
    expression(*one.on);
    for (const MergeCase &mergeCase : one.cases) {
        const bool insert = std::holds_alternative<MergeInsert>(mergeCase.action);
        write(insert ? u" WHEN NOT MATCHED" : u" WHEN MATCHED");
        if (mergeCase.condition) {
            write(u" AND ");
            expression(*mergeCase.condition);
        }
        write(u" THEN ");
        std::visit([this](const auto &action) { node(action); }, mergeCase.action);
    }
}

void Printer::node(const MergeUpdate &one)
{
    write(u"UPDATE SET ");
    assignments(one.assignments);
}

void Printer::node(const MergeInsert &one)
{
    write(u"INSERT ");
    if (!one.columns.empty()) {
        names(one.columns);
        write(u" ");
    }
    write(u"VALUES (");
    expressions(one.values);
    write(u")");
}

void Printer::alterTable(bool ifExists, const QualifiedName &table)
{
    write(ifExists ? u"ALTER TABLE IF EXISTS " : u"ALTER TABLE ");
    name(table);
}

void Printer::node(const RenameTable &one)
{
    alterTable(one.ifExists, one.table);
    write(u" RENAME TO ");
    name(one.to);
}

void Printer::node(const AddColumn &one)
{
    alterTable(one.ifExists, one.table);
    write(one.ifNotExists ? u" ADD COLUMN IF NOT EXISTS " : u" ADD COLUMN ");
    column(one.column);
    if (one.position.first)
        write(u" FIRST");
    if (one.position.after) {
        write(u" AFTER ");
        name(*one.position.after);
    }
}

void Printer::node(const DropColumn &one)
{
    alterTable(one.ifExists, one.table);
    write(one.ifColumnExists ? u" DROP COLUMN IF EXISTS " : u" DROP COLUMN ");
    name(one.column);
}

void Printer::node(const RenameColumn &one)
{
    alterTable(one.ifExists, one.table);
    write(one.ifColumnExists ? u" RENAME COLUMN IF EXISTS " : u" RENAME COLUMN ");
    name(one.column);
    write(u" TO ");
    name(one.to);
}

void Printer::node(const SetColumnType &one)
{
    alterTable(one.ifExists, one.table);
    write(u" ALTER COLUMN ");
    name(one.column);
    write(u" SET DATA TYPE ");
    type(*one.type);
}

void Printer::node(const DropNotNull &one)
{
    alterTable(one.ifExists, one.table);
    write(u" ALTER COLUMN ");
    name(one.column);
    write(u" DROP NOT NULL");
}

void Printer::node(const SetTableProperties &one)
{
    alterTable(false, one.table);
    write(u" SET PROPERTIES ");
    propertyList(one.properties);
}

void Printer::commentIs(const std::optional<QString> &words)
{
    write(u" IS ");
    if (words)
        string(*words);
    else
        write(u"NULL");
}

void Printer::node(const CommentOnTable &one)
{
    write(u"COMMENT ON TABLE ");
    name(one.table);
    commentIs(one.comment);
}

void Printer::node(const CommentOnColumn &one)
{
    write(u"COMMENT ON COLUMN ");
    name(one.table);
    write(u".");
    name(one.column);
    commentIs(one.comment);
}

void Printer::node(const TableExecute &one)
{
    alterTable(false, one.table);
    write(u" EXECUTE ");
    name(one.procedure);
    if (!one.arguments.empty()) {
        write(u"(");
        list(one.arguments, [this](const CallArgument &argument) {
            if (argument.name) {
                name(*argument.name);
                write(u" => ");
            }
            expression(*argument.value);
        });
        write(u")");
    }
    where(one.where);
}

void Printer::like(const std::optional<ShowPattern> &pattern)
{
    if (!pattern)
        return;
    write(u" LIKE ");
    string(pattern->pattern);
    if (pattern->escape) {
        write(u" ESCAPE ");
        string(*pattern->escape);
    }
}

void Printer::node(const ShowTables &one)
{
    write(u"SHOW TABLES");
    if (one.schema) {
        write(u" FROM ");
        name(*one.schema);
    }
    like(one.like);
}

void Printer::node(const ShowSchemas &one)
{
    write(u"SHOW SCHEMAS");
    if (one.catalog) {
        write(u" FROM ");
        name(*one.catalog);
    }
    like(one.like);
}

void Printer::node(const ShowColumns &one)
{
    write(u"SHOW COLUMNS FROM ");
    name(one.table);
    like(one.like);
}

}  // namespace ivm::sql
