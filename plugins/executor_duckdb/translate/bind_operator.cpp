// Arithmetic and the other operators that give values.
#include "framework/base/nearest.h"
#include "plugins/executor_duckdb/translate/binder.h"
#include "plugins/executor_duckdb/translate/literal_text.h"
#include "plugins/executor_duckdb/translate/typing.h"
#include "plugins/executor_duckdb/translate/zone.h"

namespace ivm::duckdb {

namespace {

// A chain of more operands would nest deeper than DuckDB reads.
constexpr size_t kLongestChain = 400;

QStringView operatorName(sql::ArithmeticOp op)
{
    switch (op) {
    case sql::ArithmeticOp::Add: return u"+";
    case sql::ArithmeticOp::Subtract: return u"-";
    case sql::ArithmeticOp::Multiply: return u"*";
    case sql::ArithmeticOp::Divide: return u"/";
    case sql::ArithmeticOp::Modulo: return u"%";
    }
    Q_UNREACHABLE();
}

}  // namespace

Result<Bound> Binder::node(const sql::Arithmetic &chain, const Context &context, sql::Span span)
{
    if (chain.rest.size() > kLongestChain) {
        return unsupported(span, u"too_complex",
                           QStringLiteral("a chain of %1 operators is too long for the embedded "
                                          "engine, which takes %2")
                               .arg(chain.rest.size())
                               .arg(kLongestChain));
    }
    IVM_TRY(Bound left, expression(chain.first, context));
    for (const auto &step : chain.rest) {
        IVM_TRY(const Bound right, expression(step.operand, context));
        const bool swap = step.op == sql::ArithmeticOp::Add && isInterval(left.type);
        const QList<Bound> operands = swap ? QList<Bound>{right, left} : QList<Bound>{left, right};
        IVM_TRY(left, operation(operatorName(step.op), operands, step.opSpan));
        if (context.grouping && context.grouping->contains(left.sql))
            left.loose.reset();
    }
    return left;
}

Result<Bound> Binder::node(const sql::Unary &unary, const Context &context, sql::Span span)
{
    IVM_TRY(const Bound value, expression(unary.value, context));
    if (unary.sign == sql::Sign::Minus) {
        IVM_TRY(Bound negated, operation(u"-", {value}, span));
        if (value.whole)
            negated.whole = -*value.whole;
        return negated;
    }
    if (!isNumeric(value.type))
        return invalid(span, u"type_mismatch",
                       QStringLiteral("there is no operator + for %1").arg(typeText(value.type)));
    return value;
}

Result<Bound> Binder::node(const sql::Concatenation &chain, const Context &context, sql::Span span)
{
    QList<Bound> operands;
    QList<Type> types;
    for (const auto &operand : chain.operands) {
        IVM_TRY(const Bound value, expression(operand, context));
        operands.append(value);
        types.append(value.type);
        if (!isVarchar(value.type)) {
            return invalid(operand->span, u"type_mismatch",
                           QStringLiteral("|| joins varchar, this is %1").arg(typeText(value.type)),
                           QStringLiteral("Write CAST(… AS varchar)"));
        }
    }
    const auto choice = choose(functionTable(), u"concat", [&] {
        QList<Operand> all;
        for (const auto &type : types)
            all.append({type, {}});
        return all;
    }());
    return apply(*choice, operands, {}, span);
}

Result<QString> Binder::zone(const sql::ExprPtr &zone) const
{
    if (const auto *name = sql::as<sql::StringLiteral>(zone)) {
        if (const auto id = zoneId(name->value))
            return *id;
        if (isToldDifferently(name->value)) {
            return unsupported(zone->span, u"unknown_zone",
                               QStringLiteral("time zone '%1' is not in the embedded engine: its "
                                              "history differs between DuckDB and Trino")
                                   .arg(name->value));
        }
        return unsupported(zone->span, u"unknown_zone",
                           QStringLiteral("time zone '%1' is not in the embedded engine")
                               .arg(name->value.left(60)),
                           nearestHint(name->value, knownZones()));
    }
    const auto *interval = sql::as<sql::IntervalLiteral>(zone);
    const auto length = interval && interval->from >= sql::IntervalField::Day && !interval->to
                            ? intervalLength(*interval)
                            : std::nullopt;
    constexpr qint64 kMinute = 60'000;
    constexpr qint64 kDay = 1'440 * kMinute;
    const bool whole = length && *length % kMinute == 0 && *length > -kDay && *length < kDay;
    const auto id = whole ? zoneId(int(*length / kMinute)) : std::nullopt;
    if (id)
        return *id;
    return invalid(zone->span, u"unknown_zone", QStringLiteral("this is not a time zone"),
                   QStringLiteral("Write a name as in 'America/Chicago', or the distance from UTC "
                                  "as in '+05:30', which is at most 14 hours"));
}

Result<Bound> Binder::node(const sql::AtTimeZone &node, const Context &context, sql::Span span)
{
    IVM_TRY(const Bound value, expression(node.value, context));
    IVM_TRY(const QString zone, this->zone(node.zone));
    if (!isTimestamp(value.type)) {
        return invalid(
            span, u"type_mismatch",
            QStringLiteral("AT TIME ZONE takes a timestamp, this is %1").arg(typeText(value.type)));
    }
    IVM_TRY(Bound instant,
            cast(value, simpleType(TypeKind::TimestampWithTimeZone, value.type.precision), span));
    instant.type = inZone(instant.type, zone);
    return instant;
}

Result<Bound> Binder::operation(QStringView name, QList<Bound> operands, sql::Span span)
{
    QList<Operand> types;
    for (const auto &operand : operands)
        types.append({operand.type, operand.word, operand.whole});
    const auto choice = choose(operatorTable(), name, types);
    if (choice)
        return apply(*choice, operands, {}, span);
    if (operands.size() == 1) {
        return invalid(
            span, u"type_mismatch",
            QStringLiteral("there is no operator %1 for %2").arg(name, typeText(types[0].type)));
    }
    return invalid(span, u"type_mismatch",
                   QStringLiteral("there is no operator %1 %2 %3 in the embedded engine")
                       .arg(typeText(types[0].type), name, typeText(types[1].type)));
}

Result<Bound> Binder::apply(const Choice &choice, const QList<Bound> &operands,
                            const CallClauses &clauses, sql::Span span)
{
    m_used.functions.insert(choice.row);
    Filling filling{.operands = {},
                    .types = choice.match.types,
                    .positive = {},
                    .result = choice.result,
                    .bindings = choice.match.bindings,
                    .distinct = clauses.distinct,
                    .suffix = clauses.suffix,
                    .order = clauses.order};
    QList<Bound> parts;
    for (qsizetype i = 0; i < operands.size(); ++i) {
        IVM_TRY(Bound part, cast(operands[i], choice.match.types[i], span));
        IVM_CHECK(checkParts(part, span));
        part.sql = choice.match.texts.value(i, part.sql);
        filling.operands.append(part.sql);
        filling.positive.append(part.positive);
        parts.append(part);
    }
    if (choice.row->sql == u"{cast}")
        return cast(parts[0], choice.result, span);
    IVM_TRY(const QString text, filled(choice.row->sql, filling, span));
    return boundOf(text, choice.result, parts);
}

}  // namespace ivm::duckdb
