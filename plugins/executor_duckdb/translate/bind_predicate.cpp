// Comparisons and logic. Where NaN may take part, Trino's rule is written out (operator_table.cpp).
#include "plugins/executor_duckdb/translate/binder.h"
#include "plugins/executor_duckdb/translate/typing.h"

namespace ivm::duckdb {

namespace {

using sql::ComparisonOp;

QString symbol(ComparisonOp op)
{
    switch (op) {
    case ComparisonOp::Equal: return QStringLiteral("=");
    case ComparisonOp::NotEqual: return QStringLiteral("<>");
    case ComparisonOp::Less: return QStringLiteral("<");
    case ComparisonOp::LessOrEqual: return QStringLiteral("<=");
    case ComparisonOp::Greater: return QStringLiteral(">");
    case ComparisonOp::GreaterOrEqual: return QStringLiteral(">=");
    }
    Q_UNREACHABLE();
}

// a op b says the same as b mirrored(op) a.
ComparisonOp mirrored(ComparisonOp op)
{
    switch (op) {
    case ComparisonOp::Less: return ComparisonOp::Greater;
    case ComparisonOp::LessOrEqual: return ComparisonOp::GreaterOrEqual;
    case ComparisonOp::Greater: return ComparisonOp::Less;
    case ComparisonOp::GreaterOrEqual: return ComparisonOp::LessOrEqual;
    default: return op;
    }
}

bool isGreater(ComparisonOp op)
{
    return op == ComparisonOp::Greater || op == ComparisonOp::GreaterOrEqual;
}

Bound boolean(QString text, const QList<Bound> &parts)
{
    return boundOf(std::move(text), simpleType(TypeKind::Boolean), parts);
}

// `a` beside a literal number: DuckDB has NaN above all numbers, so only "greater" needs a word
// more.
Bound besideNumber(ComparisonOp op, const Bound &a, const Bound &number)
{
    QString text = a.sql + u' ' + symbol(op) + u' ' + number.sql;
    if (isGreater(op) && !a.number)
        text += QStringLiteral(" AND NOT isnan(") + a.sql + u')';
    return boolean(u'(' + text + u')', {a, number});
}

// One character that stands for itself before %, _ and itself.
bool isWellEscaped(const QString &pattern, QChar escape)
{
    for (qsizetype i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != escape)
            continue;
        ++i;
        if (i >= pattern.size() ||
            (pattern[i] != u'%' && pattern[i] != u'_' && pattern[i] != escape))
            return false;
    }
    return true;
}

}  // namespace

Result<Bound> Binder::condition(const sql::ExprPtr &expr, const Context &context)
{
    if (const auto *logical = sql::as<sql::Logical>(expr)) {
        QStringList texts;
        QList<Bound> parts;
        for (const auto &term : logical->terms) {
            IVM_TRY(const Bound part, condition(term, context));
            texts.append(part.sql);
            parts.append(part);
        }
        const bool all = logical->op == sql::LogicalOp::And;
        const auto separator = all ? QStringLiteral(" AND ") : QStringLiteral(" OR ");
        return ivm::duckdb::boolean(u'(' + texts.join(separator) + u')', parts);
    }
    if (const auto *comparison = sql::as<sql::Comparison>(expr)) {
        IVM_TRY(const Bound left, expression(comparison->left, context));
        IVM_TRY(const Bound right, expression(comparison->right, context));
        return compareForTruth(comparison->op, left, right, expr->span);
    }
    return boolean(expr, context, QString(context.clause + QStringLiteral(" condition")));
}

