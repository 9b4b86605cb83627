#include "framework/view/shape.h"

#include "framework/sql/equal.h"
#include "framework/sql/parser.h"
#include "framework/sql/visit.h"
#include "framework/view/columns.h"
#include "framework/view/functions.h"
#include "framework/view/refusal.h"

#include <algorithm>

namespace ivm {

namespace {

ColumnClass worseClass(ColumnClass a, ColumnClass b)
{
    return std::max(a, b);  // the classes are in the order of how little they promise
}

ColumnClass classOf(const sql::ExprPtr &expr)
{
    ColumnClass worst = ColumnClass::Exact;
    sql::forEachExpression(expr, [&](const sql::ExprPtr &part) {
        if (sql::as<sql::Listagg>(part))
            worst = worseClass(worst, ColumnClass::OrderDependent);
        const auto *call = sql::as<sql::FunctionCall>(part);
        if (!call)
            return;
        switch (functionNature(call->name.last().value.toLower())) {
        case FunctionNature::SumAggregate: worst = worseClass(worst, ColumnClass::Float); break;
        case FunctionNature::ApproximateAggregate:
            worst = worseClass(worst, ColumnClass::Approximate);
            break;
        case FunctionNature::OrderDependentAggregate:
            worst = worseClass(worst, ColumnClass::OrderDependent);
            break;
        default: break;
        }
    });
    return worst;
}

bool hasAggregate(const sql::ExprPtr &expr)
{
    bool found = false;
    sql::forEachExpression(expr, [&](const sql::ExprPtr &part) {
        const auto *call = sql::as<sql::FunctionCall>(part);
        found = found || sql::as<sql::Listagg>(part) ||
                (call && isAggregate(functionNature(call->name.last().value.toLower())));
    });
    return found;
}

bool isDateTrunc(const sql::FunctionCall &call)
{
    return call.name.parts.size() == 1 && sql::sameName(call.name.last().value, u"date_trunc") &&
           call.arguments.size() == 2;
}

bool isDateType(const sql::TypePtr &type)
{
    const auto *generic = std::get_if<sql::GenericType>(&type->node);
    return generic && sql::sameName(generic->name.value, u"date") && generic->parameters.empty();
}

class Shaper {
public:
    Shaper(const ViewSpec &spec, const TableName &defaults) : m_spec(spec), m_defaults(defaults) {}

    Result<ViewShape> run()
    {
        m_shape.query = m_spec.query;
        auto query = sql::parseQuery(m_spec.query);
        if (!query)
            return refuse(std::move(query).error());
        if (auto refusal = findRefusedForm(*query))
            return refuse(std::move(refusal->error), refusal->offset);
        m_query = *std::move(query);
        m_select = m_query.select();
        IVM_CHECK(readSource());
        IVM_CHECK(readColumns());
        IVM_CHECK(readGroupBy());
        IVM_CHECK(checkKeysCover());
        IVM_CHECK(checkOptions());
        chooseStrategy();
        return std::move(m_shape);
    }

private:
    // Turns an error about the query's text into one about the view's file.
    std::unexpected<Error> refuse(Error error) const
    {
        const Place inFile = m_spec.placeInFile(error.place.line, error.place.column);
        error.place = inFile;
        return fail(std::move(error).during(QStringLiteral("view '%1'").arg(m_spec.name)));
    }
    std::unexpected<Error> refuse(Error error, qsizetype offset) const
    {
        error.place = sql::placeOf(m_spec.query, offset);
        return refuse(std::move(error));
    }
    std::unexpected<Error> refuseInvalid(qsizetype offset, QStringView code, QString message,
                                         QStringView hint) const
    {
        return refuse(invalidError(std::move(message)).withCode(code).withHint(hint), offset);
    }

