// Statements that read and write rows, and which statement it is at all.
#include "framework/sql/parser_core.h"

#include <algorithm>
#include <array>

namespace ivm::sql {

Result<Statement> Parser::statement()
{
    const qsizetype start = begin();
    IVM_TRY(Statement::Node node, statementNode());
    return Statement{std::move(node), spanFrom(start)};
}

Result<Statement::Node> Parser::statementNode()
{
    if (atQuery() || atSymbol(u"("))
        return query();
    if (atWord(u"CREATE"))
        return createStatement();
    if (atWord(u"DROP"))
        return dropStatement();
    if (atWords({u"ALTER", u"TABLE"}))
        return alterTable();
    if (atWord(u"COMMENT"))
        return commentOn();
    if (atWord(u"INSERT"))
        return insert();
    if (atWord(u"DELETE"))
        return deleteFrom();
    if (atWord(u"UPDATE"))
        return update();
    if (atWord(u"MERGE"))
        return merge();
    if (atWord(u"SHOW"))
        return show();
    if (atAnyWord({u"DESCRIBE", u"DESC"}))
        return describe();
    if (acceptWord(u"TRUNCATE")) {
        IVM_CHECK(expectWord(u"TABLE"));
        IVM_TRY(QualifiedName name, qualifiedName(u"a table"));
        return TruncateTable{std::move(name)};
    }
    return unsupportedStatement();
}

// A statement that Trino knows is refused by name, anything else as a mistake.
std::unexpected<Error> Parser::unsupportedStatement() const
{
    static constexpr std::array<QStringView, 22> kVerbs = {
        u"ALTER",      u"ANALYZE", u"CALL",     u"COMMENT", u"COMMIT",  u"CREATE",
        u"DEALLOCATE", u"DENY",    u"DESCRIBE", u"DROP",    u"EXECUTE", u"EXPLAIN",
        u"GRANT",      u"PREPARE", u"REFRESH",  u"RESET",   u"REVOKE",  u"ROLLBACK",
        u"SET",        u"SHOW",    u"START",    u"USE"};
    static constexpr std::array<QStringView, 21> kObjects = {
        u"AUTHORIZATION", u"CATALOG",     u"CATALOGS",     u"CREATE",  u"FUNCTION", u"FUNCTIONS",
        u"GRANTS",        u"INPUT",       u"MATERIALIZED", u"ON",      u"OUTPUT",   u"PATH",
        u"ROLE",          u"ROLES",       u"SCHEMA",       u"SESSION", u"STATS",    u"TABLE",
        u"TIME",          u"TRANSACTION", u"VIEW"};
    const auto isOneOf = [this](const auto &words, qsizetype ahead) {
        return std::ranges::any_of(words, [&](QStringView one) { return atWord(one, ahead); });
    };
    if (!isOneOf(kVerbs, 0)) {
        return unexpected(
            QStringLiteral("a statement: SELECT, INSERT, UPDATE, DELETE, MERGE, "
                           "CREATE, ALTER, COMMENT, DROP, TRUNCATE, SHOW or DESCRIBE"));
    }
    QString name = word().toString().toUpper();
    for (qsizetype ahead = atWords({u"OR", u"REPLACE"}, 1) ? 3 : 1; isOneOf(kObjects, ahead);
         ++ahead)
        name += u' ' + word(ahead).toString().toUpper();
    return fail(unsupportedError(QStringLiteral("the statement %1 is not supported").arg(name))
                    .withCode(u"unsupported_statement")
                    .at(placeOf(text(), begin())));
}

Result<Statement::Node> Parser::insert()
{
    advance();
    IVM_CHECK(expectWord(u"INTO"));
    Insert node;
    IVM_TRY(node.table, qualifiedName(u"a table"));
    if (atSymbol(u"(") && !atQueryOrNested()) {
        IVM_TRY(node.columns, columnAliases(u"a column"));
    }
    if (!atQueryOrNested())
        return unexpected(QStringLiteral("a query: SELECT or VALUES"));
    IVM_TRY(Query rows, query());
    node.query = std::make_shared<Query>(std::move(rows));
    return node;
}

Result<ExprPtr> Parser::optionalWhere()
{
    if (!acceptWord(u"WHERE"))
        return ExprPtr();
    return expression();
}

Result<Statement::Node> Parser::deleteFrom()
{
    advance();
    IVM_CHECK(expectWord(u"FROM"));
    Delete node;
    IVM_TRY(node.table, qualifiedName(u"a table"));
    IVM_TRY(node.where, optionalWhere());
    return node;
}

Result<Statement::Node> Parser::update()
{
    advance();
    Update node;
    IVM_TRY(node.table, qualifiedName(u"a table"));
    IVM_CHECK(expectWord(u"SET"));
    IVM_TRY(node.assignments, assignments());
    IVM_TRY(node.where, optionalWhere());
    return node;
}

// a = 1, b = 2
Result<std::vector<Assignment>> Parser::assignments()
{
    std::vector<Assignment> all;
    do {
        Assignment one;
        IVM_TRY(one.target, expectIdentifier(u"a column"));
        IVM_CHECK(expectSymbol(u"="));
        IVM_TRY(one.value, expression());
        all.push_back(std::move(one));
    } while (acceptSymbol(u","));
    return all;
}

// MERGE INTO table [[AS] alias] USING relation ON condition WHEN …
Result<Statement::Node> Parser::merge()
{
    advance();
    IVM_CHECK(expectWord(u"INTO"));
    Merge node;
    IVM_TRY(node.table, qualifiedName(u"a table"));
    if (acceptWord(u"AS") || atIdentifier()) {
        IVM_TRY(node.alias, expectIdentifier(u"a name"));
    }
    IVM_CHECK(expectWord(u"USING"));
    IVM_TRY(node.source, relation());
    IVM_CHECK(expectWord(u"ON"));
    IVM_TRY(node.on, expression());
    if (!atWord(u"WHEN"))
        return unexpected(QStringLiteral("WHEN"));
    while (atWord(u"WHEN")) {
        IVM_TRY(MergeCase one, mergeCase());
        node.cases.push_back(std::move(one));
    }
    return node;
}

Result<MergeCase> Parser::mergeCase()
{
    const qsizetype start = begin();
    advance();
    MergeCase node;
    const bool matched = !acceptWord(u"NOT");
    IVM_CHECK(expectWord(u"MATCHED"));
    if (acceptWord(u"AND")) {
        IVM_TRY(node.condition, expression());
    }
    IVM_CHECK(expectWord(u"THEN"));
    if (!matched) {
        IVM_CHECK(expectWord(u"INSERT"));
        IVM_TRY(node.action, mergeInsert());
    } else if (acceptWord(u"DELETE")) {
        node.action = MergeDelete{};
    } else if (acceptWords({u"UPDATE", u"SET"})) {
        IVM_TRY(std::vector<Assignment> all, assignments());
        node.action = MergeUpdate{std::move(all)};
    } else {
        return unexpected(QStringLiteral("UPDATE SET or DELETE"));
    }
    node.span = spanFrom(start);
    return node;
}

// [(columns)] VALUES (…)
Result<MergeInsert> Parser::mergeInsert()
{
    MergeInsert node;
    if (atSymbol(u"(")) {
        IVM_TRY(node.columns, columnAliases(u"a column"));
    }
    IVM_CHECK(expectWord(u"VALUES"));
    IVM_CHECK(expectSymbol(u"("));
    IVM_TRY(node.values, expressions());
    if (!acceptSymbol(u")"))
        return unexpected(QStringLiteral("',' or ')'"));
    return node;
}

// SHOW TABLES | SCHEMAS [FROM | IN name] [LIKE …], SHOW COLUMNS FROM table [LIKE …]
Result<Statement::Node> Parser::show()
{
    if (!atAnyWord({u"TABLES", u"SCHEMAS", u"COLUMNS"}, 1))
        return unsupportedStatement();
    advance();
    const bool tables = atWord(u"TABLES");
    const bool columns = atWord(u"COLUMNS");
    advance();
    const bool from = acceptWord(u"FROM") || acceptWord(u"IN");
    if (columns) {
        if (!from)
            return unexpected(QStringLiteral("FROM and a table"));
        ShowColumns node;
        IVM_TRY(node.table, qualifiedName(u"a table"));
        IVM_TRY(node.like, showPattern());
        return node;
    }
    if (tables) {
        ShowTables node;
        if (from) {
            IVM_TRY(node.schema, qualifiedName(u"a schema"));
        }
        IVM_TRY(node.like, showPattern());
        return node;
    }
    ShowSchemas node;
    if (from) {
        IVM_TRY(node.catalog, expectIdentifier(u"a catalog"));
    }
    IVM_TRY(node.like, showPattern());
    return node;
}

Result<std::optional<ShowPattern>> Parser::showPattern()
{
    if (!acceptWord(u"LIKE"))
        return std::nullopt;
    ShowPattern node;
    IVM_TRY(node.pattern, string(u"a string with the pattern"));
    if (acceptWord(u"ESCAPE")) {
        IVM_TRY(node.escape, string(u"a string with the escape character"));
    }
    return node;
}

Result<Statement::Node> Parser::describe()
{
    if (atAnyWord({u"INPUT", u"OUTPUT"}, 1) && atIdentifier(2))
        return unsupportedStatement();
    advance();
    ShowColumns node;
    IVM_TRY(node.table, qualifiedName(u"a table"));
    return node;
}

}  // namespace ivm::sql
