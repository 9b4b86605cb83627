// What stands in FROM.
#include "plugins/executor_duckdb/translate/binder.h"
#include "plugins/executor_duckdb/translate/typing.h"

namespace ivm::duckdb {

namespace {

QString joinWords(sql::Join::Kind kind)
{
    switch (kind) {
    case sql::Join::Kind::Cross: return QStringLiteral(" CROSS JOIN ");
    case sql::Join::Kind::Inner: return QStringLiteral(" JOIN ");
    case sql::Join::Kind::Left: return QStringLiteral(" LEFT JOIN ");
    case sql::Join::Kind::Right: return QStringLiteral(" RIGHT JOIN ");
    case sql::Join::Kind::Full: return QStringLiteral(" FULL JOIN ");
    }
    Q_UNREACHABLE();
}

QStringList qualifierOf(const TableName &name)
{
    if (name.table.isEmpty())
        return {};
    return {name.catalog, name.schema, name.table};
}

// The one field of a side that USING names.
Result<size_t> sharedField(const std::vector<Field> &fields, const sql::Identifier &name)
{
    std::optional<size_t> found;
    for (size_t i = 0; i < fields.size(); ++i) {
        if (!sql::sameName(fields[i].name, name.value))
            continue;
        if (found)
            return fail(
                invalidError(QStringLiteral("USING: '%1' is more than one column").arg(name.value))
                    .withCode(u"ambiguous_column"));
        found = i;
    }
    if (!found)
        return fail(
            invalidError(
                QStringLiteral("USING: there is no column '%1' on both sides").arg(name.value))
                .withCode(u"unknown_column"));
    return *found;
}

// The value of a constant argument of a table function.
std::optional<Value> constant(const sql::ExprPtr &expr)
{
    if (const auto *text = sql::as<sql::StringLiteral>(expr))
        return Value{text->value};
    if (const auto *number = sql::as<sql::IntegerLiteral>(expr))
        return Value{number->value};
    if (const auto *truth = sql::as<sql::BooleanLiteral>(expr))
        return Value{truth->value};
    const auto *array = sql::as<sql::ArrayConstructor>(expr);
    if (!array)
        return std::nullopt;
    std::vector<Value> items;
    for (const auto &item : array->items) {
        auto value = constant(item);
        if (!value)
            return std::nullopt;
        items.push_back(std::move(*value));
    }
    return Value{std::move(items)};
}

}  // namespace

Result<BoundFrom> Binder::relation(const sql::RelationPtr &relation, const Scope *outer,
                                   const Grouping *grouping)
{
    if (relation->sample)
        return unsupported(relation->sample->span, u"unsupported_query",
                           QStringLiteral("TABLESAMPLE is not in the embedded engine"));
    Result<BoundFrom> from;
    if (const auto *stored = std::get_if<sql::Table>(&relation->node))
        from = this->from(*stored, relation->span);
    else if (const auto *subquery = std::get_if<sql::SubqueryRelation>(&relation->node))
        from = this->from(*subquery, outer, grouping);
    else if (const auto *function = std::get_if<sql::TableFunction>(&relation->node))
        from = this->from(*function, relation->span);
    else if (const auto *join = std::get_if<sql::Join>(&relation->node))
        from = this->from(*join, outer, grouping, relation->span);
    else if (const auto *nested = std::get_if<sql::ParenthesizedRelation>(&relation->node))
        from = this->relation(nested->relation, outer, grouping);
    else
        return unsupported(relation->span, u"unsupported_query",
                           QStringLiteral("LATERAL and UNNEST are not in the embedded engine"));
    if (from && relation->alias)
        IVM_CHECK(rename(*from, *relation->alias));
    return from;
}

Status Binder::rename(BoundFrom &from, const sql::Alias &alias) const
{
    // New names are for the columns that * gives; the others can't be reached behind them.
    if (!alias.columns.empty())
        std::erase_if(from.fields, [](const Field &field) { return field.hidden; });
    if (!alias.columns.empty() && alias.columns.size() != from.fields.size()) {
        return invalid(alias.span, u"column_count",
                       QStringLiteral("alias '%1' names %2 columns, there are %3")
                           .arg(alias.name.value, QString::number(alias.columns.size()),
                                QString::number(from.fields.size())));
    }
    for (size_t i = 0; i < from.fields.size(); ++i) {
        from.fields[i].qualifier = {alias.name.value};
        if (!alias.columns.empty())
            from.fields[i].name = alias.columns[i].value;
    }
    return {};
}

// A text of columns c0, c1 … under a new alias.
BoundFrom Binder::named(const QString &sql, const std::vector<Output> &outputs,
                        QStringList qualifier)
{
    const QString alias = newAlias();
    BoundFrom from{.sql = sql + QStringLiteral(" AS ") + alias, .fields = {}};
    for (size_t i = 0; i < outputs.size(); ++i) {
        from.fields.push_back(
            {outputs[i].name, qualifier, outputs[i].type, alias + QStringLiteral(".c%1").arg(i)});
    }
    return from;
}

BoundFrom Binder::fromWith(const WithQuery &with)
{
    return named(with.alias, with.outputs, {with.name});
}

Result<BoundFrom> Binder::from(const sql::SubqueryRelation &node, const Scope *outer,
                               const Grouping *grouping)
{
    IVM_TRY(const BoundQuery inner, query(*node.query, outer, grouping, OutputNames::Positions));
    return named(u'(' + inner.sql + u')', inner.outputs, {});
}

Result<BoundFrom> Binder::from(const sql::Table &node, sql::Span span)
{
    return table(node.name, node.period, span);
}

Result<BoundFrom> Binder::table(const sql::QualifiedName &name,
                                const std::optional<sql::QueryPeriod> &period, sql::Span span)
{
    if (name.parts.size() == 1 && !period) {
        for (auto with = m_with.rbegin(); with != m_with.rend(); ++with) {
            if (sql::sameName(with->name, name.last().value))
                return fromWith(*with);
        }
    }
    IVM_TRY(const TableVersion wanted, version(period));
    auto found = m_input.relations.table(name, wanted);
    if (!found)
        return fail(at(span, std::move(found).error()));
    const QString alias = newAlias();
    BoundFrom from{.sql = found->sql + QStringLiteral(" AS ") + alias, .fields = {}};
    for (const auto &column : found->columns) {
        from.fields.push_back({column.name, qualifierOf(found->name), column.type,
                               alias + u'.' + quotedIdentifier(column.name)});
    }
    for (const auto &column : found->hidden) {
        from.fields.push_back({.name = column.name,
                               .qualifier = qualifierOf(found->name),
                               .type = column.type,
                               .sql = alias + u'.' + quotedIdentifier(column.name),
                               .hidden = true});
    }
    return from;
}

Result<TableVersion> Binder::version(const std::optional<sql::QueryPeriod> &period) const
{
    if (!period)
        return TableVersion{};
    if (period->kind == sql::QueryPeriod::Kind::Version) {
        if (const auto *id = sql::as<sql::IntegerLiteral>(period->end))
            return TableVersion{SnapshotId(id->value)};
        if (const auto *reference = sql::as<sql::StringLiteral>(period->end))
            return TableVersion{reference->value};
    }
    return unsupported(
        period->span, u"unsupported_query",
        QStringLiteral("only FOR VERSION AS OF with a snapshot id, a branch or a tag "
                       "is in the embedded engine"));
}

Result<FunctionArgument> Binder::argument(const sql::TableFunctionArgument &argument) const
{
    const auto *expr = std::get_if<sql::ExprPtr>(&argument.value);
    auto value = expr ? constant(*expr) : std::nullopt;
    if (!value) {
        return unsupported(
            argument.span, u"unsupported_query",
            QStringLiteral("a table function takes strings, whole numbers, TRUE, FALSE "
                           "and arrays of these in the embedded engine"));
    }
    return FunctionArgument{argument.name ? argument.name->value : QString(), std::move(*value)};
}

Result<BoundFrom> Binder::from(const sql::TableFunction &node, sql::Span span)
{
    QList<FunctionArgument> arguments;
    for (const auto &one : node.arguments) {
        IVM_TRY(FunctionArgument read, argument(one));
        arguments.append(std::move(read));
    }
    if (node.name.parts.size() != 1 || !node.copartitions.empty())
        return unsupported(span, u"unsupported_query",
                           QStringLiteral("this table function is not in the embedded engine"));
    auto found = m_input.relations.tableFunction(node.name.last().value.toLower(), arguments);
    if (!found)
        return fail(at(span, std::move(found).error()));
    const QString alias = newAlias();
    BoundFrom from{.sql = found->sql + QStringLiteral(" AS ") + alias, .fields = {}};
    for (const auto &column : found->columns)
        from.fields.push_back(
            {column.name, {}, column.type, alias + u'.' + quotedIdentifier(column.name)});
    return from;
}

Result<BoundFrom> Binder::from(const sql::Join &node, const Scope *outer, const Grouping *grouping,
                               sql::Span span)
{
    IVM_TRY(BoundFrom left, relation(node.left, outer, grouping));
    IVM_TRY(BoundFrom right, relation(node.right, outer, grouping));
    if (const auto *on = std::get_if<sql::Join::On>(&node.criteria))
        return joinOn(node, std::move(left), std::move(right), on->condition, outer, grouping);
    if (const auto *shared = std::get_if<sql::Join::Using>(&node.criteria)) {
        auto joined = joinUsing(node, std::move(left), std::move(right), *shared);
        if (!joined)
            return fail(at(span, std::move(joined).error()));
        return joined;
    }
    if (std::holds_alternative<sql::Join::Natural>(node.criteria))
        return unsupported(
            span, u"unsupported_query",
            QStringLiteral("NATURAL JOIN is not in the embedded engine, nor in Trino"),
            QStringLiteral("Name the columns in USING (…)"));
    BoundFrom joined{.sql = u'(' + left.sql + joinWords(node.kind) + right.sql + u')',
                     .fields = std::move(left.fields)};
    joined.fields.insert(joined.fields.end(), right.fields.begin(), right.fields.end());
    return joined;
}

Result<BoundFrom> Binder::joinOn(const sql::Join &node, BoundFrom left, BoundFrom right,
                                 const sql::ExprPtr &on, const Scope *outer,
                                 const Grouping *grouping)
{
    BoundFrom joined{.sql = {}, .fields = std::move(left.fields)};
    joined.fields.insert(joined.fields.end(), right.fields.begin(), right.fields.end());
    const Scope scope{.fields = joined.fields, .outer = outer, .outerGrouping = grouping};
    IVM_TRY(const Bound bound, condition(on, {.scope = &scope, .clause = u"ON"}));
    joined.sql = u'(' + left.sql + joinWords(node.kind) + right.sql + QStringLiteral(" ON ") +
                 bound.sql + u')';
    return joined;
}

// The shared columns come first, once; no table's name goes before them.
Result<BoundFrom> Binder::joinUsing(const sql::Join &node, BoundFrom left, BoundFrom right,
                                    const sql::Join::Using &shared)
{
    BoundFrom joined;
    QStringList conditions;
    for (const auto &name : shared.columns) {
        IVM_TRY(const size_t l, sharedField(left.fields, name));
        IVM_TRY(const size_t r, sharedField(right.fields, name));
        const Bound a{.sql = left.fields[l].sql, .type = left.fields[l].type};
        const Bound b{.sql = right.fields[r].sql, .type = right.fields[r].type};
        IVM_TRY(const Bound equal, compareForTruth(sql::ComparisonOp::Equal, a, b, name.span));
        conditions.append(equal.sql);
        const Type type = *commonSuperType(a.type, b.type);
        IVM_TRY(const Bound x, cast(a, type, name.span));
        IVM_TRY(const Bound y, cast(b, type, name.span));
        joined.fields.push_back(
            {left.fields[l].name,
             {},
             type,
             QStringLiteral("coalesce(") + x.sql + QStringLiteral(", ") + y.sql + u')'});
        left.fields.erase(left.fields.begin() + qsizetype(l));
        right.fields.erase(right.fields.begin() + qsizetype(r));
    }
    joined.sql = u'(' + left.sql + joinWords(node.kind) + right.sql + QStringLiteral(" ON ") +
                 conditions.join(QStringLiteral(" AND ")) + u')';
    joined.fields.insert(joined.fields.end(), left.fields.begin(), left.fields.end());
    joined.fields.insert(joined.fields.end(), right.fields.begin(), right.fields.end());
    return joined;
}

}  // namespace ivm::duckdb
