#include "framework/sql/printer.h"

#include "framework/sql/keywords.h"
#include "framework/sql/printer_core.h"

#include <algorithm>
#include <array>

namespace ivm::sql {

namespace {

QString quoted(QStringView text, QChar quote)
{
    QString inner = text.toString();
    inner.replace(QString(quote), QString(2, quote));
    return quote + inner + quote;
}

// Words that may be names but mean something else before a parenthesis, or as a type.
bool isSpecial(QStringView word)
{
    static constexpr std::array<QStringView, 13> kSpecial = {
        u"all", u"any",     u"array", u"descriptor", u"final",     u"interval", u"position",
        u"row", u"running", u"some",  u"time",       u"timestamp", u"try_cast"};
    return std::ranges::find(kSpecial, word) != kSpecial.end();
}

// Whether the name reads back as itself without quotes: [a-z_][a-z0-9_]*.
bool isPlain(QStringView name)
{
    const auto isLetter = [](QChar c) { return (c >= u'a' && c <= u'z') || c == u'_'; };
    const auto isPart = [&](QChar c) { return isLetter(c) || (c >= u'0' && c <= u'9'); };
    return !name.isEmpty() && isLetter(name.front()) && std::ranges::all_of(name, isPart) &&
           !isReserved(name);
}

template <typename Node>
QString printed(const Node &node, void (Printer::*print)(const Node &))
{
    Printer printer;
    (printer.*print)(node);
    return printer.take();
}

}  // namespace

void Printer::name(const Identifier &identifier) { write(quoteIdentifier(identifier.value)); }

void Printer::name(const QualifiedName &qualified)
{
    for (const Identifier &part : qualified.parts) {
        if (&part != &qualified.parts.front())
            write(u".");
        name(part);
    }
}

void Printer::bareName(const Identifier &identifier)
{
    if (isPlain(identifier.value) && !isSpecial(identifier.value))
        write(identifier.value);
    else
        name(identifier);
}

void Printer::bareName(const QualifiedName &qualified)
{
    for (const Identifier &part : qualified.parts) {
        if (&part != &qualified.parts.front())
            write(u".");
        bareName(part);
    }
}

bool Printer::isPlainBeforeString(QStringView typeName)
{
    return isPlain(typeName) && typeName != u"interval" && typeName != u"all";
}

void Printer::string(QStringView text) { write(quoteString(text)); }

// (a, b)
void Printer::names(const std::vector<Identifier> &identifiers)
{
    write(u"(");
    list(identifiers, [this](const Identifier &one) { name(one); });
    write(u")");
}

QString print(const Query &query) { return printed(query, &Printer::query); }
QString print(const Relation &relation) { return printed(relation, &Printer::relation); }
QString print(const Type &type) { return printed(type, &Printer::type); }
QString print(const Statement &statement) { return printed(statement, &Printer::statement); }
QString print(const QualifiedName &name) { return printed<QualifiedName>(name, &Printer::name); }

QString print(const Expr &expr)
{
    Printer printer;
    printer.expression(expr);
    return printer.take();
}

QString quoteIdentifier(QStringView name) { return quoted(name, u'"'); }
QString quoteString(QStringView text) { return quoted(text, u'\''); }

}  // namespace ivm::sql
