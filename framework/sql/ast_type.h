// Names and types in the syntax tree. ast.h says what holds for all nodes.
#pragma once

#include "framework/sql/span.h"

#include <QString>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace ivm::sql {

struct Expr;
struct Type;
struct Relation;
struct Query;
using ExprPtr = std::shared_ptr<const Expr>;
using TypePtr = std::shared_ptr<const Type>;
using RelationPtr = std::shared_ptr<const Relation>;
using QueryPtr = std::shared_ptr<const Query>;

// A name. Unquoted: lower-cased. Quoted: exactly what stands between the quotes, "" undone. Trino
// resolves columns, tables and functions without regard to case in both forms, so compare with
// sameName().
struct Identifier {
    QString value;
    bool quoted = false;
    Span span;
};

bool sameName(QStringView a, QStringView b);
inline bool sameName(const Identifier &a, const Identifier &b)
{
    return sameName(a.value, b.value);
}

// catalog.schema.table, or a function's name. Never empty in a parsed tree.
struct QualifiedName {
    std::vector<Identifier> parts;
    Span span;

    auto fields() const { return std::tie(parts); }
    const Identifier &last() const { return parts.back(); }
};

enum class SetQuantifier { All, Distinct };
enum class SortOrder { Ascending, Descending };
enum class NullOrder { Unsaid, First, Last };
enum class IntervalField { Year, Month, Day, Hour, Minute, Second };

struct SortItem {
    ExprPtr key;
    SortOrder order = SortOrder::Ascending;
    NullOrder nulls = NullOrder::Unsaid;
    Span span;

    auto fields() const { return std::tie(key, order, nulls); }
};

using TypeParameter = std::variant<qint64, TypePtr>;

// bigint, varchar(10), decimal(10, 2), array(bigint), map(varchar, row(…)), also the spellings
// `bigint array`, `array<bigint>` and `double precision` (whose name is then "double").
struct GenericType {
    Identifier name;
    std::vector<TypeParameter> parameters;

    auto fields() const { return std::tie(name, parameters); }
};
struct RowField {
    std::optional<Identifier> name;
    TypePtr type;

    auto fields() const { return std::tie(name, type); }
};
struct RowType {
    std::vector<RowField> rowFields;

    auto fields() const { return std::tie(rowFields); }
};
struct IntervalType {
    IntervalField from = IntervalField::Year;
    IntervalField to = IntervalField::Year;  // equal to `from` where TO is absent

    auto fields() const { return std::tie(from, to); }
};
struct DateTimeType {
    enum class Base { Time, Timestamp };
    Base base = Base::Timestamp;
    std::optional<TypeParameter> precision;
    bool withTimeZone = false;

    auto fields() const { return std::tie(base, precision, withTimeZone); }
};

struct Type {
    std::variant<GenericType, RowType, IntervalType, DateTimeType> node;
    Span span;

    auto fields() const { return std::tie(node); }
};

}  // namespace ivm::sql
