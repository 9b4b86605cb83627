#include "framework/view/bucket_syntax.h"

namespace ivm {

namespace {

std::optional<Quotient> floorArgument(const sql::ExprPtr &expr)
{
    const auto *call = sql::as<sql::FunctionCall>(expr);
    return call && isPlain(*call, u"floor", 1) ? quotientIn(call->arguments[0]) : std::nullopt;
}

}  // namespace

BucketUnit unitOf(sql::IntervalField field)
{
    switch (field) {
    case sql::IntervalField::Year: return BucketUnit::Year;
    case sql::IntervalField::Month: return BucketUnit::Month;
    case sql::IntervalField::Day: return BucketUnit::Day;
    case sql::IntervalField::Hour: return BucketUnit::Hour;
    case sql::IntervalField::Minute: return BucketUnit::Minute;
    case sql::IntervalField::Second: return BucketUnit::Second;
    }
    Q_UNREACHABLE();
}

std::optional<QString> stringOf(const sql::ExprPtr &expr)
{
    const auto *literal = sql::as<sql::StringLiteral>(expr);
    return literal ? std::optional(literal->value) : std::nullopt;
}

std::optional<qint64> wholeNumber(const sql::ExprPtr &expr)
{
    double value = 0;
    if (const auto *integer = sql::as<sql::IntegerLiteral>(expr))
        return integer->value > 0 ? std::optional(integer->value) : std::nullopt;
    if (const auto *decimal = sql::as<sql::DecimalLiteral>(expr))
        value = decimal->text.toDouble();
    else if (const auto *real = sql::as<sql::DoubleLiteral>(expr))
        value = real->text.toDouble();
    const bool isWhole = value >= 1 && value <= 1e12 && value == double(qint64(value));
    return isWhole ? std::optional(qint64(value)) : std::nullopt;
}

std::optional<Quotient> quotientIn(const sql::ExprPtr &expr)
{
    const auto *arithmetic = sql::as<sql::Arithmetic>(expr);
    if (!arithmetic || arithmetic->rest.size() != 1 ||
        arithmetic->rest[0].op != sql::ArithmeticOp::Divide)
        return {};
    return Quotient{arithmetic->first, arithmetic->rest[0].operand};
}

std::optional<FloorProduct> floorProduct(const sql::Arithmetic &arithmetic)
{
    const auto &step = arithmetic.rest[0];
    if (step.op != sql::ArithmeticOp::Multiply)
        return {};
    const auto left = floorArgument(arithmetic.first);
    const auto right = floorArgument(step.operand);
    const auto factor = wholeNumber(left ? step.operand : arithmetic.first);
    if (!factor || (!left && !right))
        return {};
    return FloorProduct{left ? *left : *right, *factor};
}

bool isPlain(const sql::FunctionCall &call, QStringView name, size_t arguments)
{
    return call.name.parts.size() == 1 && sql::sameName(call.name.last().value, name) &&
           call.arguments.size() == arguments && !call.filter && !call.over &&
           call.orderBy.empty() && call.quantifier == sql::SetQuantifier::All;
}

}  // namespace ivm
