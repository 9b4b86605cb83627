// What a condition says about the values of columns.
#include "plugins/executor_duckdb/table/prune.h"

#include "framework/base/floor_divide.h"
#include "framework/sql/visit.h"
#include "plugins/executor_duckdb/table/relation.h"

#include <algorithm>

namespace ivm::duckdb {

namespace {

using iceberg::FieldType;
using iceberg::ScanFilter;
using iceberg::TypeId;
using iceberg::ValueRange;
using Filters = QMap<int, ScanFilter>;
using Values = QMap<int, QList<iceberg::Literal>>;

constexpr qint64 kMicrosPerDay = 86'400'000'000;
// More ranges than these become the one around them all.
constexpr qsizetype kMostRanges = 200;

// Where a constant lies among the units of a column: between two neighbours, or on one.
struct Point {
    qint64 atMost;   // the unit at or below it
    qint64 atLeast;  // the unit at or above it
};

std::optional<qint64> unitsOf(TypeId id, const QString &text)
{
    const FieldType type{.id = id};
    const auto literal = iceberg::literalFromText(type, text);
    return literal ? iceberg::boundUnits(type, *literal) : std::nullopt;
}

std::optional<qint64> microsOf(const QString &text)
{
    const auto plain = unitsOf(TypeId::Timestamp, text);
    return plain ? plain : unitsOf(TypeId::Timestamptz, text);
}

std::optional<Point> pointIn(const FieldType &column, const QString &text)
{
    const auto exact = [](std::optional<qint64> units) {
        return units ? std::optional(Point{*units, *units}) : std::nullopt;
    };
    switch (column.id) {
    case TypeId::Int:
    case TypeId::Long: return exact(unitsOf(TypeId::Long, text));
    case TypeId::Timestamp:
    case TypeId::Timestamptz: return exact(microsOf(text));
    case TypeId::Date: {
        if (const auto days = unitsOf(TypeId::Date, text))
            return exact(days);
        const auto micros = microsOf(text);
        if (!micros)
            return {};
        const qint64 day = floorDivide(*micros, kMicrosPerDay);
        return Point{day, *micros % kMicrosPerDay == 0 ? day : day + 1};
    }
    default: return {};
    }
}

// The smallest unit above; open where there is none.
std::optional<qint64> after(qint64 units)
{
    return units < std::numeric_limits<qint64>::max() ? std::optional(units + 1) : std::nullopt;
}

std::optional<ValueRange> rangeFor(sql::ComparisonOp op, const Point &point)
{
    switch (op) {
    case sql::ComparisonOp::Equal: return ValueRange{point.atMost, after(point.atMost)};
    case sql::ComparisonOp::Less: return ValueRange{{}, point.atLeast};
    case sql::ComparisonOp::LessOrEqual: return ValueRange{{}, after(point.atMost)};
    case sql::ComparisonOp::Greater:
    case sql::ComparisonOp::GreaterOrEqual: return ValueRange{point.atMost, {}};
    case sql::ComparisonOp::NotEqual: return {};
    }
    return {};
}

sql::ComparisonOp turnedAround(sql::ComparisonOp op)
{
    switch (op) {
    case sql::ComparisonOp::Less: return sql::ComparisonOp::Greater;
    case sql::ComparisonOp::LessOrEqual: return sql::ComparisonOp::GreaterOrEqual;
    case sql::ComparisonOp::Greater: return sql::ComparisonOp::Less;
    case sql::ComparisonOp::GreaterOrEqual: return sql::ComparisonOp::LessOrEqual;
    default: return op;
    }
}

std::optional<qint64> larger(std::optional<qint64> a, std::optional<qint64> b)
{
    return a && b ? std::max(*a, *b) : a ? a : b;
}

std::optional<qint64> smaller(std::optional<qint64> a, std::optional<qint64> b)
{
    return a && b ? std::min(*a, *b) : a ? a : b;
}

// One range around all; only that of an end they all have is closed.
QList<ValueRange> hull(const QList<ValueRange> &ranges)
{
    ValueRange around = ranges.front();
    for (const auto &range : ranges) {
        around.from = around.from && range.from ? smaller(around.from, range.from) : std::nullopt;
        around.to = around.to && range.to ? larger(around.to, range.to) : std::nullopt;
    }
    return {around};
}

ScanFilter both(const ScanFilter &a, const ScanFilter &b)
{
    ScanFilter result{.fieldId = a.fieldId, .ranges = {}, .nulls = a.nulls && b.nulls};
    for (const auto &mine : a.ranges) {
        for (const auto &theirs : b.ranges) {
            const ValueRange range{larger(mine.from, theirs.from), smaller(mine.to, theirs.to)};
            if (!range.from || !range.to || *range.from < *range.to)
                result.ranges.append(range);
        }
    }
    if (result.ranges.size() > kMostRanges)
        result.ranges = hull(result.ranges);
    return result;
}

ScanFilter either(const ScanFilter &a, const ScanFilter &b)
{
    ScanFilter result{
        .fieldId = a.fieldId, .ranges = a.ranges + b.ranges, .nulls = a.nulls || b.nulls};
    if (result.ranges.size() > kMostRanges)
        result.ranges = hull(result.ranges);
    return result;
}

Filters all(const Filters &a, const Filters &b)
{
    Filters result = a;
    for (const auto &[id, filter] : b.asKeyValueRange())
        result.insert(id, result.contains(id) ? both(result.value(id), filter) : filter);
    return result;
}

Filters any(const Filters &a, const Filters &b)
{
    Filters result;
    for (const auto &[id, filter] : a.asKeyValueRange()) {
        if (b.contains(id))
            result.insert(id, either(filter, b.value(id)));
    }
    return result;
}

// A constant as a column's value; none where a comparison would convert one of them.
std::optional<iceberg::Literal> valueOf(const FieldType &column, const sql::ExprPtr &constant)
{
    const bool isWhole = column.id == TypeId::Int || column.id == TypeId::Long;
    if (const auto *text = sql::as<sql::StringLiteral>(constant);
        text && column.id == TypeId::String)
        return iceberg::Literal{text->value};
    if (const auto *integer = sql::as<sql::IntegerLiteral>(constant); integer && isWhole)
        return iceberg::Literal{integer->value};
    const auto *typed = sql::as<sql::TypedLiteral>(constant);
    if (!typed || column.id != TypeId::Date || !sql::sameName(typed->type.value, u"date"))
        return {};
    const auto date = iceberg::literalFromText(column, typed->value.trimmed());
    return date ? std::optional(*date) : std::nullopt;
}

Values allOf(Values a, const Values &b)
{
    for (const auto &[id, values] : b.asKeyValueRange()) {
        if (!a.contains(id) || values.size() < a.value(id).size())
            a.insert(id, values);
    }
    return a;
}

Values anyOf(const Values &a, const Values &b)
{
    Values result;
    for (const auto &[id, values] : a.asKeyValueRange()) {
        if (b.contains(id) && values.size() + b.value(id).size() <= kMostRanges)
            result.insert(id, values + b.value(id));
    }
    return result;
}

// Whether an expression has the same value at any time, in any row: only then may it be looked at
// beforehand.
bool isConstant(const sql::ExprPtr &expression)
{
    static const QStringList kFunctions{QStringLiteral("date_trunc"), QStringLiteral("date"),
                                        QStringLiteral("date_add")};
    bool constant = true;
    sql::forEachExpression(expression, [&](const sql::ExprPtr &part) {
        const auto *call = sql::as<sql::FunctionCall>(part);
        const bool known = sql::as<sql::IntegerLiteral>(part) ||
                           sql::as<sql::StringLiteral>(part) || sql::as<sql::TypedLiteral>(part) ||
                           sql::as<sql::IntervalLiteral>(part) || sql::as<sql::Arithmetic>(part) ||
                           sql::as<sql::Unary>(part) || sql::as<sql::Cast>(part) ||
                           (call && call->name.parts.size() == 1 && !call->over &&
                            kFunctions.contains(call->name.last().value));
        constant = constant && known;
    });
    return constant;
}

class ConditionReader {
public:
    ConditionReader(const ColumnNames &names, const iceberg::Schema &schema,
                    const Constants &constants)
        : m_names(names), m_schema(schema), m_constants(constants)
    {
    }

