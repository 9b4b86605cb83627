#include "framework/sql/parser.h"

#include "framework/sql/lexer.h"
#include "framework/sql/parser_core.h"

namespace ivm::sql {

namespace {

Result<Parser> parserOf(QStringView sql)
{
    if (sql.size() > kMaxTextLength) {
        return fail(invalidError(QStringLiteral("the SQL has %1 characters, expected at most %2")
                                     .arg(sql.size())
                                     .arg(kMaxTextLength))
                        .withCode(u"syntax")
                        .at({.file = {}, .line = 1, .column = 1}));
    }
    IVM_TRY(std::vector<Token> tokens, tokenize(sql));
    return Parser(sql, std::move(tokens));
}

// The whole text as one `Part`, read by `read`.
template <typename Part>
Result<Part> parseWhole(QStringView sql, Result<Part> (*read)(Parser &), QStringView what)
{
    IVM_TRY(Parser parser, parserOf(sql));
    IVM_TRY(Part part, read(parser));
    IVM_CHECK(parser.expectEnd(what));
    return part;
}

}  // namespace

Result<Query> parseQuery(QStringView sql)
{
    return parseWhole<Query>(
        sql,
        [](Parser &parser) -> Result<Query> {
            IVM_TRY(Query query, parser.query());
            if (parser.acceptSymbol(u";") && !parser.atEnd()) {
                return fail(parser.unexpected(QStringLiteral("the end of the query"))
                                .error()
                                .withHint(u"A view is one query"));
            }
            return query;
        },
        u"query");
}

Result<ExprPtr> parseExpression(QStringView sql)
{
    return parseWhole<ExprPtr>(
        sql, [](Parser &parser) { return parser.expression(); }, u"expression");
}

Result<Statement> parseStatement(QStringView sql)
{
    return parseWhole<Statement>(
        sql,
        [](Parser &parser) -> Result<Statement> {
            IVM_TRY(Statement statement, parser.statement());
            parser.acceptSymbol(u";");
            return statement;
        },
        u"statement");
}

Result<TypePtr> parseType(QStringView sql)
{
    return parseWhole<TypePtr>(sql, [](Parser &parser) { return parser.type(); }, u"type");
}

Result<QualifiedName> parseName(QStringView sql)
{
    return parseWhole<QualifiedName>(
        sql, [](Parser &parser) { return parser.qualifiedName(u"a name"); }, u"name");
}

}  // namespace ivm::sql