// Where NULL and FALSE are alike the rule for NaN is one condition more: a hash join stays one.
Result<Bound> Binder::compareForTruth(ComparisonOp op, const Bound &a, const Bound &b,
                                      sql::Span span)
{
    const auto common = commonSuperType(a.type, b.type);
    const bool plain = !common || !common->isFloat() || a.number || b.number;
    if (plain || op == ComparisonOp::NotEqual)
        return compare(op, a, b, span);
    IVM_TRY(const Bound left, cast(a, *common, span));
    IVM_TRY(const Bound right, cast(b, *common, span));
    const bool greater = isGreater(op) || op == ComparisonOp::Equal;
    return ivm::duckdb::boolean(u'(' + left.sql + u' ' + symbol(op) + u' ' + right.sql +
                                    QStringLiteral(" AND NOT isnan(") +
                                    (greater ? left.sql : right.sql) + QStringLiteral("))"),
                                {left, right});
}

Result<Bound> Binder::compare(ComparisonOp op, const Bound &a, const Bound &b, sql::Span span)
{
    const auto common = commonSuperType(a.type, b.type);
    if (common && common->isFloat() && (a.number || b.number)) {
        IVM_TRY(const Bound left, cast(a, *common, span));
        IVM_TRY(const Bound right, cast(b, *common, span));
        return b.number ? besideNumber(op, left, right) : besideNumber(mirrored(op), right, left);
    }
    return operation(symbol(op), {a, b}, span);
}

Result<Bound> Binder::node(const sql::Comparison &comparison, const Context &context,
                           sql::Span span)
{
    IVM_TRY(const Bound left, expression(comparison.left, context));
    IVM_TRY(const Bound right, expression(comparison.right, context));
    return compare(comparison.op, left, right, span);
}

Result<Bound> Binder::node(const sql::Logical &logical, const Context &context, sql::Span)
{
    const bool all = logical.op == sql::LogicalOp::And;
    QStringList texts;
    QList<Bound> parts;
    for (const auto &term : logical.terms) {
        IVM_TRY(const Bound part,
                boolean(term, context, all ? QStringView(u"a term of AND") : u"a term of OR"));
        texts.append(part.sql);
        parts.append(part);
    }
    const auto separator = all ? QStringLiteral(" AND ") : QStringLiteral(" OR ");
    return ivm::duckdb::boolean(u'(' + texts.join(separator) + u')', parts);
}

Result<Bound> Binder::node(const sql::Not &inverse, const Context &context, sql::Span)
{
    IVM_TRY(const Bound value, boolean(inverse.value, context, u"what NOT inverts"));
    return ivm::duckdb::boolean(QStringLiteral("(NOT ") + value.sql + u')', {value});
}

// Converts all values to the one type that they have in common.
Status Binder::unify(QList<Bound> &values, QStringView what, sql::Span span)
{
    Type common;
    QList<Type> types;
    for (const auto &value : values) {
        types.append(value.type);
        const auto wider = commonSuperType(common, value.type);
        if (!wider) {
            return invalid(span, u"type_mismatch",
                           QStringLiteral("%1 mixes types that have no type in common: %2")
                               .arg(what, typeTexts(types)));
        }
        common = *wider;
    }
    for (auto &value : values) {
        IVM_TRY(value, cast(value, common, span));
    }
    return {};
}

Result<Bound> Binder::node(const sql::Between &between, const Context &context, sql::Span span)
{
    QList<Bound> values;
    for (const auto &part : {between.value, between.min, between.max}) {
        IVM_TRY(const Bound value, expression(part, context));
        values.append(value);
    }
    IVM_CHECK(unify(values, u"BETWEEN", span));
    IVM_TRY(const Bound low, compare(ComparisonOp::GreaterOrEqual, values[0], values[1], span));
    IVM_TRY(const Bound high, compare(ComparisonOp::LessOrEqual, values[0], values[2], span));
    const QString text = u'(' + low.sql + QStringLiteral(" AND ") + high.sql + u')';
    return ivm::duckdb::boolean(
        between.negated ? QString(QStringLiteral("(NOT ") + text + u')') : text, values);
}

