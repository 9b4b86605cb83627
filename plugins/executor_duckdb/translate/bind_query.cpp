// Queries around SELECT: WITH, set operations, VALUES, order and limit.
#include "plugins/executor_duckdb/translate/binder.h"
#include "plugins/executor_duckdb/translate/nested.h"
#include "plugins/executor_duckdb/translate/typing.h"

namespace ivm::duckdb {

namespace {

bool hasTail(const sql::Query &query)
{
    return !query.orderBy.empty() || query.offset || query.limit;
}

QString keyword(const sql::SetOperation::Step &step)
{
    const bool all = step.quantifier == sql::SetQuantifier::All;
    QString text;
    switch (step.op) {
    case sql::SetOperation::Op::Union: text = QStringLiteral("UNION"); break;
    case sql::SetOperation::Op::Intersect: text = QStringLiteral("INTERSECT"); break;
    case sql::SetOperation::Op::Except: text = QStringLiteral("EXCEPT"); break;
    }
    return all ? QString(text + QStringLiteral(" ALL")) : text;
}

}  // namespace

QString outputName(const std::vector<Output> &outputs, size_t index, OutputNames names)
{
    if (names == OutputNames::Positions)
        return QStringLiteral("c%1").arg(index);
    return quotedIdentifier(shownName(outputs[index], index));
}

QString shownName(const Output &output, size_t index)
{
    return output.name.isEmpty() ? QStringLiteral("_col%1").arg(index) : output.name;
}

QString Binder::direction(const sql::SortItem &item)
{
    const auto order =
        item.order == sql::SortOrder::Descending ? QStringLiteral(" DESC") : QStringLiteral(" ASC");
    // Trino's default is NULLS LAST in both directions.
    return order + (item.nulls == sql::NullOrder::First ? QStringLiteral(" NULLS FIRST")
                                                        : QStringLiteral(" NULLS LAST"));
}

Result<BoundQuery> Binder::query(const sql::Query &query, const Scope *outer,
                                 const Grouping *grouping, OutputNames names)
{
    const size_t visible = m_with.size();
    QString with;
    if (query.with) {
        IVM_TRY(with, withQueries(*query.with, outer, grouping));
    }
    auto bound = body(*query.body, hasTail(query) ? &query : nullptr, outer, grouping, names);
    m_with.resize(visible);
    if (bound)
        bound->sql = with + bound->sql;
    return bound;
}

Result<QString> Binder::withQueries(const sql::With &with, const Scope *outer,
                                    const Grouping *grouping)
{
    if (with.recursive)
        return unsupported(with.span, u"unsupported_query",
                           QStringLiteral("WITH RECURSIVE is not in the embedded engine"));
    const size_t first = m_with.size();
    QStringList texts;
    for (const auto &named : with.queries) {
        for (size_t i = first; i < m_with.size(); ++i) {
            if (sql::sameName(m_with[i].name, named.name.value))
                return invalid(
                    named.name.span, u"duplicate_name",
                    QStringLiteral("WITH has two queries named '%1'").arg(named.name.value));
        }
        IVM_TRY(BoundQuery inner, query(*named.query, outer, grouping, OutputNames::Positions));
        if (!named.columns.empty() && named.columns.size() != inner.outputs.size()) {
            return invalid(named.span, u"column_count",
                           QStringLiteral("'%1' names %2 columns, its query has %3")
                               .arg(named.name.value, QString::number(named.columns.size()),
                                    QString::number(inner.outputs.size())));
        }
        for (size_t i = 0; i < named.columns.size(); ++i)
            inner.outputs[i].name = named.columns[i].value;
        const QString alias = QStringLiteral("w%1").arg(m_aliases++);
        texts.append(alias + QStringLiteral(" AS (") + inner.sql + u')');
        m_with.push_back({named.name.value, alias, std::move(inner.outputs)});
    }
    return QString(QStringLiteral("WITH ") + texts.join(QStringLiteral(", ")) + u' ');
}

Result<BoundQuery> Binder::body(const sql::QueryBody &body, const sql::Query *tail,
                                const Scope *outer, const Grouping *grouping, OutputNames names)
{
    if (const auto *one = std::get_if<sql::Select>(&body.node))
        return select(*one, tail, outer, grouping, names);
    const OutputNames inside = tail ? OutputNames::Positions : names;
    Result<BoundQuery> inner;
    if (const auto *set = std::get_if<sql::SetOperation>(&body.node))
        inner = setOperation(*set, outer, grouping, inside);
    else if (const auto *rows = std::get_if<sql::Values>(&body.node))
        inner = values(*rows, outer, inside, body.span);
    else if (const auto *table = std::get_if<sql::TableQuery>(&body.node))
        inner = tableQuery(*table, inside);
    else if (const auto *nested = std::get_if<sql::ParenthesizedQuery>(&body.node)) {
        inner = query(*nested->query, outer, grouping, inside);
        if (inner && !tail)
            inner->sql = u'(' + inner->sql + u')';
    }
    if (!inner || !tail)
        return inner;
    return sorted(std::move(*inner), *tail, outer, names);
}

// SELECT … FROM (inner) ORDER BY … LIMIT …
Result<BoundQuery> Binder::sorted(BoundQuery inner, const sql::Query &tail, const Scope *outer,
                                  OutputNames names)
{
    const BoundFrom from = named(u'(' + inner.sql + u')', inner.outputs, {});
    const Scope scope{.fields = from.fields, .outer = outer};
    QStringList items;
    for (size_t i = 0; i < from.fields.size(); ++i)
        items.append(from.fields[i].sql + QStringLiteral(" AS ") +
                     outputName(inner.outputs, i, names));
    QStringList orders;
    for (const auto &item : tail.orderBy) {
        IVM_TRY(const auto position, ordinal(item.key, inner.outputs.size(), u"ORDER BY"));
        const Context context{.scope = &scope, .clause = u"ORDER BY of a set operation"};
        QString key;
        Type type;
        if (position) {
            key = from.fields[*position].sql;
            type = from.fields[*position].type;
        } else {
            IVM_TRY(const Bound bound, expression(item.key, context));
            key = bound.sql;
            type = bound.type;
        }
        IVM_TRY(key, sortKey(key, type, item.key->span));
        orders.append(key + direction(item));
    }
    inner.sql = QStringLiteral("SELECT ") + items.join(QStringLiteral(", ")) +
                QStringLiteral(" FROM ") + from.sql;
    if (!orders.isEmpty())
        inner.sql += QStringLiteral(" ORDER BY ") + orders.join(QStringLiteral(", "));
    IVM_TRY(const QString limit, limits(tail));
    inner.sql += limit;
    return inner;
}

Result<QString> Binder::limits(const sql::Query &query) const
{
    QString text;
    if (query.limit) {
        if (query.limit->kind == sql::Limit::Kind::FetchWithTies)
            return unsupported(query.limit->span, u"unsupported_query",
                               QStringLiteral("FETCH … WITH TIES is not in the embedded engine"));
        const auto *count = sql::as<sql::IntegerLiteral>(query.limit->count);
        if (query.limit->count && (!count || count->value < 0))
            return invalid(query.limit->span, u"invalid_literal",
                           QStringLiteral("LIMIT takes a whole number from 0"));
        const bool all = query.limit->kind == sql::Limit::Kind::LimitAll;
        const qint64 rows = count ? count->value : 1;
        if (!all)
            text += QStringLiteral(" LIMIT %1").arg(rows);
    }
    if (query.offset) {
        const auto *count = sql::as<sql::IntegerLiteral>(query.offset);
        if (!count || count->value < 0)
            return invalid(query.offset->span, u"invalid_literal",
                           QStringLiteral("OFFSET takes a whole number from 0"));
        text += QStringLiteral(" OFFSET %1").arg(count->value);
    }
    return text;
}

Result<std::optional<size_t>> Binder::ordinal(const sql::ExprPtr &expr, size_t count,
                                              QStringView clause) const
{
    const auto *literal = sql::as<sql::IntegerLiteral>(expr);
    if (!literal)
        return std::nullopt;
    if (literal->value < 1 || literal->value > qint64(count)) {
        return invalid(expr->span, u"unknown_column",
                       QStringLiteral("%1 %2 is not in the projection (it has %3 %4)")
                           .arg(clause)
                           .arg(literal->value)
                           .arg(count)
                           .arg(count == 1 ? QStringLiteral("column") : QStringLiteral("columns")));
    }
    return size_t(literal->value - 1);
}

Status Binder::unite(std::vector<Output> &types, const BoundQuery &operand,
                     const sql::SetOperation::Step &step) const
{
    if (types.size() != operand.outputs.size()) {
        return invalid(step.opSpan, u"column_count",
                       QStringLiteral("%1 joins queries of %2 and %3 columns")
                           .arg(keyword(step))
                           .arg(types.size())
                           .arg(operand.outputs.size()));
    }
    const bool rowsCompared =
        step.op != sql::SetOperation::Op::Union || step.quantifier == sql::SetQuantifier::Distinct;
    for (size_t i = 0; i < types.size(); ++i) {
        const auto common = commonSuperType(types[i].type, operand.outputs[i].type);
        if (!common) {
            return invalid(step.opSpan, u"type_mismatch",
                           QStringLiteral("%1 joins %2 and %3 in column %4")
                               .arg(keyword(step), typeText(types[i].type),
                                    typeText(operand.outputs[i].type), QString::number(i + 1)));
        }
        types[i].type = *common;
        if (rowsCompared)
            IVM_CHECK(requireComparable(*common, step.opSpan, keyword(step)));
    }
    return {};
}

Result<BoundQuery> Binder::setOperation(const sql::SetOperation &node, const Scope *outer,
                                        const Grouping *grouping, OutputNames names)
{
    IVM_TRY(BoundQuery first, body(*node.first, nullptr, outer, grouping, OutputNames::Positions));
    std::vector<Output> outputs = first.outputs;
    std::vector<BoundQuery> operands{std::move(first)};
    for (const auto &step : node.rest) {
        IVM_TRY(BoundQuery operand,
                body(*step.operand, nullptr, outer, grouping, OutputNames::Positions));
        IVM_CHECK(unite(outputs, operand, step));
        operands.push_back(std::move(operand));
    }
    QString text;
    for (size_t i = 0; i < operands.size(); ++i) {
        const sql::Span span = i == 0 ? node.first->span : node.rest[i - 1].operand->span;
        if (i > 0)
            text += u' ' + keyword(node.rest[i - 1]) + u' ';
        IVM_TRY(const QString operand,
                operandAs(operands[i], outputs, i == 0 ? names : OutputNames::Positions, span));
        text += u'(' + operand + u')';
    }
    return BoundQuery{text, std::move(outputs)};
}

// The operand with its columns converted, and called as the names ask, where they are not already.
Result<QString> Binder::operandAs(const BoundQuery &operand, const std::vector<Output> &outputs,
                                  OutputNames names, sql::Span span)
{
    bool same = names == OutputNames::Positions;
    for (size_t i = 0; i < outputs.size(); ++i)
        same = same && operand.outputs[i].type == outputs[i].type;
    if (same)
        return operand.sql;
    const QString alias = newAlias();
    QStringList items;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const QString column = alias + QStringLiteral(".c%1").arg(i);
        IVM_TRY(const Bound value,
                cast({.sql = column, .type = operand.outputs[i].type}, outputs[i].type, span));
        items.append(value.sql + QStringLiteral(" AS ") + outputName(outputs, i, names));
    }
    return QString(QStringLiteral("SELECT ") + items.join(QStringLiteral(", ")) +
                   QStringLiteral(" FROM (") + operand.sql + QStringLiteral(") AS ") + alias);
}