    Status readSource()
    {
        const auto &relation = *m_select->from.front();
        const auto &table = std::get<sql::Table>(relation.node);
        auto name = parseTableName(
            m_spec.query.sliced(table.name.span.begin, table.name.span.size()), m_defaults);
        if (!name)
            return refuse(std::move(name).error(), table.name.span.begin);
        if (*name == m_spec.target)
            return refuseInvalid(table.name.span.begin, u"reads_itself",
                                 QStringLiteral("the query reads %1, which is the view's own table")
                                     .arg(name->text()),
                                 u"Give the view another name or target_table");
        if (relation.alias && !relation.alias->columns.empty())
            return refuse(
                unsupportedError(
                    QStringLiteral("column names in a table's alias are not supported in a view "
                                   "yet"))
                    .withCode(u"alias_columns"),
                relation.alias->span.begin);
        m_names = relationNames(relation);
        m_shape.sources.append({.table = *name,
                                .role = SourceRole::Driving,
                                .columns = usedColumns(m_query, m_names),
                                .pinOffset = table.name.span.end});
        m_shape.whereOffset = m_select->fromSpan.end;
        if (m_select->where)
            m_shape.where = m_select->where->span;
        return {};
    }

    Status readColumns()
    {
        for (const auto &item : m_select->items) {
            IVM_TRY(const QString name, outputName(item));
            const auto same = [&](const ShapeColumn &column) { return column.name == name; };
            if (std::ranges::any_of(m_shape.columns, same))
                return refuseInvalid(item.span.begin, u"duplicate_column",
                                     QStringLiteral("two columns are named '%1'").arg(name),
                                     u"Give one of them another alias");
            m_shape.columns.append({name, classOf(item.expression), item.expression->span});
        }
        return {};
    }

    Result<QString> outputName(const sql::SelectItem &item) const
    {
        if (item.alias)
            return item.alias->value.toLower();
        if (const auto column = m_names.column(item.expression))
            return *column;
        const auto text = item.expression->span.of(m_spec.query);
        return refuseInvalid(item.span.begin, u"missing_alias",
                             QStringLiteral("%1 has no name").arg(text.left(80)),
                             u"Add an alias: … AS name");
    }

    Status readGroupBy()
    {
        for (const auto &element : m_select->groupBy->elements) {
            for (const auto &key : element.sets.front().expressions) {
                IVM_TRY(const qsizetype index, outputOf(key));
                IVM_CHECK(takeKey(index));
            }
        }
        if (m_shape.keys().isEmpty())
            return refuse(
                unsupportedError(QStringLiteral("GROUP BY () is not supported in a view yet"))
                    .withCode(u"no_group_by"),
                m_select->groupBy->span.begin);
        return {};
    }

    // The output column that a GROUP BY item stands for.
    Result<qsizetype> outputOf(const sql::ExprPtr &key) const
    {
        const auto count = qsizetype(m_select->items.size());
        if (const auto *ordinal = sql::as<sql::IntegerLiteral>(key)) {
            if (ordinal->value >= 1 && ordinal->value <= count)
                return qsizetype(ordinal->value - 1);
            return refuseInvalid(
                key->span.begin, u"group_by_position",
                QStringLiteral("GROUP BY %1 is not in the projection (it has %2 %3)")
                    .arg(ordinal->value)
                    .arg(count)
                    .arg(count == 1 ? u"column" : u"columns"),
                u"Count the columns of SELECT from 1");
        }
        for (qsizetype i = 0; i < count; ++i) {
            if (sameExpression(key, m_select->items[size_t(i)].expression))
                return i;
        }
        return refuseInvalid(
            key->span.begin, u"key_not_selected",
            QStringLiteral(
                "GROUP BY %1 is not among the selected columns, so the view's rows would "
                "have no key")
                .arg(key->span.of(m_spec.query).left(80)),
            u"Select it too");
    }

    // t.origin and origin are the same column when t is the one relation, at any depth of an
    // expression.
    bool sameExpression(const sql::ExprPtr &a, const sql::ExprPtr &b) const
    {
        return sql::equal(a, b) || sql::equal(unqualified(a), unqualified(b));
    }

