// Types, as they stand in CAST and in the definition of a column.
#include "framework/sql/parser_core.h"

namespace ivm::sql {

namespace {

// array(element), whichever way it was written.
Type arrayOf(TypePtr element, Span span)
{
    const Identifier name{QStringLiteral("array"), false, span};
    return {GenericType{name, {TypeParameter(std::move(element))}}, span};
}

}  // namespace

Result<TypePtr> Parser::type()
{
    Level level(*this);
    IVM_CHECK(checkDepth());
    IVM_TRY(TypePtr node, plainType());
    const qsizetype start = node->span.begin;
    while (acceptWord(u"ARRAY")) {
        IVM_CHECK(wrap());
        if (atSymbol(u"["))
            return failUnsupported(
                QStringLiteral("the size of an array in its type is not supported"));
        node = std::make_shared<Type>(arrayOf(std::move(node), spanFrom(start)));
    }
    return node;
}

Result<TypePtr> Parser::plainType()
{
    const auto read = [this]() -> Result<Type> {
        if (atWord(u"ROW") && atSymbol(u"(", 1))
            return rowType();
        if (atWord(u"INTERVAL") && atIntervalField(1))
            return intervalType();
        if (atWord(u"TIMESTAMP"))
            return dateTimeType(DateTimeType::Base::Timestamp);
        if (atWord(u"TIME"))
            return dateTimeType(DateTimeType::Base::Time);
        if (atAnyWord({u"ARRAY", u"MAP"}) && atSymbol(u"<", 1))
            return legacyType();
        return genericType();
    };
    IVM_TRY(Type node, read());
    return std::make_shared<Type>(std::move(node));
}

// TIMESTAMP[(p)] [WITH | WITHOUT TIME ZONE], TIME likewise.
Result<Type> Parser::dateTimeType(DateTimeType::Base base)
{
    const qsizetype start = begin();
    advance();
    DateTimeType node;
    node.base = base;
    if (acceptSymbol(u"(")) {
        IVM_TRY(node.precision, typeParameter());
        IVM_CHECK(expectSymbol(u")"));
    }
    node.withTimeZone = acceptWords({u"WITH", u"TIME", u"ZONE"});
    if (!node.withTimeZone)
        acceptWords({u"WITHOUT", u"TIME", u"ZONE"});
    return Type{std::move(node), spanFrom(start)};
}

Result<Type> Parser::genericType()
{
    const qsizetype start = begin();
    GenericType node;
    IVM_TRY(node.name, expectIdentifier(u"a type"));
    if (!node.name.quoted && node.name.value == u"double")
        acceptWord(u"PRECISION");
    if (acceptSymbol(u"(")) {
        do {
            IVM_TRY(TypeParameter parameter, typeParameter());
            node.parameters.push_back(std::move(parameter));
        } while (acceptSymbol(u","));
        if (!acceptSymbol(u")"))
            return unexpected(QStringLiteral("',' or ')'"));
    }
    return Type{std::move(node), spanFrom(start)};
}

// ARRAY<element>, MAP<key, value>
Result<Type> Parser::legacyType()
{
    const qsizetype start = begin();
    const bool isMap = atWord(u"MAP");
    GenericType node;
    IVM_TRY(node.name, expectIdentifier(u"a type"));
    advance();
    IVM_TRY(TypePtr first, type());
    node.parameters.emplace_back(std::move(first));
    if (isMap) {
        IVM_CHECK(expectSymbol(u","));
        IVM_TRY(TypePtr second, type());
        node.parameters.emplace_back(std::move(second));
    }
    IVM_CHECK(expectSymbol(u">"));
    return Type{std::move(node), spanFrom(start)};
}

Result<Type> Parser::rowType()
{
    const qsizetype start = begin();
    advance();
    IVM_CHECK(expectSymbol(u"("));
    RowType node;
    do {
        IVM_TRY(RowField field, rowField());
        node.rowFields.push_back(std::move(field));
    } while (acceptSymbol(u","));
    if (!acceptSymbol(u")"))
        return unexpected(QStringLiteral("',' or ')'"));
    return Type{std::move(node), spanFrom(start)};
}

// `type` or `name type`. A name is followed by a type's first word; a type of one field by a comma,
// a parenthesis, or a word that goes on with the type.
Result<RowField> Parser::rowField()
{
    RowField field;
    const bool nameOfType =
        atWords({u"DOUBLE", u"PRECISION"}) || (atWord(u"INTERVAL") && atIntervalField(1)) ||
        (atAnyWord({u"TIME", u"TIMESTAMP"}) && atAnyWord({u"WITH", u"WITHOUT"}, 1)) ||
        (atWord(u"ARRAY", 1) && !atSymbol(u"(", 2) && !atSymbol(u"<", 2));
    if (atIdentifier() && atIdentifier(1) && !nameOfType) {
        IVM_TRY(field.name, expectIdentifier(u"a field"));
    }
    IVM_TRY(field.type, type());
    return field;
}

// INTERVAL YEAR TO MONTH
Result<Type> Parser::intervalType()
{
    const qsizetype start = begin();
    advance();
    IVM_TRY(const IntervalField from, intervalField());
    IntervalType node{from, from};
    if (acceptWord(u"TO")) {
        IVM_TRY(node.to, intervalField());
    }
    return Type{node, spanFrom(start)};
}

Result<TypeParameter> Parser::typeParameter()
{
    if (peek().kind != TokenKind::Integer) {
        IVM_TRY(TypePtr parameter, type());
        return TypeParameter(std::move(parameter));
    }
    IVM_TRY(const qint64 number, integer(u"a number"));
    return TypeParameter(number);
}

}  // namespace ivm::sql
