// Calls of functions: where each may stand, its arguments, DISTINCT, FILTER and OVER.
#include "plugins/executor_duckdb/translate/binder.h"
#include "framework/base/nearest.h"
#include "plugins/executor_duckdb/translate/typing.h"

#include <algorithm>

namespace ivm::duckdb {

namespace {

std::optional<FunctionKind> kindOf(const QString &name)
{
    for (const auto &row : functionTable()) {
        if (row.name == name)
            return row.kind;
    }
    return std::nullopt;
}

// Written in code, since they are no plain functions of their arguments.
constexpr QStringView kSpecial[] = {u"nullif", u"now"};

struct Refused {
    QStringView name;
    QStringView hint;
};
// What Trino has and this engine has not, where something else does.
constexpr Refused kRefused[] = {
    {u"approx_distinct", u"count(DISTINCT x) counts exactly"},
    {u"approx_percentile", u"Estimates differ from engine to engine"},
    {u"approx_most_frequent", u"Estimates differ from engine to engine"},
    {u"checksum", u"Trino's hash is its own"},
    {u"try", u"Write TRY_CAST(x AS type), or x / nullif(y, 0)"},
    {u"cbrt", u"Write power(x, 1e0 / 3)"},
};

QString hintFor(const QString &name, const QStringList &known)
{
    for (const auto &refused : kRefused) {
        if (refused.name == name)
            return refused.hint.toString();
    }
    return nearestHint(name, known);
}

QStringList knownFunctions()
{
    QStringList names = namesOf(functionTable());
    for (const auto name : kSpecial)
        names.append(name.toString());
    return names;
}

}  // namespace

Result<Bound> Binder::node(const sql::FunctionCall &call, const Context &context, sql::Span span)
{
    const QString name = call.name.last().value.toLower();
    if (name == u"nullif" && call.name.parts.size() == 1)
        return nullif(call, context, span);
    if (name == u"now" && call.name.parts.size() == 1 && call.arguments.empty()) {
        IVM_CHECK(checkPlace(call, FunctionKind::Scalar, context, span));
        return node(sql::CurrentValue{sql::CurrentValue::Kind::Timestamp, {}}, context, span);
    }
    const auto kind = kindOf(name);
    if (!kind || call.name.parts.size() != 1) {
        return unsupported(call.name.span, u"unknown_function",
                           QStringLiteral("function '%1' is not in the embedded engine")
                               .arg(call.name.last().value),
                           hintFor(name, knownFunctions()));
    }
    IVM_CHECK(checkPlace(call, *kind, context, span));
    Context inside = context;
    if (*kind == FunctionKind::Aggregate && !call.over) {
        inside.aggregates = false;
        inside.grouping = nullptr;
        inside.outputs = nullptr;
        inside.clause = u"an aggregate";
    }
    if (call.over || *kind == FunctionKind::Aggregate)
        inside.windows = false;
    IVM_TRY(const QList<Bound> operands, arguments(call, inside));
    IVM_TRY(const QString suffix, suffixOf(call, inside, span));
    IVM_TRY(const QString order, orderOf(call, operands, inside));
    IVM_TRY(Bound value,
            this->call(call, operands, {.distinct = {}, .order = order, .suffix = suffix}, span));
    if (*kind == FunctionKind::Aggregate && !call.over)
        value.loose.reset();
    return value;
}

Status Binder::checkPlace(const sql::FunctionCall &call, FunctionKind kind, const Context &context,
                          sql::Span span) const
{
    const QString name = call.name.last().value;
    const bool aggregate = kind == FunctionKind::Aggregate && !call.over;
    if (aggregate && !context.aggregates) {
        return invalid(span, u"misplaced_aggregate",
                       QStringLiteral("aggregate %1 cannot stand in %2").arg(name, context.clause),
                       context.clause == u"WHERE"
                           ? QStringLiteral("Conditions on groups stand in HAVING")
                           : QString());
    }
    if (call.over && !context.windows)
        return invalid(
            span, u"misplaced_window",
            QStringLiteral("window function %1 cannot stand in %2").arg(name, context.clause));
    if (kind == FunctionKind::Window && !call.over)
        return invalid(span, u"misplaced_window", QStringLiteral("%1 needs OVER (…)").arg(name));
    if (kind == FunctionKind::Scalar &&
        (call.over || call.filter || !call.orderBy.empty() ||
         call.quantifier == sql::SetQuantifier::Distinct || call.star)) {
        return invalid(span, u"type_mismatch",
                       QStringLiteral("%1 is no aggregate: it takes no DISTINCT, ORDER BY, FILTER, "
                                      "OVER or *")
                           .arg(name));
    }
    if (call.nullTreatment != sql::FunctionCall::NullTreatment::Unsaid) {
        return unsupported(span, u"unsupported_expression",
                           QStringLiteral("IGNORE NULLS and RESPECT NULLS are not in the embedded "
                                          "engine"));
    }
    return {};
}

Result<QList<Bound>> Binder::arguments(const sql::FunctionCall &call, const Context &context)
{
    QList<Bound> operands;
    for (const auto &argument : call.arguments) {
        IVM_TRY(const Bound operand, expression(argument, context));
        operands.append(operand);
    }
    return operands;
}

Result<Bound> Binder::call(const sql::FunctionCall &call, const QList<Bound> &operands,
                           CallClauses clauses, sql::Span span)
{
    const QString name = call.name.last().value.toLower();
    QList<Operand> types;
    QList<Type> shown;
    for (const auto &operand : operands) {
        types.append({operand.type, operand.word, operand.whole});
        shown.append(operand.type);
    }
    const bool untyped = std::any_of(shown.begin(), shown.end(),
                                     [](const Type &type) { return type.is(TypeKind::Unknown); });
    const bool ambiguous = name == u"concat" || (name == u"concat_ws" && operands.size() == 2);
    if (ambiguous && untyped) {
        return unsupported(
            span, u"unsupported_expression",
            QStringLiteral("%1 of a NULL without a type is not in the embedded engine").arg(name),
            QStringLiteral("Write CAST(NULL AS varchar)"));
    }
    const auto choice = choose(functionTable(), name, types);
    if (!choice || (call.star && name != u"count")) {
        return invalid(span, u"type_mismatch",
                       QStringLiteral("%1 does not take (%2) in the embedded engine")
                           .arg(name, call.star ? QStringLiteral("*") : typeTexts(shown)),
                       QString(QStringLiteral("It takes ") + signatures(functionTable(), name)));
    }
    const bool distinct = call.quantifier == sql::SetQuantifier::Distinct;
    if (distinct && (call.over || !choice->row->sql.contains(u"{d}"))) {
        return unsupported(span, u"unsupported_expression",
                           QStringLiteral("DISTINCT in %1%2 is not in the embedded engine")
                               .arg(name, call.over ? QStringLiteral(" with OVER") : QString()));
    }
    for (const auto &operand : operands) {
        if (distinct && !choice->row->sql.contains(u"{same"))
            IVM_CHECK(requireComparable(operand.type, span, u"DISTINCT"));
    }
    if (call.over && !choice->row->sql.contains(u"{f}")) {
        return unsupported(span, u"unsupported_expression",
                           QStringLiteral("%1 with OVER is not in the embedded engine").arg(name));
    }
    if (!clauses.order.isEmpty() && (call.over || !choice->row->sql.contains(u"{o}"))) {
        return unsupported(span, u"unsupported_expression",
                           QStringLiteral("ORDER BY inside of %1%2 is not in the embedded engine")
                               .arg(name, call.over ? QStringLiteral(" with OVER") : QString()));
    }
    if (distinct)
        clauses.distinct = QStringLiteral("DISTINCT ");
    return apply(*choice, operands, clauses, span);
}

Result<QString> Binder::orderOf(const sql::FunctionCall &call, const QList<Bound> &operands,
                                const Context &context)
{
    QStringList orders;
    for (const auto &item : call.orderBy) {
        IVM_TRY(const Bound key, expression(item.key, context));
        IVM_CHECK(requireOrderable(key.type, item.key->span, u"ORDER BY"));
        const bool given = std::any_of(operands.begin(), operands.end(), [&](const Bound &operand) {
            return operand.sql == key.sql;
        });
        if (call.quantifier == sql::SetQuantifier::Distinct && !given) {
            return invalid(item.key->span, u"not_projected",
                           QStringLiteral("with DISTINCT, ORDER BY takes what is an argument of %1")
                               .arg(call.name.last().value));
        }
        orders.append(key.sql + direction(item));
    }
    return orders.isEmpty()
               ? QString()
               : QString(QStringLiteral(" ORDER BY ") + orders.join(QStringLiteral(", ")));
}

// LISTAGG(x, ',') WITHIN GROUP (ORDER BY y) is a call with an order inside.
Result<Bound> Binder::node(const sql::Listagg &list, const Context &context, sql::Span span)
{
    if (list.overflow != sql::Listagg::Overflow::Error) {
        return unsupported(span, u"unsupported_expression",
                           QStringLiteral("ON OVERFLOW TRUNCATE is not in the embedded engine"));
    }
    const sql::Identifier name{.value = QStringLiteral("listagg"), .span = span};
    const sql::FunctionCall call{
        .name = {.parts = {name}, .span = span},
        .quantifier = list.quantifier,
        .arguments = {list.value, sql::makeExpr(sql::StringLiteral{list.separator}, span)},
        .orderBy = list.orderBy,
        .filter = list.filter,
        .over = {}};
    return node(call, context, span);
}

Result<QString> Binder::suffixOf(const sql::FunctionCall &call, const Context &context,
                                 sql::Span span)
{
    if (call.filter && call.over)
        return unsupported(span, u"unsupported_expression",
                           QStringLiteral("FILTER with OVER is not in the embedded engine"),
                           QStringLiteral("Trino takes no FILTER there either. Put a CASE into the "
                                          "argument"));
    QString suffix;
    if (call.filter) {
        IVM_TRY(const Bound filter, boolean(call.filter, context, u"FILTER"));
        suffix += QStringLiteral(" FILTER (WHERE ") + filter.sql + u')';
    }
    if (call.over) {
        IVM_TRY(const QString over, window(*call.over, context, span));
        suffix += over;
    }
    return suffix;
}

Result<QString> Binder::window(const sql::Over &over, const Context &context, sql::Span span)
{
    const auto *given = std::get_if<sql::WindowSpecification>(&over);
    if (!given || given->existingWindow || given->frame) {
        return unsupported(
            span, u"unsupported_expression",
            QStringLiteral("a named window or a frame (ROWS, RANGE, GROUPS) is not in "
                           "the embedded engine"));
    }
    QStringList partitions;
    for (const auto &key : given->partitionBy) {
        IVM_TRY(const Bound bound, expression(key, context));
        IVM_CHECK(requireOrderable(bound.type, key->span, u"PARTITION BY"));
        partitions.append(bound.sql);
    }
    QStringList orders;
    for (const auto &item : given->orderBy) {
        IVM_TRY(const Bound bound, expression(item.key, context));
        IVM_CHECK(requireOrderable(bound.type, item.key->span, u"ORDER BY"));
        orders.append(bound.sql + direction(item));
    }
    QString text = QStringLiteral(" OVER (");
    if (!partitions.isEmpty())
        text += QStringLiteral("PARTITION BY ") + partitions.join(QStringLiteral(", "));
    if (!orders.isEmpty())
        text += QStringLiteral(" ORDER BY ") + orders.join(QStringLiteral(", "));
    return QString(text + u')');
}

}  // namespace ivm::duckdb
