// Calls, windows, constructors and types.
#include "framework/sql/power.h"
#include "framework/sql/printer_core.h"

#include <algorithm>
#include <array>

namespace ivm::sql {

void Printer::setQuantifier(SetQuantifier quantifier)
{
    if (quantifier == SetQuantifier::Distinct)
        write(u"DISTINCT ");
}

// Writes the calls whose plain form is not what Trino reads best: trim(BOTH 'x' FROM a),
// normalize(a, NFD).
bool Printer::ownSyntax(const FunctionCall &call)
{
    const bool plain = call.name.parts.size() == 1 && !call.star &&
                       call.quantifier == SetQuantifier::All && call.orderBy.empty() &&
                       !call.filter && !call.over;
    const size_t arguments = call.arguments.size();
    if (!plain || arguments < 1 || arguments > 2)
        return false;
    const QString function = call.name.last().value.toLower();
    if (function == u"normalize" && arguments == 2) {
        static constexpr std::array<QStringView, 4> kForms = {u"NFC", u"NFD", u"NFKC", u"NFKD"};
        const auto *form = as<StringLiteral>(call.arguments[1]);
        if (!form || std::ranges::find(kForms, QStringView(form->value)) == kForms.end())
            return false;
        write(u"normalize(");
        expression(*call.arguments[0], power::kConcat);
        write(u", ");
        write(form->value);
        write(u")");
        return true;
    }
    const QStringView side = function == u"trim"    ? u"BOTH"
                             : function == u"ltrim" ? u"LEADING"
                                                    : u"TRAILING";
    if (function != u"trim" && (arguments == 1 || (function != u"ltrim" && function != u"rtrim")))
        return false;
    trim(side, call);
    return true;
}

void Printer::trim(QStringView side, const FunctionCall &call)
{
    write(u"trim(");
    if (call.arguments.size() == 2) {
        write(side);
        write(u" ");
        expression(*call.arguments[1], power::kConcat);
        write(u" FROM ");
    }
    expression(*call.arguments[0], power::kConcat);
    write(u")");
}

void Printer::node(const FunctionCall &one)
{
    if (ownSyntax(one))
        return;
    bareName(one.name);
    write(u"(");
    setQuantifier(one.quantifier);
    if (one.star)
        write(u"*");
    expressions(one.arguments);
    if (!one.orderBy.empty()) {
        write(one.arguments.empty() ? u"ORDER BY " : u" ORDER BY ");
        sortItems(one.orderBy);
    }
    write(u")");
    filter(one.filter);
    if (one.nullTreatment == FunctionCall::NullTreatment::Ignore)
        write(u" IGNORE NULLS");
    else if (one.nullTreatment == FunctionCall::NullTreatment::Respect)
        write(u" RESPECT NULLS");
    if (one.over)
        over(*one.over);
}

void Printer::filter(const ExprPtr &condition)
{
    if (!condition)
        return;
    write(u" FILTER (WHERE ");
    expression(*condition);
    write(u")");
}

void Printer::over(const Over &over)
{
    write(u" OVER ");
    if (const auto *existing = std::get_if<Identifier>(&over))
        name(*existing);
    else
        window(std::get<WindowSpecification>(over));
}

// (w PARTITION BY … ORDER BY … ROWS …)
void Printer::window(const WindowSpecification &specification)
{
    write(u"(");
    QStringView separator;
    const auto part = [&](QStringView words) {
        write(separator);
        write(words);
        separator = u" ";
    };
    if (specification.existingWindow) {
        part({});
        name(*specification.existingWindow);
    }
    if (!specification.partitionBy.empty()) {
        part(u"PARTITION BY ");
        expressions(specification.partitionBy);
    }
    if (!specification.orderBy.empty()) {
        part(u"ORDER BY ");
        sortItems(specification.orderBy);
    }
    if (specification.frame) {
        static constexpr std::array<QStringView, 3> kKinds = {u"RANGE ", u"ROWS ", u"GROUPS "};
        part(kKinds[static_cast<size_t>(specification.frame->kind)]);
        frame(*specification.frame);
    }
    write(u")");
}

void Printer::frame(const WindowFrame &frame)
{
    if (!frame.end) {
        frameBound(frame.start);
        return;
    }
    write(u"BETWEEN ");
    frameBound(frame.start);
    write(u" AND ");
    frameBound(*frame.end);
}

void Printer::frameBound(const FrameBound &bound)
{
    static constexpr std::array<QStringView, 5> kWords = {u"UNBOUNDED PRECEDING", u" PRECEDING",
                                                          u"CURRENT ROW", u" FOLLOWING",
                                                          u"UNBOUNDED FOLLOWING"};
    if (bound.value)
        expression(*bound.value);
    write(kWords[static_cast<size_t>(bound.kind)]);
}

void Printer::node(const Listagg &one)
{
    write(u"LISTAGG(");
    setQuantifier(one.quantifier);
    expression(*one.value);
    write(u", ");
    string(one.separator);
    if (one.overflow != Listagg::Overflow::Error) {
        write(u" ON OVERFLOW TRUNCATE ");
        if (one.filler) {
            string(*one.filler);
            write(u" ");
        }
        write(one.overflow == Listagg::Overflow::TruncateWithCount ? u"WITH COUNT"
                                                                   : u"WITHOUT COUNT");
    }
    write(u") WITHIN GROUP (ORDER BY ");
    sortItems(one.orderBy);
    write(u")");
    filter(one.filter);
}

void Printer::node(const Lambda &one)
{
    names(one.parameters);
    write(u" -> ");
    expression(*one.body);
}

void Printer::node(const RowConstructor &one)
{
    write(u"ROW(");
    expressions(one.items);
    write(u")");
}

void Printer::node(const ArrayConstructor &one)
{
    write(u"ARRAY[");
    expressions(one.items);
    write(u"]");
}

void Printer::node(const SubqueryExpression &one) { subquery(*one.query); }

void Printer::node(const Exists &one)
{
    write(u"EXISTS ");
    subquery(*one.query);
}

void Printer::node(const Case &one)
{
    write(u"CASE");
    if (one.operand) {
        write(u" ");
        expression(*one.operand);
    }
    for (const WhenClause &when : one.whenClauses) {
        write(u" WHEN ");
        expression(*when.condition);
        write(u" THEN ");
        expression(*when.result);
    }
    if (one.elseExpression) {
        write(u" ELSE ");
        expression(*one.elseExpression);
    }
    write(u" END");
}

void Printer::node(const Cast &one)
{
    write(one.safe ? u"TRY_CAST(" : u"CAST(");
    expression(*one.value);
    write(u" AS ");
    type(*one.type);
    write(u")");
}

void Printer::node(const Extract &one)
{
    write(u"EXTRACT(");
    write(one.field.value.toUpper());
    write(u" FROM ");
    expression(*one.value, power::kConcat);
    write(u")");
}

void Printer::node(const CurrentValue &one)
{
    static constexpr std::array<QStringView, 9> kWords = {
        u"CURRENT_DATE",    u"CURRENT_TIME",   u"CURRENT_TIMESTAMP",
        u"LOCALTIME",       u"LOCALTIMESTAMP", u"CURRENT_USER",
        u"CURRENT_CATALOG", u"CURRENT_SCHEMA", u"CURRENT_PATH"};
    write(kWords[static_cast<size_t>(one.kind)]);
    if (one.precision)
        write(QString(u'(' + QString::number(*one.precision) + u')'));
}

void Printer::node(const Grouping &one)
{
    write(u"GROUPING(");
    expressions(one.columns);
    write(u")");
}

void Printer::type(const Type &type)
{
    std::visit([this](const auto &one) { node(one); }, type.node);
}

void Printer::node(const GenericType &one)
{
    // After a field's name, `array` alone would say that the name is an array's element type.
    const bool isArray = sameName(one.name.value, u"array") && !one.parameters.empty();
    if (isArray)
        write(u"array");
    else
        bareName(one.name);
    if (one.parameters.empty())
        return;
    write(u"(");
    list(one.parameters, [this](const TypeParameter &parameter) { typeParameter(parameter); });
    write(u")");
}

void Printer::typeParameter(const TypeParameter &parameter)
{
    if (const auto *number = std::get_if<qint64>(&parameter))
        write(QString::number(*number));
    else
        type(*std::get<TypePtr>(parameter));
}

void Printer::node(const RowType &one)
{
    write(u"row(");
    list(one.rowFields, [this](const RowField &field) {
        if (field.name) {
            name(*field.name);
            write(u" ");
        }
        type(*field.type);
    });
    write(u")");
}

void Printer::node(const DateTimeType &one)
{
    write(one.base == DateTimeType::Base::Time ? u"time" : u"timestamp");
    if (one.precision) {
        write(u"(");
        typeParameter(*one.precision);
        write(u")");
    }
    if (one.withTimeZone)
        write(u" with time zone");
}

}  // namespace ivm::sql
