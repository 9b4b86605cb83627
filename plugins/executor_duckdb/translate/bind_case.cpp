// CASE, nullif, CAST, TRY_CAST and EXTRACT.
#include "plugins/executor_duckdb/translate/binder.h"
#include "plugins/executor_duckdb/translate/literal_text.h"
#include "plugins/executor_duckdb/translate/typing.h"

#include <algorithm>

namespace ivm::duckdb {

namespace {

// The first characters of a text: what CAST to varchar(n) keeps.
QString truncated(const QString &sql, const Type &type)
{
    return QStringLiteral("left(%1, %2)").arg(sql, QString::number(std::max(0, type.precision)));
}

// Fails where another value's text is longer than varchar(n).
QString checkedLength(const QString &sql, const Type &type)
{
    return QStringLiteral(
               "CASE WHEN length(%1) > %2 THEN error('Value ' || %1 || ' cannot be represented as "
               "varchar(%2)') ELSE %1 END")
        .arg(sql, QString::number(std::max(0, type.precision)));
}

bool fits(const Type &from, const Type &to)
{
    return to.precision == 0 || (from.precision != 0 && from.precision <= to.precision);
}

bool isTimeOfDay(QStringView field)
{
    return field == u"hour" || field == u"minute" || field == u"second";
}

}  // namespace

Result<Bound> Binder::cast(const Bound &value, const Type &type, sql::Span span)
{
    return castWith(value, type, false, span);
}

Result<Bound> Binder::tryCast(const Bound &value, const Type &type, sql::Span span)
{
    return castWith(value, type, true, span);
}

Result<QString> Binder::filled(QStringView text, const Filling &filling, sql::Span span) const
{
    auto result = fill(text, filling);
    if (!result)
        return fail(at(span, std::move(result).error()));
    return result;
}

Result<Bound> Binder::castWith(const Bound &value, const Type &type, bool safe, sql::Span span)
{
    if (value.type == type)
        return value;
    Bound result = value;
    result.type = type;
    result.word.reset();
    if (!type.isInteger())
        result.whole.reset();
    if (isVarchar(value.type) && isVarchar(type)) {
        if (!fits(value.type, type))
            result.sql = truncated(value.sql, type);
        return result;
    }
    auto name = duckdbType(type);
    if (!name)
        return fail(at(span, std::move(name).error()));
    if (type.isNested() && value.type.isNested())
        return castNested(value, type, safe, span);
    if (value.type.is(TypeKind::Unknown)) {
        result.sql = QStringLiteral("CAST(NULL AS %1)").arg(*name);
        return result;
    }
    const bool bounded = isVarchar(type) && type.precision != 0;
    const auto choice = chooseCast(value.type, type);
    if (!choice || (safe && (choice->row->safe.isEmpty() || bounded))) {
        return unsupported(span, u"unsupported_cast",
                           QStringLiteral("%1 from %2 to %3 is not in the embedded engine")
                               .arg(safe ? QStringLiteral("TRY_CAST") : QStringLiteral("CAST"),
                                    typeText(value.type), typeText(type)));
    }
    m_used.casts.insert(choice->row);
    IVM_TRY(result.sql, filled(safe ? choice->row->safe : choice->row->sql,
                               {.operands = {value.sql},
                                .types = {value.type},
                                .positive = {},
                                .result = type,
                                .bindings = choice->bindings},
                               span));
    if (bounded)
        result.sql = checkedLength(result.sql, type);
    result.number = value.number && isNumeric(type);
    return result;
}

Result<Bound> Binder::node(const sql::Cast &cast, const Context &context, sql::Span span)
{
    IVM_TRY(const Bound value, expression(cast.value, context));
    IVM_TRY(Type type, boundType(cast.type, m_input.text));
    const bool keepsZone = type.is(TypeKind::TimestampWithTimeZone) && value.type.is(type.kind);
    if (keepsZone)
        type.fields = value.type.fields;
    return castWith(value, type, cast.safe, span);
}

Result<Bound> Binder::nullif(const sql::FunctionCall &call, const Context &context, sql::Span span)
{
    if (call.arguments.size() != 2)
        return invalid(span, u"type_mismatch", QStringLiteral("nullif takes two arguments"));
    IVM_TRY(const Bound value, expression(call.arguments[0], context));
    IVM_TRY(const Bound other, expression(call.arguments[1], context));
    IVM_TRY(const Bound equal, compare(sql::ComparisonOp::Equal, value, other, span));
    return boundOf(QStringLiteral("CASE WHEN ") + equal.sql + QStringLiteral(" THEN NULL ELSE ") +
                       value.sql + QStringLiteral(" END"),
                   value.type, {value, other});
}

Result<Bound> Binder::node(const sql::Case &node, const Context &context, sql::Span span)
{
    QList<Bound> whens;
    QList<Bound> results;
    for (const auto &branch : node.whenClauses) {
        IVM_TRY(const Bound when, node.operand ? expression(branch.condition, context)
                                               : boolean(branch.condition, context, u"CASE WHEN"));
        IVM_TRY(const Bound result, expression(branch.result, context));
        whens.append(when);
        results.append(result);
    }
    if (node.elseExpression) {
        IVM_TRY(const Bound otherwise, expression(node.elseExpression, context));
        results.append(otherwise);
    }
    if (node.operand) {
        IVM_TRY(const Bound operand, expression(node.operand, context));
        QList<Bound> compared = whens;
        compared.prepend(operand);
        IVM_CHECK(unify(compared, u"CASE", span));
        for (qsizetype i = 0; i < whens.size(); ++i) {
            IVM_TRY(whens[i],
                    compare(sql::ComparisonOp::Equal, compared[0], compared[i + 1], span));
        }
    }
    return branches(whens, std::move(results), node.elseExpression != nullptr, span);
}

Result<Bound> Binder::branches(const QList<Bound> &conditions, QList<Bound> results, bool hasElse,
                               sql::Span span)
{
    IVM_CHECK(unify(results, u"CASE", span));
    QString text = QStringLiteral("CASE");
    for (qsizetype i = 0; i < conditions.size(); ++i) {
        text += QStringLiteral(" WHEN ") + conditions[i].sql + QStringLiteral(" THEN ") +
                results[i].sql;
    }
    if (hasElse)
        text += QStringLiteral(" ELSE ") + results.last().sql;
    return boundOf(QString(text + QStringLiteral(" END")), results[0].type, conditions + results);
}

Result<Bound> Binder::node(const sql::Extract &extract, const Context &context, sql::Span span)
{
    IVM_TRY(const Bound value, expression(extract.value, context));
    const QString field = extract.field.value.toLower();
    const auto choice = choose(functionTable(), field, {{value.type, {}}});
    const bool ofInterval = choice && isInterval(value.type);
    const bool isPart =
        choice && (choice->row->parameters == u"M" || ofInterval) && field != u"millisecond";
    if (!isPart || (value.type.is(TypeKind::Date) && isTimeOfDay(field))) {
        return invalid(span, u"type_mismatch",
                       QStringLiteral("%1 cannot be extracted from %2 in the embedded engine")
                           .arg(field.toUpper(), typeText(value.type)));
    }
    return apply(*choice, {value}, {}, span);
}

}  // namespace ivm::duckdb
