// CREATE, DROP, ALTER and COMMENT.
#include "framework/sql/parser_core.h"

namespace ivm::sql {

Result<Statement::Node> Parser::createStatement()
{
    const bool replace = atWords({u"OR", u"REPLACE"}, 1);
    const qsizetype what = replace ? 3 : 1;
    if (atWord(u"TABLE", what)) {
        for (qsizetype i = 0; i <= what; ++i)
            advance();
        return createTable(replace);
    }
    if (!atWord(u"SCHEMA", what) || replace)
        return unsupportedStatement();
    advance();
    advance();
    CreateSchema node;
    node.ifNotExists = acceptWords({u"IF", u"NOT", u"EXISTS"});
    IVM_TRY(node.name, qualifiedName(u"a schema"));
    if (atWord(u"AUTHORIZATION"))
        return failUnsupported(QStringLiteral("AUTHORIZATION is not supported"));
    if (acceptWord(u"WITH")) {
        IVM_TRY(node.properties, properties());
    }
    return node;
}

// From the name on: [IF NOT EXISTS] name (columns) … or name [(aliases)] … AS query.
Result<Statement::Node> Parser::createTable(bool orReplace)
{
    CreateTable node;
    if (orReplace && atWords({u"IF", u"NOT", u"EXISTS"}))
        return unexpected(
            QStringLiteral("a table: OR REPLACE and IF NOT EXISTS exclude each other"));
    if (orReplace)
        node.whenExists = WhenExists::Replace;
    else if (acceptWords({u"IF", u"NOT", u"EXISTS"}))
        node.whenExists = WhenExists::Keep;
    IVM_TRY(node.name, qualifiedName(u"a table"));
    std::vector<Identifier> aliases;
    const bool onlyNames =
        atSymbol(u"(") && atIdentifier(1) && (atSymbol(u",", 2) || atSymbol(u")", 2));
    if (onlyNames) {
        IVM_TRY(aliases, columnAliases(u"a column name"));
    } else if (acceptSymbol(u"(")) {
        do {
            IVM_TRY(TableElement element, tableElement());
            node.elements.push_back(std::move(element));
        } while (acceptSymbol(u","));
        if (!acceptSymbol(u")"))
            return unexpected(QStringLiteral("',' or ')'"));
    }
    IVM_TRY(node.comment, comment());
    if (acceptWord(u"WITH")) {
        IVM_TRY(node.properties, properties());
    }
    if (!node.elements.empty())
        return node;
    if (!acceptWord(u"AS"))
        return unexpected(onlyNames ? QStringLiteral("AS and a query, or a type for each column")
                                    : QStringLiteral("columns in parentheses, or AS and a query"));
    return createTableAs(std::move(node), std::move(aliases));
}

// From the query on.
Result<Statement::Node> Parser::createTableAs(CreateTable table, std::vector<Identifier> aliases)
{
    CreateTableAs node;
    node.name = std::move(table.name);
    node.whenExists = table.whenExists;
    node.columnAliases = std::move(aliases);
    node.comment = std::move(table.comment);
    node.properties = std::move(table.properties);
    const bool withInParentheses = atSymbol(u"(") && atWord(u"WITH", 1);
    if (withInParentheses) {
        IVM_TRY(node.query, queryInParentheses());
    } else {
        IVM_TRY(Query rows, query());
        node.query = std::make_shared<Query>(std::move(rows));
    }
    if (acceptWord(u"WITH")) {
        node.withData = !acceptWord(u"NO");
        IVM_CHECK(expectWord(u"DATA"));
    }
    return node;
}

Result<TableElement> Parser::tableElement()
{
    const qsizetype start = begin();
    if (!acceptWord(u"LIKE")) {
        IVM_TRY(ColumnDefinition column, columnDefinition());
        return TableElement(std::move(column));
    }
    LikeClause like;
    IVM_TRY(like.name, qualifiedName(u"a table"));
    like.includingProperties = acceptWord(u"INCLUDING");
    if (like.includingProperties || acceptWord(u"EXCLUDING"))
        IVM_CHECK(expectWord(u"PROPERTIES"));
    like.span = spanFrom(start);
    return TableElement(std::move(like));
}

// name type [NOT NULL] [COMMENT 'text'] [WITH (properties)]
Result<ColumnDefinition> Parser::columnDefinition()
{
    const qsizetype start = begin();
    ColumnDefinition column;
    IVM_TRY(column.name, qualifiedName(u"a column"));
    IVM_TRY(column.type, type());
    if (acceptWord(u"NOT")) {
        IVM_CHECK(expectWord(u"NULL"));
        column.notNull = true;
    }
    IVM_TRY(column.comment, comment());
    if (acceptWord(u"WITH")) {
        IVM_TRY(column.properties, properties());
    }
    column.span = spanFrom(start);
    return column;
}

Result<std::optional<QString>> Parser::comment()
{
    if (!acceptWord(u"COMMENT"))
        return std::nullopt;
    IVM_TRY(QString words, string(u"a string with the comment"));
    return words;
}

// (name = value, …)
Result<std::vector<Property>> Parser::properties()
{
    IVM_CHECK(expectSymbol(u"("));
    IVM_TRY(std::vector<Property> all, propertyAssignments());
    if (!acceptSymbol(u")"))
        return unexpected(QStringLiteral("',' or ')'"));
    return all;
}

Result<std::vector<Property>> Parser::propertyAssignments()
{
    std::vector<Property> all;
    do {
        Property one;
        IVM_TRY(one.name, expectIdentifier(u"a property"));
        IVM_CHECK(expectSymbol(u"="));
        const bool isDefault =
            atWord(u"DEFAULT") && (atSymbol(u",", 1) || atSymbol(u")", 1) || atSymbol(u";", 1) ||
                                   peek(1).kind == TokenKind::End);
        if (isDefault) {
            advance();
        } else {
            IVM_TRY(one.value, expression());
        }
        all.push_back(std::move(one));
    } while (acceptSymbol(u","));
    return all;
}

Result<Statement::Node> Parser::dropStatement()
{
    const bool schema = atWord(u"SCHEMA", 1);
    if (!schema && !atWord(u"TABLE", 1))
        return unsupportedStatement();
    advance();
    advance();
    const bool ifExists = acceptWords({u"IF", u"EXISTS"});
    IVM_TRY(QualifiedName name,
            qualifiedName(schema ? QStringView(u"a schema") : QStringView(u"a table")));
    if (!schema)
        return DropTable{std::move(name), ifExists};
    const bool cascade = acceptWord(u"CASCADE");
    if (!cascade)
        acceptWord(u"RESTRICT");
    return DropSchema{std::move(name), ifExists, cascade};
}

// What may have IF EXISTS behind ALTER TABLE is read in alterColumns().
Result<Statement::Node> Parser::alterTable()
{
    advance();
    advance();
    const bool ifExists = acceptWords({u"IF", u"EXISTS"});
    IVM_TRY(QualifiedName table, qualifiedName(u"a table"));
    if (acceptWords({u"RENAME", u"TO"})) {
        RenameTable node{std::move(table), ifExists, {}};
        IVM_TRY(node.to, qualifiedName(u"a table"));
        return node;
    }
    if (!ifExists && acceptWords({u"SET", u"PROPERTIES"})) {
        SetTableProperties node{std::move(table), {}};
        IVM_TRY(node.properties, propertyAssignments());
        return node;
    }
    if (!ifExists && acceptWord(u"EXECUTE"))
        return tableExecute(std::move(table));
    if (atWords({u"SET", u"AUTHORIZATION"}))
        return failUnsupported(QStringLiteral("ALTER TABLE … SET AUTHORIZATION is not supported"));
    return alterColumns(std::move(table), ifExists);
}

Result<Statement::Node> Parser::alterColumns(QualifiedName table, bool ifExists)
{
    if (acceptWords({u"ADD", u"COLUMN"})) {
        AddColumn node{std::move(table), ifExists, {}, acceptWords({u"IF", u"NOT", u"EXISTS"}), {}};
        IVM_TRY(node.column, columnDefinition());
        IVM_TRY(node.position, columnPosition());
        return node;
    }
    if (acceptWords({u"DROP", u"COLUMN"})) {
        DropColumn node{std::move(table), ifExists, {}, acceptWords({u"IF", u"EXISTS"})};
        IVM_TRY(node.column, qualifiedName(u"a column"));
        return node;
    }
    if (acceptWords({u"RENAME", u"COLUMN"})) {
        RenameColumn node{std::move(table), ifExists, {}, acceptWords({u"IF", u"EXISTS"}), {}};
        IVM_TRY(node.column, qualifiedName(u"a column"));
        IVM_CHECK(expectWord(u"TO"));
        IVM_TRY(node.to, expectIdentifier(u"a column name"));
        return node;
    }
    if (!acceptWords({u"ALTER", u"COLUMN"})) {
        return unexpected(
            QStringLiteral("RENAME TO, ADD COLUMN, DROP COLUMN, RENAME COLUMN, ALTER COLUMN, SET "
                           "PROPERTIES or EXECUTE"));
    }
    IVM_TRY(QualifiedName column, qualifiedName(u"a column"));
    if (column.parts.size() == 1 && acceptWords({u"DROP", u"NOT", u"NULL"}))
        return DropNotNull{std::move(table), ifExists, column.last()};
    if (!acceptWords({u"SET", u"DATA", u"TYPE"}))
        return unexpected(QStringLiteral("SET DATA TYPE or DROP NOT NULL"));
    SetColumnType node{std::move(table), ifExists, std::move(column), {}};
    IVM_TRY(node.type, type());
    return node;
}

Result<ColumnPosition> Parser::columnPosition()
{
    ColumnPosition position;
    position.first = acceptWord(u"FIRST");
    if (!position.first && !acceptWord(u"LAST") && acceptWord(u"AFTER")) {
        IVM_TRY(position.after, expectIdentifier(u"a column name"));
    }
    return position;
}

// COMMENT ON TABLE name | COLUMN name.column IS 'text' | NULL
Result<Statement::Node> Parser::commentOn()
{
    const bool table = atWord(u"TABLE", 2);
    if (!atWord(u"ON", 1) || (!table && !atWord(u"COLUMN", 2)))
        return unsupportedStatement();
    for (int i = 0; i < 3; ++i)
        advance();
    IVM_TRY(QualifiedName name,
            qualifiedName(table ? QStringView(u"a table") : QStringView(u"a table's column")));
    if (!table && name.parts.size() < 2)
        return unexpected(QStringLiteral("'.' and a column: the table has to be named"));
    IVM_CHECK(expectWord(u"IS"));
    std::optional<QString> words;
    if (!acceptWord(u"NULL")) {
        IVM_TRY(words, string(u"a string with the comment, or NULL"));
    }
    if (table)
        return CommentOnTable{std::move(name), std::move(words)};
    Identifier column = name.last();
    name.parts.pop_back();
    name.span.end = name.last().span.end;
    return CommentOnColumn{std::move(name), std::move(column), std::move(words)};
}

// From the procedure on: optimize(file_size_threshold => '10MB') WHERE …
Result<Statement::Node> Parser::tableExecute(QualifiedName table)
{
    TableExecute node;
    node.table = std::move(table);
    IVM_TRY(node.procedure, expectIdentifier(u"a procedure"));
    if (acceptSymbol(u"(") && !acceptSymbol(u")")) {
        do {
            CallArgument argument;
            if (atIdentifier() && atSymbol(u"=>", 1)) {
                IVM_TRY(argument.name, expectIdentifier(u"the name of an argument"));
                advance();
            }
            IVM_TRY(argument.value, expression());
            node.arguments.push_back(std::move(argument));
        } while (acceptSymbol(u","));
        if (!acceptSymbol(u")"))
            return unexpected(QStringLiteral("',' or ')'"));
    }
    IVM_TRY(node.where, optionalWhere());
    return node;
}

}  // namespace ivm::sql