    // No entry for a column: nothing is known about it.
    Filters read(const sql::ExprPtr &condition)
    {
        if (const auto *logical = sql::as<sql::Logical>(condition))
            return readLogical(*logical);
        if (const auto *comparison = sql::as<sql::Comparison>(condition))
            return readComparison(*comparison);
        if (const auto *between = sql::as<sql::Between>(condition); between && !between->negated) {
            return all(compare(between->value, sql::ComparisonOp::GreaterOrEqual, between->min),
                       compare(between->value, sql::ComparisonOp::LessOrEqual, between->max));
        }
        if (const auto *list = sql::as<sql::InList>(condition); list && !list->negated)
            return readList(*list);
        if (const auto *isNull = sql::as<sql::IsNull>(condition))
            return readNull(*isNull);
        return {};
    }

    // The values that columns are compared with for equality.
    Values values(const sql::ExprPtr &condition)
    {
        if (const auto *logical = sql::as<sql::Logical>(condition)) {
            Values result = values(logical->terms.front());
            for (size_t i = 1; i < logical->terms.size(); ++i) {
                const Values next = values(logical->terms[i]);
                result =
                    logical->op == sql::LogicalOp::And ? allOf(result, next) : anyOf(result, next);
            }
            return result;
        }
        if (const auto *list = sql::as<sql::InList>(condition); list && !list->negated)
            return valuesIn(list->value, list->items);
        const auto *comparison = sql::as<sql::Comparison>(condition);
        if (!comparison || comparison->op != sql::ComparisonOp::Equal)
            return {};
        return column(comparison->left) ? valuesIn(comparison->left, {comparison->right})
                                        : valuesIn(comparison->right, {comparison->left});
    }