    // The expression with every column named by its last part alone; null where that is no
    // expression.
    sql::ExprPtr unqualified(const sql::ExprPtr &expr) const
    {
        QString text;
        qsizetype done = expr->span.begin;
        sql::forEachExpression(expr, [&](const sql::ExprPtr &part) {
            const auto *dereference = sql::as<sql::Dereference>(part);
            if (!dereference || !m_names.column(part))
                return;
            text += QStringView(m_spec.query).sliced(done, part->span.begin - done);
            done = dereference->field.span.begin;
        });
        text += QStringView(m_spec.query).sliced(done, expr->span.end - done);
        return sql::parseExpression(text).value_or(nullptr);
    }

    Status takeKey(qsizetype index)
    {
        auto &column = m_shape.columns[index];
        const auto &expression = m_select->items[size_t(index)].expression;
        if (hasAggregate(expression))
            return refuseInvalid(
                expression->span.begin, u"aggregate_key",
                QStringLiteral("column '%1' is grouped by, but is an aggregate").arg(column.name),
                u"GROUP BY the columns that are not aggregates");
        column.columnClass = ColumnClass::Key;
        auto bucket = bucketOf(expression, index);
        if (bucket)
            return takeBucket(*bucket);
        return refuseHiddenBucket(expression);
    }

    std::optional<ShapeBucket> bucketOf(const sql::ExprPtr &expression, qsizetype index) const
    {
        ShapeBucket bucket;
        bucket.output = index;
        bucket.expression = expression->span;
        sql::ExprPtr argument;
        if (const auto *call = sql::as<sql::FunctionCall>(expression); call && isDateTrunc(*call)) {
            const auto *unit = sql::as<sql::StringLiteral>(call->arguments[0]);
            const auto known = unit ? bucketUnitFromName(unit->value) : std::nullopt;
            if (!known)
                return {};
            bucket.unit = *known;
            argument = call->arguments[1];
        } else if (call && call->name.parts.size() == 1 &&
                   sql::sameName(call->name.last().value, u"date") && call->arguments.size() == 1) {
            bucket.form = ShapeBucket::Form::Date;
            argument = call->arguments[0];
        } else if (const auto *cast = sql::as<sql::Cast>(expression);
                   cast && !cast->safe && isDateType(cast->type)) {
            bucket.form = ShapeBucket::Form::Date;
            argument = cast->value;
        } else {
            return {};
        }
        const auto column = m_names.column(argument);
        if (!column)
            return {};
        bucket.column = *column;
        bucket.columnSpan = argument->span;
        return bucket;
    }

    Status takeBucket(const ShapeBucket &bucket)
    {
        if (m_shape.bucket &&
            (m_shape.bucket->column != bucket.column || m_shape.bucket->unit != bucket.unit))
            return refuse(
                unsupportedError(
                    QStringLiteral("two different time buckets as keys are not supported in a view "
                                   "yet"))
                    .withCode(u"two_buckets")
                    .withHint(
                        u"Keep the finer one, and derive the coarser one where the view is read"),
                bucket.expression.begin);
        if (!m_shape.bucket)
            m_shape.bucket = bucket;
        return {};
    }

    // date_trunc inside a larger key makes buckets of another width, which are not inferred yet.
    Status refuseHiddenBucket(const sql::ExprPtr &expression) const
    {
        std::optional<qsizetype> at;
        sql::forEachExpression(expression, [&](const sql::ExprPtr &part) {
            const auto *call = sql::as<sql::FunctionCall>(part);
            if (!at && part != expression && call && isDateTrunc(*call))
                at = part->span.begin;
        });
        if (!at)
            return {};
        return refuse(
            unsupportedError(
                QStringLiteral("date_trunc inside a larger key is not supported in a view yet"))
                .withCode(u"hidden_bucket")
                .withHint(u"Group by date_trunc(unit, column) alone"),
            *at);
    }