Result<Bound> Binder::node(const sql::InList &in, const Context &context, sql::Span span)
{
    IVM_TRY(const Bound value, expression(in.value, context));
    QList<Bound> all{value};
    bool numbers = true;
    for (const auto &item : in.items) {
        IVM_TRY(const Bound bound, expression(item, context));
        all.append(bound);
        numbers = numbers && bound.number;
    }
    IVM_CHECK(unify(all, u"IN", span));
    const bool nested = all[0].type.isNested();
    if (!nested)
        IVM_CHECK(requireOrderable(all[0].type, span, u"IN"));
    const bool writtenOut = nested || (all[0].type.isFloat() && !numbers);
    QStringList texts;
    for (const auto &item : all.mid(1)) {
        if (!writtenOut) {
            texts.append(item.sql);
            continue;
        }
        IVM_TRY(const Bound equal, compare(ComparisonOp::Equal, all[0], item, span));
        texts.append(equal.sql);
    }
    const QString text = writtenOut
                             ? QString(u'(' + texts.join(QStringLiteral(" OR ")) + u')')
                             : QString(u'(' + all[0].sql + QStringLiteral(" IN (") +
                                       texts.join(QStringLiteral(", ")) + QStringLiteral("))"));
    return ivm::duckdb::boolean(in.negated ? QString(QStringLiteral("(NOT ") + text + u')') : text,
                                all);
}

Result<Bound> Binder::node(const sql::Like &like, const Context &context, sql::Span span)
{
    IVM_TRY(const Bound value, expression(like.value, context));
    IVM_TRY(const Bound pattern, expression(like.pattern, context));
    const Type varchar = simpleType(TypeKind::Varchar);
    if (!canCoerce(value.type, varchar) || !canCoerce(pattern.type, varchar)) {
        return invalid(span, u"type_mismatch",
                       QStringLiteral("LIKE compares varchar, these are %1 and %2")
                           .arg(typeText(value.type), typeText(pattern.type)));
    }
    IVM_TRY(const Bound left, cast(value, varchar, span));
    IVM_TRY(const Bound right, cast(pattern, varchar, span));
    QString text = left.sql +
                   (like.negated ? QStringLiteral(" NOT LIKE ") : QStringLiteral(" LIKE ")) +
                   right.sql;
    if (like.escape) {
        const auto *escape = sql::as<sql::StringLiteral>(like.escape);
        const bool one = escape && escape->value.size() == 1 && escape->value[0] < QChar(0x80) &&
                         escape->value[0] > u' ';
        if (!one || !pattern.word) {
            return unsupported(
                span, u"unsupported_expression",
                QStringLiteral("LIKE with an ESCAPE that is not one ASCII character, or a "
                               "pattern that is not a literal, is not in the embedded "
                               "engine"));
        }
        if (!isWellEscaped(*pattern.word, escape->value[0])) {
            return invalid(
                like.pattern->span, u"invalid_literal",
                QStringLiteral("in the pattern, '%1' has to be followed by %, _ or itself")
                    .arg(escape->value));
        }
        text += QStringLiteral(" ESCAPE ") + quotedLiteral(escape->value);
    }
    return ivm::duckdb::boolean(u'(' + text + u')', {left, right});
}

Result<Bound> Binder::node(const sql::IsNull &test, const Context &context, sql::Span)
{
    IVM_TRY(const Bound value, expression(test.value, context));
    const auto op = test.negated ? QStringLiteral(" IS NOT NULL)") : QStringLiteral(" IS NULL)");
    return ivm::duckdb::boolean(u'(' + value.sql + op, {value});
}

Result<Bound> Binder::node(const sql::IsDistinctFrom &test, const Context &context, sql::Span span)
{
    IVM_TRY(const Bound left, expression(test.left, context));
    IVM_TRY(const Bound right, expression(test.right, context));
    IVM_TRY(const Bound distinct, operation(u"IS DISTINCT FROM", {left, right}, span));
    if (!test.negated)
        return distinct;
    return ivm::duckdb::boolean(QStringLiteral("(NOT ") + distinct.sql + u')', {distinct});
}

}  // namespace ivm::duckdb
