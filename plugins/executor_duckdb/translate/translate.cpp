#include "plugins/executor_duckdb/translate/translate.h"

#include "framework/sql/printer.h"
#include "plugins/executor_duckdb/translate/binder.h"
#include "plugins/executor_duckdb/translate/typing.h"
#include "plugins/executor_duckdb/translate/zone.h"

namespace ivm::duckdb {

namespace {

// What the outside knows as varchar(0) is varchar without a length; zones are of no concern to it.
Type outsideType(Type type)
{
    for (auto &field : type.fields)
        field.type = outsideType(field.type);
    if (type.is(TypeKind::TimestampWithTimeZone))
        type.fields.clear();
    if (type.is(TypeKind::Varchar) && type.precision == kEmptyVarchar)
        type.precision = 0;
    return type;
}

TranslatedQuery translated(const BoundQuery &query, UsedRows used)
{
    TranslatedQuery result{.sql = query.sql, .columns = {}, .used = std::move(used)};
    for (size_t i = 0; i < query.outputs.size(); ++i)
        result.columns.append(
            {.name = shownName(query.outputs[i], i), .type = outsideType(query.outputs[i].type)});
    return result;
}

Scope scopeOf(const RowScope &row)
{
    Scope scope;
    const QStringList qualifier{row.name.catalog, row.name.schema, row.name.table};
    for (const auto &column : row.columns) {
        scope.fields.push_back({column.name, qualifier, column.type,
                                row.alias + u'.' + quotedIdentifier(column.name)});
    }
    return scope;
}

// Trino stores a value where its type and the column's have a common type, and fails where it does
// not fit.
Result<Bound> stored(Binder &binder, const Bound &value, const Column &column, sql::Span span)
{
    if (!commonSuperType(value.type, column.type)) {
        return binder.invalid(span, u"type_mismatch",
                              QStringLiteral("column '%1' is of type %2, the value is %3")
                                  .arg(column.name, typeText(column.type), typeText(value.type)));
    }
    return binder.cast(value, column.type, span);
}

}  // namespace

Result<TranslatedQuery> translateQuery(const sql::Query &query, const Input &input)
{
    Binder binder(input);
    IVM_TRY(const BoundQuery bound, binder.query(query, nullptr, nullptr, OutputNames::Own));
    return translated(bound, binder.used());
}

Result<TranslatedQuery> translateInsert(const sql::Query &query, const QList<Column> &table,
                                        const Input &input)
{
    Binder binder(input);
    IVM_TRY(const BoundQuery bound, binder.query(query, nullptr, nullptr, OutputNames::Positions));
    if (qsizetype(bound.outputs.size()) != table.size()) {
        return binder.invalid(query.span, u"column_count",
                              QStringLiteral("the query gives %1 columns for %2")
                                  .arg(bound.outputs.size())
                                  .arg(table.size()));
    }
    TranslatedQuery result;
    const QString alias = binder.newAlias();
    QStringList items;
    for (size_t i = 0; i < bound.outputs.size(); ++i) {
        const Column &column = table[qsizetype(i)];
        const Bound value{.sql = alias + QStringLiteral(".c%1").arg(i),
                          .type = bound.outputs[i].type};
        IVM_TRY(const Bound fitting, stored(binder, value, column, query.span));
        items.append(fitting.sql + QStringLiteral(" AS ") + quotedIdentifier(column.name));
        result.columns.append(column);
    }
    result.sql = QStringLiteral("SELECT ") + items.join(QStringLiteral(", ")) +
                 QStringLiteral(" FROM (") + bound.sql + QStringLiteral(") AS ") + alias;
    return result;
}

Result<TranslatedExpression> translateCondition(const sql::ExprPtr &condition, const RowScope &row,
                                                const Input &input)
{
    Binder binder(input);
    const Scope scope = scopeOf(row);
    IVM_TRY(const Bound bound, binder.condition(condition, {.scope = &scope, .clause = u"WHERE"}));
    return TranslatedExpression{bound.sql, bound.type};
}

Result<TranslatedExpression> translateAssignment(const sql::ExprPtr &value, const Column &column,
                                                 const RowScope &row, const Input &input)
{
    Binder binder(input);
    const Scope scope = scopeOf(row);
    IVM_TRY(const Bound bound, binder.expression(value, {.scope = &scope, .clause = u"SET"}));
    IVM_TRY(const Bound fitting, stored(binder, bound, column, value->span));
    return TranslatedExpression{fitting.sql, fitting.type};
}

Result<Type> boundType(const sql::TypePtr &type, QStringView text)
{
    const QString written = sql::print(*type);
    auto parsed = parseType(written);
    if (!parsed) {
        return fail(invalidError(QStringLiteral("'%1' is not a type").arg(written))
                        .withCode(u"unknown_type")
                        .at(sql::placeOf(text, type->span.begin)));
    }
    const auto *generic = std::get_if<sql::GenericType>(&type->node);
    const bool empty = generic && parsed->is(TypeKind::Varchar) && !generic->parameters.empty() &&
                       parsed->precision == 0;
    if (empty)
        parsed->precision = kEmptyVarchar;
    if (auto known = duckdbType(*parsed); !known)
        return fail(std::move(known).error().at(sql::placeOf(text, type->span.begin)));
    return *parsed;
}

}  // namespace ivm::duckdb