    Status checkKeysCover() const
    {
        for (qsizetype i = 0; i < m_shape.columns.size(); ++i) {
            const auto &expression = m_select->items[size_t(i)].expression;
            const bool isColumn = m_names.column(expression).has_value();
            if (m_shape.columns[i].columnClass != ColumnClass::Key && isColumn)
                return refuseInvalid(
                    expression->span.begin, u"not_grouped",
                    QStringLiteral("column '%1' is neither grouped by nor aggregated")
                        .arg(m_shape.columns[i].name),
                    u"Add it to GROUP BY, or aggregate it");
        }
        return {};
    }

    Status checkOptions() const
    {
        const auto refuseOption = [&](QStringView code, QString message) {
            Error error = invalidError(std::move(message)).withCode(code);
            error.place = m_spec.queryPlace;
            return fail(std::move(error).during(QStringLiteral("view '%1'").arg(m_spec.name)));
        };
        const auto find = [&](const QString &name) {
            return std::ranges::find(m_shape.columns, name.toLower(), &ShapeColumn::name);
        };
        for (const auto &field : m_spec.targetPartitioning) {
            const auto column = find(field.column);
            if (column == m_shape.columns.end())
                return refuseOption(
                    u"unknown_column",
                    QStringLiteral("target_partitioning names '%1', which is no column of the view")
                        .arg(field.column));
            if (column->columnClass != ColumnClass::Key)
                return refuseOption(
                    u"partition_by_measure",
                    QStringLiteral(
                        "target_partitioning names '%1', which is not a key; two refreshes at "
                        "once could then write a row twice")
                        .arg(field.column));
        }
        for (const auto &sort : m_spec.sortedBy) {
            if (find(sort.section(u' ', 0, 0)) == m_shape.columns.end())
                return refuseOption(
                    u"unknown_column",
                    QStringLiteral("sorted_by names '%1', which is no column of the view")
                        .arg(sort));
        }
        QStringList keys = m_shape.keys();
        QStringList declared;
        for (const auto &key : m_spec.keys)
            declared.append(key.toLower());
        keys.sort();
        declared.sort();
        if (!declared.isEmpty() && declared != keys)
            return refuseOption(
                u"wrong_keys",
                QStringLiteral("keys are declared as %1, but GROUP BY makes them %2")
                    .arg(declared.join(QStringLiteral(", ")), keys.join(QStringLiteral(", "))));
        if (m_spec.incremental == Incremental::Required && !m_shape.bucket)
            return refuseOption(
                u"not_incremental",
                QStringLiteral(
                    "incremental: required, but no key is a time bucket of a column, so only a "
                    "recomputation could keep it right"));
        return {};
    }

    void chooseStrategy()
    {
        if (!m_shape.bucket) {
            m_shape.why = QStringLiteral("no key is a time bucket of a column");
            return;
        }
        m_shape.strategy = Strategy::Ranges;
        const QString unit = bucketUnitName(m_shape.bucket->unit);
        m_shape.why =
            QStringLiteral("key '%1' is the %2 of %3")
                .arg(m_shape.columns[m_shape.bucket->output].name, unit, m_shape.bucket->column);
    }

    const ViewSpec &m_spec;
    const TableName &m_defaults;
    sql::Query m_query;
    const sql::Select *m_select = nullptr;
    RelationNames m_names;
    ViewShape m_shape;
};

}  // namespace

QString strategyName(Strategy strategy)
{
    return strategy == Strategy::Ranges ? QStringLiteral("ranges") : QStringLiteral("diff");
}

QStringList ViewShape::keys() const
{
    QStringList names;
    for (const auto &column : columns) {
        if (column.columnClass == ColumnClass::Key)
            names.append(column.name);
    }
    return names;
}

Result<ViewShape> shapeOf(const ViewSpec &spec, const TableName &defaults)
{
    return Shaper(spec, defaults).run();
}

}  // namespace ivm
