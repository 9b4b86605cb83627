// Arrays, maps and rows: their constructors, parts and casts.
#include "framework/sql/visit.h"
#include "plugins/executor_duckdb/translate/binder.h"
#include "plugins/executor_duckdb/translate/nested.h"
#include "plugins/executor_duckdb/translate/typing.h"

#include <algorithm>

namespace ivm::duckdb {

namespace {

// What a value without a type is to DuckDB: inside of others it needs one.
Bound typed(const Bound &value)
{
    Bound result = value;
    if (value.type.is(TypeKind::Unknown))
        result.sql = QStringLiteral("CAST(NULL AS INTEGER)");
    return result;
}

bool sameNames(const Type &a, const Type &b)
{
    return std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                      [](const TypeField &x, const TypeField &y) { return x.name == y.name; });
}

}  // namespace

Result<Bound> Binder::node(const sql::RowConstructor &row, const Context &context, sql::Span)
{
    Type type{.kind = TypeKind::Row};
    QStringList values;
    QList<Bound> parts;
    for (const auto &item : row.items) {
        IVM_TRY(const Bound part, expression(item, context));
        values.append(typed(part).sql);
        type.fields.append({{}, part.type});
        parts.append(part);
    }
    return boundOf(rowText(type, values), type, parts);
}

Result<Bound> Binder::node(const sql::ArrayConstructor &array, const Context &context,
                           sql::Span span)
{
    QList<Bound> elements;
    for (const auto &item : array.items) {
        IVM_TRY(const Bound element, expression(item, context));
        elements.append(element);
    }
    IVM_CHECK(unify(elements, u"ARRAY", span));
    QStringList texts;
    for (const auto &element : elements)
        texts.append(typed(element).sql);
    const Type type = arrayOf(elements.isEmpty() ? Type() : elements[0].type);
    const QString text = u'[' + texts.join(QStringLiteral(", ")) + u']';
    if (!elements.isEmpty())
        return boundOf(text, type, elements);
    return Bound{.sql = QStringLiteral("CAST([] AS INTEGER[])"), .type = type};
}

// t.column, or a field of a row. As in Trino the column goes first.
Result<Bound> Binder::node(const sql::Dereference &reference, const Context &context,
                           sql::Span span)
{
    QStringList parts;
    for (const auto &name : sql::nameChain(sql::makeExpr(reference)))
        parts.append(name.value);
    std::optional<Error> unknown;
    if (!parts.isEmpty()) {
        auto found = findField(*context.scope, parts);
        if (found)
            return column(parts, context, span);
        if (found.error().code != u"unknown_column")
            return fail(at(span, std::move(found).error()));
        unknown = at(span, std::move(found).error());
    }
    auto base = expression(reference.base, context);
    if (!base && unknown)
        return fail(std::move(*unknown));
    if (!base)
        return base;
    return field(*base, reference.field.value, parts, span);
}

Result<Bound> Binder::field(const Bound &row, const QString &name, const QStringList &chain,
                            sql::Span span) const
{
    const QString shown = chain.isEmpty() ? name : chain.join(u'.');
    if (!row.type.is(TypeKind::Row)) {
        return invalid(span, u"unknown_column",
                       QStringLiteral("'%1': what stands before the last point is %2, which has "
                                      "no fields")
                           .arg(shown, typeText(row.type)));
    }
    std::optional<qsizetype> index;
    for (qsizetype i = 0; i < row.type.fields.size(); ++i) {
        if (!sql::sameName(row.type.fields[i].name, name))
            continue;
        if (index) {
            return invalid(
                span, u"ambiguous_column",
                QStringLiteral("'%1' is more than one field of %2").arg(shown, typeText(row.type)));
        }
        index = i;
    }
    if (!index) {
        return invalid(span, u"unknown_column",
                       QStringLiteral("there is no field '%1' in %2").arg(name, typeText(row.type)),
                       QStringLiteral("Fields without a name are taken by position, as in r[1]"));
    }
    return boundOf(fieldText(row.sql, *index), row.type.fields[*index].type, {row});
}

Result<Bound> Binder::node(const sql::Subscript &subscript, const Context &context, sql::Span span)
{
    IVM_TRY(const Bound base, expression(subscript.base, context));
    IVM_TRY(const Bound index, expression(subscript.index, context));
    if (!base.type.is(TypeKind::Row))
        return operation(u"[]", {base, index}, span);
    const qsizetype count = base.type.fields.size();
    const qint64 position = index.whole.value_or(0);
    if (!sql::as<sql::IntegerLiteral>(subscript.index) || position < 1 || position > count) {
        return invalid(subscript.index->span, u"invalid_literal",
                       QStringLiteral("%1 is taken apart by literal numbers from 1 to %2")
                           .arg(typeText(base.type), QString::number(count)));
    }
    return boundOf(fieldText(base.sql, position - 1), base.type.fields[position - 1].type, {base});
}

// The parts converted one by one; the value as it is where nothing about them changes.
Result<Bound> Binder::castNested(const Bound &value, const Type &type, bool safe, sql::Span span)
{
    if (value.type.kind != type.kind || value.type.fields.size() != type.fields.size()) {
        return invalid(span, u"type_mismatch",
                       QStringLiteral("%1 cannot become %2: it has other parts")
                           .arg(typeText(value.type), typeText(type)));
    }
    IVM_CHECK(checkParts(value, span));
    IVM_TRY(const NestedCast parts, castParts(value, type, span));
    if (safe && !parts.same) {
        return unsupported(span, u"unsupported_cast",
                           QStringLiteral("TRY_CAST from %1 to %2 is not in the embedded engine")
                               .arg(typeText(value.type), typeText(type)));
    }
    Bound result = value;
    result.type = type;
    result.sql = parts.sql;
    return result;
}

Result<Binder::NestedCast> Binder::castParts(const Bound &value, const Type &type, sql::Span span)
{
    const QString part = QStringLiteral("x%1").arg(m_aliases++);
    const bool array = type.is(TypeKind::Array);
    const bool row = type.is(TypeKind::Row);
    QStringList texts;
    bool same = true;
    for (qsizetype i = 0; i < type.fields.size(); ++i) {
        const QString text = array ? part : fieldText(row ? value.sql : part, i);
        IVM_TRY(const Bound converted,
                cast({.sql = text, .type = value.type.fields[i].type}, type.fields[i].type, span));
        same = same && converted.sql == text;
        texts.append(converted.sql);
    }
    if (same && (!row || sameNames(value.type, type)))
        return NestedCast{value.sql, same};
    if (row) {
        return NestedCast{QStringLiteral("CASE WHEN %1 IS NOT NULL THEN %2 END")
                              .arg(value.sql, rowText(type, texts)),
                          same};
    }
    if (array) {
        return NestedCast{
            QStringLiteral("list_transform(%1, lambda %2: %3)").arg(value.sql, part, texts[0]),
            same};
    }
    return NestedCast{QStringLiteral("map_from_entries(list_transform(map_entries(%1), lambda %2: "
                                     "struct_pack(k := %3, v := %4)))")
                          .arg(value.sql, part, texts[0], texts[1]),
                      same};
}

}  // namespace ivm::duckdb
