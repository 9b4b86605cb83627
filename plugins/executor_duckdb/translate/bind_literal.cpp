#include "plugins/executor_duckdb/translate/binder.h"
#include "plugins/executor_duckdb/translate/literal_text.h"
#include "plugins/executor_duckdb/translate/typing.h"

#include <cmath>
#include <limits>

namespace ivm::duckdb {

namespace {

Bound integerBound(qint64 value)
{
    const bool small =
        value >= std::numeric_limits<qint32>::min() && value <= std::numeric_limits<qint32>::max();
    return {.sql = QStringLiteral("CAST(%1 AS %2)")
                       .arg(QString::number(value),
                            small ? QStringLiteral("INTEGER") : QStringLiteral("BIGINT")),
            .type = simpleType(small ? TypeKind::Integer : TypeKind::Bigint),
            .whole = value,
            .number = true,
            .positive = value > 0};
}

// `text` is a number as DuckDB and Trino both read it, so it needs no quoting.
Bound numberBound(const QString &text, const Type &type, const QString &duckdbType)
{
    const double value = text.toDouble();
    return {.sql = QStringLiteral("CAST('%1' AS %2)").arg(text, duckdbType),
            .type = type,
            .number = !std::isnan(value),
            .positive = value > 0};
}

}  // namespace

Result<Bound> Binder::node(const sql::NullLiteral &, const Context &, sql::Span)
{
    return Bound{.sql = QStringLiteral("CAST(NULL AS INTEGER)"), .type = {}};
}

Result<Bound> Binder::node(const sql::BooleanLiteral &literal, const Context &, sql::Span)
{
    return Bound{.sql = literal.value ? QStringLiteral("TRUE") : QStringLiteral("FALSE"),
                 .type = simpleType(TypeKind::Boolean)};
}

Result<Bound> Binder::node(const sql::IntegerLiteral &literal, const Context &, sql::Span)
{
    return integerBound(literal.value);
}

Result<Bound> Binder::node(const sql::DecimalLiteral &literal, const Context &, sql::Span span)
{
    return decimal(literal.text, span);
}

Result<Bound> Binder::node(const sql::DoubleLiteral &literal, const Context &, sql::Span)
{
    return numberBound(literal.text, simpleType(TypeKind::Double), QStringLiteral("DOUBLE"));
}

Result<Bound> Binder::decimal(const QString &text, sql::Span span) const
{
    const auto type = decimalLiteralType(text);
    if (!type) {
        return invalid(
            span, u"invalid_literal",
            QStringLiteral("'%1' is not a decimal of at most 38 digits").arg(text.left(60)));
    }
    IVM_TRY(const QString name, duckdbType(*type));
    return numberBound(text, *type, name);
}

Result<Bound> Binder::node(const sql::StringLiteral &literal, const Context &, sql::Span span)
{
    const auto text = stringText(literal.value);
    if (!text)
        return invalid(span, u"invalid_literal",
                       QStringLiteral("the string has half of a surrogate pair"));
    return Bound{
        .sql = *text, .type = varcharType(literal.value.toUcs4().size()), .word = literal.value};
}

Result<Bound> Binder::node(const sql::BinaryLiteral &literal, const Context &, sql::Span)
{
    return Bound{
        .sql = QStringLiteral("from_hex('%1')").arg(QString::fromLatin1(literal.value.toHex())),
        .type = simpleType(TypeKind::Varbinary)};
}

Result<Bound> Binder::node(const sql::TypedLiteral &literal, const Context &, sql::Span span)
{
    const QString name = literal.type.value.toLower();
    if (name == u"date" || name == u"timestamp")
        return moment(literal, span);
    if (name == u"decimal")
        return decimal(literal.value, span);
    if (name == u"varchar") {
        const auto text = stringText(literal.value);
        if (text)
            return Bound{
                .sql = *text, .type = simpleType(TypeKind::Varchar), .word = literal.value};
    }
    const auto type = parseType(name);
    const bool plain =
        type && (type->isInteger() || type->isFloat() || type->is(TypeKind::Boolean));
    if (!plain) {
        return unsupported(
            span, u"unsupported_literal",
            QStringLiteral("a literal of type %1 is not in the embedded engine").arg(name));
    }
    const auto text = plainLiteralText(*type, literal.value);
    if (!text) {
        return invalid(span, u"invalid_literal",
                       QStringLiteral("'%1' is not a %2").arg(literal.value.left(60), name));
    }
    IVM_TRY(const QString duckdbName, duckdbType(*type));
    return numberBound(*text, *type, duckdbName);
}

Result<Bound> Binder::moment(const sql::TypedLiteral &literal, sql::Span span) const
{
    const bool date = literal.type.value.toLower() == u"date";
    const auto parsed = date ? parseDate(literal.value) : parseTimestamp(literal.value);
    if (!parsed) {
        return invalid(span, u"invalid_literal",
                       QStringLiteral("'%1' is not a %2 that the embedded engine reads")
                           .arg(literal.value.left(60),
                                date ? QStringLiteral("date") : QStringLiteral("timestamp")),
                       date ? QStringLiteral("Write DATE '2001-01-31', of the years 0001 to 9999")
                            : QStringLiteral("Write TIMESTAMP '2001-01-31 12:00:00.123456', of the "
                                             "years 0001 to 9999, and at most ' UTC' or ' +05:30' "
                                             "behind it"));
    }
    IVM_TRY(const QString name, duckdbType(parsed->type));
    return Bound{.sql = QStringLiteral("CAST('%1' AS %2)").arg(parsed->text, name),
                 .type = parsed->type};
}

Result<Bound> Binder::node(const sql::IntervalLiteral &literal, const Context &, sql::Span span)
{
    if (literal.to) {
        return unsupported(span, u"unsupported_literal",
                           QStringLiteral("an INTERVAL … TO … is not in the embedded engine"),
                           QStringLiteral("Add intervals of one unit each"));
    }
    const auto length = intervalLength(literal);
    if (!length) {
        return invalid(
            span, u"invalid_literal",
            QStringLiteral("'%1' is not the length of an interval").arg(literal.value.left(60)),
            QStringLiteral("Write a whole number, or seconds with at most three digits "
                           "behind the point"));
    }
    const bool months = literal.from <= sql::IntervalField::Month;
    const QString type = months ? QStringLiteral("INTEGER") : QStringLiteral("BIGINT");
    return Bound{
        .sql = QStringLiteral("CAST(%1 AS %2)").arg(QString::number(*length), type),
        .type = simpleType(months ? TypeKind::IntervalYearToMonth : TypeKind::IntervalDayToSecond)};
}

QString Binder::clockText(int digits) const
{
    using namespace std::chrono;
    const auto micros = floor<microseconds>(m_input.now.time_since_epoch()).count();
    const auto second = QDateTime::fromSecsSinceEpoch(micros / 1'000'000, Qt::UTC);
    const QString fraction = QString::number(micros % 1'000'000).rightJustified(6, u'0');
    const QString text = second.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
    return digits == 0 ? text : QString(text + u'.' + fraction.left(digits));
}

Result<Bound> Binder::node(const sql::CurrentValue &value, const Context &, sql::Span span)
{
    using Kind = sql::CurrentValue::Kind;
    constexpr int kDigits = 3;
    constexpr int kMostDigits = 6;
    const int digits = value.precision.value_or(kDigits);
    const bool date = value.kind == Kind::Date;
    const bool zoned = value.kind == Kind::Timestamp;
    if (!date && !zoned && value.kind != Kind::LocalTimestamp) {
        return unsupported(span, u"unsupported_expression",
                           QStringLiteral("the current time of day, user, catalog, schema or path "
                                          "is not in the embedded engine"));
    }
    if (digits > kMostDigits) {
        return unsupported(span, u"unsupported_type",
                           QStringLiteral("more than %1 digits after the second are not in the "
                                          "embedded engine")
                               .arg(kMostDigits));
    }
    const sql::Identifier type{.value = date ? QStringLiteral("date") : QStringLiteral("timestamp"),
                               .quoted = false,
                               .span = span};
    const QString clock = date ? clockText(0).left(10) : clockText(digits);
    return moment({type, zoned ? QString(clock + QStringLiteral(" UTC")) : clock}, span);
}

}  // namespace ivm::duckdb
