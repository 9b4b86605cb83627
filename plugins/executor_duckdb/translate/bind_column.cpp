// Names of columns, and subqueries inside expressions.
#include "plugins/executor_duckdb/translate/binder.h"
#include "plugins/executor_duckdb/translate/typing.h"

namespace ivm::duckdb {

namespace {

// DuckDB takes four times the time for each subquery that another is inside of.
constexpr int kMostSubqueries = 8;

}  // namespace

Result<Bound> Binder::node(const sql::ColumnReference &reference, const Context &context,
                           sql::Span span)
{
    const QString &name = reference.name.value;
    const NamedOutput *output = nullptr;
    if (context.outputs) {
        for (const auto &candidate : *context.outputs) {
            if (!sql::sameName(candidate.name, name))
                continue;
            if (output)
                return invalid(
                    span, u"ambiguous_column",
                    QStringLiteral("'%1' is more than one column of the result").arg(name),
                    QStringLiteral("Use its position, as in %1 1").arg(context.clause));
            output = &candidate;
        }
    }
    if (output)
        return *output->value;
    return column({name}, context, span);
}

Result<Bound> Binder::column(const QStringList &parts, const Context &context, sql::Span span)
{
    auto looked = findField(*context.scope, parts);
    if (!looked)
        return fail(at(span, std::move(looked).error()));
    const Field &field = *looked->field;
    if (const auto type = duckdbType(field.type); !type) {
        return unsupported(span, u"unsupported_type",
                           QStringLiteral("column '%1' is of type %2, which is not in the embedded "
                                          "engine")
                               .arg(parts.join(u'.'), typeText(field.type)));
    }
    if (looked->grouping && !looked->grouping->contains(field.sql)) {
        return invalid(span, u"not_grouped",
                       QStringLiteral("'%1' of the query around this one is neither grouped by nor "
                                      "inside an aggregate")
                           .arg(parts.join(u'.')));
    }
    Bound bound{.sql = field.sql, .type = field.type};
    if (!looked->outer)
        bound.loose = LooseColumn{parts.join(u'.'), span};
    return bound;
}

Result<BoundQuery> Binder::subqueryOf(const sql::Query &inner, const Context &context,
                                      sql::Span span)
{
    if (m_subqueries >= kMostSubqueries) {
        return unsupported(span, u"too_complex",
                           QStringLiteral("subqueries more than %1 deep are not in the embedded "
                                          "engine")
                               .arg(kMostSubqueries),
                           QStringLiteral("Write joins instead"));
    }
    ++m_subqueries;
    auto bound = query(inner, context.scope, context.grouping, OutputNames::Positions);
    --m_subqueries;
    return bound;
}

Result<Bound> Binder::node(const sql::SubqueryExpression &subquery, const Context &context,
                           sql::Span span)
{
    IVM_TRY(const BoundQuery inner, subqueryOf(*subquery.query, context, span));
    if (inner.outputs.size() != 1) {
        return unsupported(span, u"unsupported_expression",
                           QStringLiteral("a subquery of %1 columns as a value is not in the "
                                          "embedded engine")
                               .arg(inner.outputs.size()));
    }
    return Bound{.sql = u'(' + inner.sql + u')', .type = inner.outputs[0].type};
}

Result<Bound> Binder::node(const sql::Exists &exists, const Context &context, sql::Span span)
{
    IVM_TRY(const BoundQuery inner, subqueryOf(*exists.query, context, span));
    return Bound{.sql = QStringLiteral("(EXISTS (") + inner.sql + QStringLiteral("))"),
                 .type = simpleType(TypeKind::Boolean)};
}

Result<Bound> Binder::node(const sql::InSubquery &in, const Context &context, sql::Span span)
{
    IVM_TRY(const Bound value, expression(in.value, context));
    IVM_TRY(const BoundQuery inner, subqueryOf(*in.query, context, span));
    const auto common = inner.outputs.size() == 1
                            ? commonSuperType(value.type, inner.outputs[0].type)
                            : std::nullopt;
    if (!common) {
        QList<Type> types;
        for (const auto &output : inner.outputs)
            types.append(output.type);
        return invalid(span, u"type_mismatch",
                       QStringLiteral("IN compares %1 with a subquery of (%2)")
                           .arg(typeText(value.type), typeTexts(types)));
    }
    IVM_CHECK(requireOrderable(*common, span, u"IN with a subquery"));
    if (common->isFloat()) {
        return unsupported(span, u"unsupported_type",
                           QStringLiteral("IN with a subquery of type %1 is not in the embedded "
                                          "engine: NaN would compare otherwise than in Trino")
                               .arg(typeText(*common)),
                           QStringLiteral("Write EXISTS with a condition, or compare decimals"));
    }
    IVM_TRY(const Bound left, cast(value, *common, span));
    IVM_TRY(const QString rows,
            operandAs(inner, {Output{{}, *common}}, OutputNames::Positions, span));
    const QString op = in.negated ? QStringLiteral(" NOT IN (") : QStringLiteral(" IN (");
    return boundOf(u'(' + left.sql + op + rows + QStringLiteral("))"),
                   simpleType(TypeKind::Boolean), {left});
}

}  // namespace ivm::duckdb
