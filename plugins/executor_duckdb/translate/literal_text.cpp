#include "plugins/executor_duckdb/translate/literal_text.h"

#include "plugins/executor_duckdb/translate/typing.h"
#include "plugins/executor_duckdb/translate/zone.h"

#include <QDate>
#include <QRegularExpression>
#include <QTime>

#include <cmath>
#include <limits>

namespace ivm::duckdb {

namespace {

constexpr int kMaxDecimalDigits = 38;
constexpr qint64 kLongestYears = 100'000;

QRegularExpressionMatch matched(const char16_t *pattern, const QString &text)
{
    return QRegularExpression(QRegularExpression::anchoredPattern(QStringView(pattern)))
        .match(text);
}

bool inRange(const Type &type, qint64 value)
{
    switch (type.kind) {
    case TypeKind::Tinyint: return value == qint64(qint8(value));
    case TypeKind::Smallint: return value == qint64(qint16(value));
    case TypeKind::Integer: return value == qint64(qint32(value));
    default: return true;
    }
}

std::optional<QString> integerText(const Type &type, const QString &value)
{
    bool ok = false;
    const qint64 number = value.toLongLong(&ok);
    const bool digitsOnly = matched(u"[+-]?[0-9]+", value).hasMatch();
    if (!ok || !digitsOnly || !inRange(type, number))
        return std::nullopt;
    return QString::number(number);
}

std::optional<QString> booleanText(const QString &value)
{
    const QString word = value.toLower();
    if (word == u"true" || word == u"t" || word == u"1")
        return QStringLiteral("true");
    if (word == u"false" || word == u"f" || word == u"0")
        return QStringLiteral("false");
    return std::nullopt;
}

// The unit in milliseconds, or in months.
qint64 unitOf(sql::IntervalField field)
{
    switch (field) {
    case sql::IntervalField::Year: return 12;
    case sql::IntervalField::Month: return 1;
    case sql::IntervalField::Day: return 86'400'000;
    case sql::IntervalField::Hour: return 3'600'000;
    case sql::IntervalField::Minute: return 60'000;
    case sql::IntervalField::Second: return 1'000;
    }
    Q_UNREACHABLE();
}

QDate dateOf(const QRegularExpressionMatch &match)
{
    return QDate(match.captured(1).toInt(), match.captured(2).toInt(), match.captured(3).toInt());
}

}  // namespace

std::optional<QString> stringText(const QString &value)
{
    if (!value.isValidUtf16())
        return std::nullopt;
    QStringList parts;
    for (const QString &part : value.split(QChar(0)))
        parts.append(u'\'' + QString(part).replace(u'\'', QStringLiteral("''")) + u'\'');
    if (parts.size() == 1)
        return parts[0];
    return QString(u'(' + parts.join(QStringLiteral(" || chr(0) || ")) + u')');
}

std::optional<Type> decimalLiteralType(QStringView text)
{
    const auto match = matched(u"[+-]?(0*)([0-9]*)(?:\\.([0-9]*))?", text.toString());
    const auto zeros = match.capturedLength(1);
    const auto whole = match.capturedLength(2);
    const auto fraction = match.capturedLength(3);
    if (!match.hasMatch() || zeros + whole + fraction == 0)
        return std::nullopt;
    const auto digits = std::max<qsizetype>(1, whole + fraction);
    if (digits > kMaxDecimalDigits)
        return std::nullopt;
    return decimalType(int(digits), int(fraction));
}

std::optional<Moment> parseDate(QStringView text)
{
    const auto match = matched(u" *([0-9]{4})-([0-9]{1,2})-([0-9]{1,2}) *", text.toString());
    const QDate date = dateOf(match);
    if (!match.hasMatch() || !date.isValid())
        return std::nullopt;
    return Moment{simpleType(TypeKind::Date), date.toString(Qt::ISODate)};
}

std::optional<Moment> parseTimestamp(QStringView text)
{
    const auto match =
        matched(u"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})"
                "(?: ([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2})(?:\\.([0-9]{1,6}))?)?)?"
                "(?: ?(UTC|Z|[+-][0-9]{2}:[0-9]{2}))?",
                text.toString());
    const QDate date = dateOf(match);
    const QTime time(match.captured(4).toInt(), match.captured(5).toInt(),
                     match.captured(6).toInt());
    if (!match.hasMatch() || !date.isValid() || !time.isValid())
        return std::nullopt;
    const QString fraction = match.captured(7);
    const bool zoned = match.capturedLength(8) > 0;
    const auto zone = zoneId(match.captured(8));
    if (zoned && !zone)
        return std::nullopt;
    QString written = date.toString(Qt::ISODate) + u' ' + time.toString(Qt::ISODate);
    if (!fraction.isEmpty())
        written += u'.' + fraction;
    const auto digits = int(fraction.size());
    if (!zoned)
        return Moment{simpleType(TypeKind::Timestamp, digits), written};
    const Type type = inZone(simpleType(TypeKind::TimestampWithTimeZone, digits), *zone);
    return Moment{type, written + (isUtc(type) ? QStringLiteral("+00") : *zone)};
}

std::optional<qint64> intervalLength(const sql::IntervalLiteral &literal)
{
    const bool seconds = literal.from == sql::IntervalField::Second;
    const auto match = seconds ? matched(u"([+-]?)([0-9]{1,18})(?:\\.([0-9]{1,3}))?", literal.value)
                               : matched(u"([+-]?)([0-9]{1,18})", literal.value);
    const qint64 unit = unitOf(literal.from);
    const qint64 perYear = literal.from <= sql::IntervalField::Month ? 12 : 366LL * 86'400'000;
    const qint64 count = match.captured(2).toLongLong();
    if (!match.hasMatch() || count > kLongestYears * perYear / unit)
        return std::nullopt;
    const qint64 fraction = match.captured(3).leftJustified(3, u'0').toLongLong();
    const qint64 length = count * unit + (seconds ? fraction : 0);
    const bool negative = literal.negative != (match.captured(1) == u"-");
    return negative ? -length : length;
}

std::optional<QString> plainLiteralText(const Type &type, const QString &value)
{
    if (type.is(TypeKind::Boolean))
        return booleanText(value);
    if (type.isInteger())
        return integerText(type, value);
    constexpr auto kNumber =
        u"[+-]?(?:[0-9]+\\.?[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?|NaN|[+-]?Infinity";
    const bool real = type.is(TypeKind::Real);
    const double number = value.toDouble();
    const bool tooLarge = real && std::isfinite(number) &&
                          std::abs(number) > double(std::numeric_limits<float>::max());
    if (!matched(kNumber, value).hasMatch() || tooLarge)
        return std::nullopt;
    return value;
}

}  // namespace ivm::duckdb
