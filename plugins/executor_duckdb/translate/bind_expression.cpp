// The way into every expression, and what the embedded engine has nothing for.
#include "plugins/executor_duckdb/translate/binder_nodes.h"

#include "framework/sql/visit.h"
#include "plugins/executor_duckdb/translate/nested.h"
#include "plugins/executor_duckdb/translate/typing.h"

namespace ivm::duckdb {

namespace {

// Texts grow where an operand has to be written twice; longer ones are refused.
constexpr qsizetype kLongestText = 1024 * 1024;
// DuckDB takes twice the time for each lambda that another is inside of.
constexpr int kDeepest = 8;

}  // namespace

Error Binder::at(sql::Span span, Error error) const
{
    return std::move(error).at(sql::placeOf(m_input.text, span.begin));
}

std::unexpected<Error> Binder::invalid(sql::Span span, QStringView code, const QString &message,
                                       const QString &hint) const
{
    return fail(at(span, invalidError(message).withCode(code).withHint(hint)));
}

std::unexpected<Error> Binder::unsupported(sql::Span span, QStringView code, const QString &message,
                                           const QString &hint) const
{
    return fail(at(span, unsupportedError(message).withCode(code).withHint(hint)));
}

Result<Bound> Binder::expression(const sql::ExprPtr &expr, const Context &context)
{
    auto bound =
        std::visit([&](const auto &one) -> Result<Bound> { return node(one, context, expr->span); },
                   expr->node);
    IVM_TRY(Bound value, std::move(bound));
    if (value.sql.size() > kLongestText)
        return tooLong(expr->span);
    if (context.grouping && context.grouping->contains(value.sql))
        value.loose.reset();
    return value;
}

Result<Bound> Binder::boolean(const sql::ExprPtr &expr, const Context &context, QStringView what)
{
    IVM_TRY(Bound value, expression(expr, context));
    if (!canCoerce(value.type, simpleType(TypeKind::Boolean))) {
        return invalid(
            expr->span, u"type_mismatch",
            QStringLiteral("%1 has to be a boolean, it is %2").arg(what, typeText(value.type)));
    }
    return cast(value, simpleType(TypeKind::Boolean), expr->span);
}

Status Binder::requireComparable(const Type &type, sql::Span span, QStringView what) const
{
    return isComparable(type) ? Status() : requireOrderable(type, span, what);
}

std::unexpected<Error> Binder::tooLong(sql::Span span) const
{
    return unsupported(span, u"too_complex",
                       QStringLiteral("the expression is too long for the embedded engine"));
}

Status Binder::checkParts(const Bound &value, sql::Span span) const
{
    if (depthOf(value.type) > kDeepest) {
        return unsupported(span, u"too_complex",
                           QStringLiteral("arrays, maps and rows more than %1 deep are not taken "
                                          "apart in the embedded engine")
                               .arg(kDeepest));
    }
    if (value.sql.size() > kLongestText / partCount(value.type))
        return tooLong(span);
    return {};
}

Result<QString> Binder::sortKey(const QString &sql, const Type &type, sql::Span span) const
{
    if (isNestedOrder(type))
        return orderedText(type, sql);
    IVM_CHECK(requireOrderable(type, span, u"ORDER BY"));
    return sql;
}

Status Binder::requireOrderable(const Type &type, sql::Span span, QStringView what) const
{
    if (isOrderable(type))
        return {};
    return unsupported(
        span, u"unsupported_type",
        QStringLiteral("%1 of type %2 is not in the embedded engine").arg(what, typeText(type)));
}

Bound boundOf(QString sql, Type type, const QList<Bound> &parts)
{
    Bound bound{.sql = std::move(sql), .type = std::move(type)};
    for (const auto &part : parts) {
        if (part.loose) {
            bound.loose = part.loose;
            break;
        }
    }
    return bound;
}

bool hasSubquery(const sql::ExprPtr &expr)
{
    bool found = false;
    sql::Visitor visitor;
    visitor.query = [&](const sql::Query &) {
        found = true;
        return sql::Walk::Skip;
    };
    sql::visit(expr, visitor);
    return found;
}

bool hasAggregate(const sql::ExprPtr &expr)
{
    bool found = false;
    sql::Visitor visitor;
    visitor.query = [](const sql::Query &) { return sql::Walk::Skip; };
    visitor.expression = [&](const sql::ExprPtr &part) {
        found = found || sql::as<sql::Listagg>(part);
        const auto *call = sql::as<sql::FunctionCall>(part);
        if (call && !call->over) {
            for (const auto &row : functionTable()) {
                const bool aggregate = row.kind == FunctionKind::Aggregate;
                found = found || (aggregate && row.name == call->name.last().value.toLower());
            }
        }
        return found ? sql::Walk::Skip : sql::Walk::Into;
    };
    sql::visit(expr, visitor);
    return found;
}

}  // namespace ivm::duckdb