Result<QList<Bound>> Binder::cells(const sql::ExprPtr &row, const Context &context)
{
    QList<Bound> cells;
    if (const auto *several = sql::as<sql::RowConstructor>(row)) {
        for (const auto &item : several->items) {
            IVM_TRY(const Bound cell, expression(item, context));
            cells.append(cell);
        }
        return cells;
    }
    IVM_TRY(const Bound value, expression(row, context));
    if (!value.type.is(TypeKind::Row))
        return QList<Bound>{value};
    for (qsizetype i = 0; i < value.type.fields.size(); ++i)
        cells.append({.sql = fieldText(value.sql, i), .type = value.type.fields[i].type});
    return cells;
}

Result<BoundQuery> Binder::values(const sql::Values &node, const Scope *outer, OutputNames names,
                                  sql::Span span)
{
    const Scope scope{.fields = {}, .outer = outer};
    const Context context{.scope = &scope, .clause = u"VALUES"};
    std::vector<QList<Bound>> columns;
    for (const auto &row : node.rows) {
        IVM_TRY(const QList<Bound> cells, this->cells(row, context));
        if (columns.empty())
            columns.resize(size_t(cells.size()));
        if (cells.size() != qsizetype(columns.size())) {
            return invalid(row->span, u"column_count",
                           QStringLiteral("VALUES has rows of %1 and of %2 columns")
                               .arg(columns.size())
                               .arg(cells.size()));
        }
        for (qsizetype i = 0; i < cells.size(); ++i)
            columns[size_t(i)].append(cells[i]);
    }
    std::vector<Output> outputs;
    for (auto &column : columns) {
        IVM_CHECK(unify(column, u"VALUES", span));
        outputs.push_back({{}, column[0].type});
    }
    const QString alias = newAlias();
    QStringList rows;
    QStringList items;
    QStringList names_;
    for (size_t i = 0; i < columns.size(); ++i) {
        names_.append(QStringLiteral("c%1").arg(i));
        items.append(alias + u'.' + names_.last() + QStringLiteral(" AS ") +
                     outputName(outputs, i, names));
    }
    for (size_t row = 0; row < node.rows.size(); ++row) {
        QStringList cells;
        for (const auto &column : columns)
            cells.append(column[qsizetype(row)].sql);
        rows.append(u'(' + cells.join(QStringLiteral(", ")) + u')');
    }
    return BoundQuery{QStringLiteral("SELECT ") + items.join(QStringLiteral(", ")) +
                          QStringLiteral(" FROM (VALUES ") + rows.join(QStringLiteral(", ")) +
                          QStringLiteral(") AS ") + alias + u'(' +
                          names_.join(QStringLiteral(", ")) + u')',
                      std::move(outputs)};
}

Result<BoundQuery> Binder::tableQuery(const sql::TableQuery &node, OutputNames names)
{
    IVM_TRY(BoundFrom from, relation(node.table, nullptr, nullptr));
    std::erase_if(from.fields, [](const Field &field) { return field.hidden; });
    std::vector<Output> outputs;
    QStringList items;
    for (const auto &field : from.fields)
        outputs.push_back({field.name, field.type});
    for (size_t i = 0; i < outputs.size(); ++i)
        items.append(from.fields[i].sql + QStringLiteral(" AS ") + outputName(outputs, i, names));
    return BoundQuery{QStringLiteral("SELECT ") + items.join(QStringLiteral(", ")) +
                          QStringLiteral(" FROM ") + from.sql,
                      std::move(outputs)};
}

}  // namespace ivm::duckdb