    // Only an equality or a list beside nothing but AND is looked for.
    std::optional<QSet<QString>> paths(const sql::ExprPtr &condition)
    {
        if (const auto *logical = sql::as<sql::Logical>(condition);
            logical && logical->op == sql::LogicalOp::And) {
            for (const auto &term : logical->terms) {
                if (const auto found = paths(term))
                    return found;
            }
        }
        const auto *list = sql::as<sql::InList>(condition);
        const auto *comparison = sql::as<sql::Comparison>(condition);
        if (list && !list->negated && isPath(list->value))
            return texts(list->items);
        if (comparison && comparison->op == sql::ComparisonOp::Equal && isPath(comparison->left))
            return texts({comparison->right});
        return {};
    }

private:
    bool isPath(const sql::ExprPtr &expression) const
    {
        const auto chain = sql::nameChain(expression);
        const bool bare = chain.size() == 1 && m_names.bare;
        const bool qualified =
            chain.size() == 2 && sql::sameName(chain[0].value, m_names.qualifier);
        return (bare || qualified) && chain.back().value == kPathColumn;
    }

    static std::optional<QSet<QString>> texts(const std::vector<sql::ExprPtr> &items)
    {
        QSet<QString> found;
        for (const auto &item : items) {
            const auto *text = sql::as<sql::StringLiteral>(item);
            if (!text)
                return {};
            found.insert(text->value);
        }
        return found;
    }

    Values valuesIn(const sql::ExprPtr &value, const std::vector<sql::ExprPtr> &items) const
    {
        const auto *field = column(value);
        if (!field || qsizetype(items.size()) > kMostRanges)
            return {};
        QList<iceberg::Literal> found;
        for (const auto &item : items) {
            const auto literal = valueOf(field->type, item);
            if (!literal)
                return {};
            found.append(*literal);
        }
        return {{field->id, found}};
    }

    const iceberg::Field *column(const sql::ExprPtr &expression) const
    {
        const auto chain = sql::nameChain(expression);
        const bool bare = chain.size() == 1 && m_names.bare;
        const bool qualified =
            chain.size() == 2 && sql::sameName(chain[0].value, m_names.qualifier);
        return bare || qualified ? m_schema.column(chain.back().value) : nullptr;
    }

    std::optional<QString> constant(const sql::ExprPtr &expression) const
    {
        if (const auto *integer = sql::as<sql::IntegerLiteral>(expression))
            return QString::number(integer->value);
        if (const auto *typed = sql::as<sql::TypedLiteral>(expression);
            typed && (sql::sameName(typed->type.value, u"date") ||
                      sql::sameName(typed->type.value, u"timestamp")))
            return typed->value.trimmed();
        return isConstant(expression) ? m_constants(expression) : std::nullopt;
    }

    Filters readLogical(const sql::Logical &logical)
    {
        Filters result = read(logical.terms.front());
        for (size_t i = 1; i < logical.terms.size(); ++i) {
            const Filters next = read(logical.terms[i]);
            result = logical.op == sql::LogicalOp::And ? all(result, next) : any(result, next);
        }
        return result;
    }

    Filters readComparison(const sql::Comparison &comparison)
    {
        if (column(comparison.left))
            return compare(comparison.left, comparison.op, comparison.right);
        return compare(comparison.right, turnedAround(comparison.op), comparison.left);
    }

    Filters compare(const sql::ExprPtr &left, sql::ComparisonOp op, const sql::ExprPtr &right)
    {
        const auto *field = column(left);
        const auto text = field ? constant(right) : std::nullopt;
        const auto point = text ? pointIn(field->type, *text) : std::nullopt;
        const auto range = point ? rangeFor(op, *point) : std::nullopt;
        if (!range)
            return {};
        return {{field->id, {.fieldId = field->id, .ranges = {*range}, .nulls = false}}};
    }

    Filters readList(const sql::InList &list)
    {
        Filters result = compare(list.value, sql::ComparisonOp::Equal, list.items.front());
        for (size_t i = 1; i < list.items.size() && !result.isEmpty(); ++i)
            result = any(result, compare(list.value, sql::ComparisonOp::Equal, list.items[i]));
        return result;
    }

    Filters readNull(const sql::IsNull &isNull)
    {
        const auto *field = column(isNull.value);
        if (!field)
            return {};
        const QList<ValueRange> everything{ValueRange{}};
        return {{field->id,
                 {.fieldId = field->id,
                  .ranges = isNull.negated ? everything : QList<ValueRange>(),
                  .nulls = !isNull.negated}}};
    }

    const ColumnNames &m_names;
    const iceberg::Schema &m_schema;
    const Constants &m_constants;
};

}  // namespace

FileFilter fileFilter(const Restriction &restriction, const iceberg::Schema &schema,
                      const Constants &constants)
{
    ConditionReader reader(restriction.names, schema, constants);
    return {.columns = reader.read(restriction.where).values(),
            .paths = reader.paths(restriction.where),
            .values = reader.values(restriction.where)};
}

}  // namespace ivm::duckdb
