#include "framework/iceberg/literal.h"

#include <QDate>
#include <QRegularExpression>
#include <QUuid>

#include <cstdlib>
#include <limits>

namespace ivm::iceberg {

namespace {

constexpr qint64 kMicrosPerSecond = 1'000'000;
constexpr qint64 kSecondsPerDay = 86'400;
constexpr qint64 kEpochJulianDay = 2440588;
// Beyond it microseconds leave 64 bits.
constexpr int kMaxYear = 290'000;

std::optional<qint64> daysFrom(QStringView yearText, QStringView month, QStringView day)
{
    bool ok = false;
    const int year = yearText.toInt(&ok);
    if (!ok || std::abs(year) > kMaxYear)
        return {};
    // QDate has no year 0: there -1 is the year before 1.
    const QDate date(year > 0 ? year : year - 1, month.toInt(), day.toInt());
    if (!date.isValid())
        return {};
    return date.toJulianDay() - kEpochJulianDay;
}

// The digits after the point as microseconds; none when digits beyond the sixth are not zero.
std::optional<qint64> microsFrom(QStringView digits)
{
    qint64 micros = 0;
    for (qsizetype i = 0; i < 6; ++i)
        micros = micros * 10 + (i < digits.size() ? digits[i].unicode() - u'0' : 0);
    for (qsizetype i = 6; i < digits.size(); ++i) {
        if (digits[i] != u'0')
            return {};
    }
    return micros;
}

std::optional<qint64> timeOfDay(const QRegularExpressionMatch &match)
{
    const int hour = match.capturedView(QStringLiteral("hour")).toInt();
    const int minute = match.capturedView(QStringLiteral("minute")).toInt();
    const int second = match.capturedView(QStringLiteral("second")).toInt();
    const auto micros = microsFrom(match.capturedView(QStringLiteral("fraction")));
    if (hour > 23 || minute > 59 || second > 59 || !micros)
        return {};
    return (hour * 3600 + minute * 60 + second) * kMicrosPerSecond + *micros;
}

// Seconds east of Greenwich.
std::optional<qint64> zoneOffset(QStringView zone)
{
    if (zone == u"Z" || zone == u"UTC")
        return 0;
    static const QRegularExpression shape(QStringLiteral(R"(^([+-])(\d\d):?(\d\d)?:?(\d\d)?$)"));
    const auto match = shape.match(zone.toString());
    if (!match.hasMatch())
        return {};
    const qint64 seconds = match.capturedView(2).toInt() * 3600 +
                           match.capturedView(3).toInt() * 60 + match.capturedView(4).toInt();
    if (seconds > kSecondsPerDay)
        return {};
    return match.capturedView(1) == u"-" ? -seconds : seconds;
}

const QString kDatePattern = QStringLiteral(R"((?<year>[+-]?\d{4,6})-(?<month>\d\d)-(?<day>\d\d))");
const QString kTimePattern =
    QStringLiteral(R"((?<hour>\d\d):(?<minute>\d\d)(:(?<second>\d\d)(\.(?<fraction>\d{1,12}))?)?)");

std::optional<Literal> dateFromText(const QString &text)
{
    static const QRegularExpression shape(u'^' + kDatePattern + u'$');
    const auto match = shape.match(text);
    if (!match.hasMatch())
        return {};
    const auto days = daysFrom(match.capturedView(QStringLiteral("year")),
                               match.capturedView(QStringLiteral("month")),
                               match.capturedView(QStringLiteral("day")));
    return days ? std::optional(Literal{*days}) : std::nullopt;
}

std::optional<Literal> timeFromText(const QString &text)
{
    static const QRegularExpression shape(u'^' + kTimePattern + u'$');
    const auto match = shape.match(text);
    const auto micros = match.hasMatch() ? timeOfDay(match) : std::nullopt;
    return micros ? std::optional(Literal{*micros}) : std::nullopt;
}

std::optional<Literal> timestampFromText(const QString &text, bool withZone)
{
    static const QRegularExpression shape(u'^' + kDatePattern + QStringLiteral("([T ]") +
                                          kTimePattern +
                                          QStringLiteral(")? ?(?<zone>Z|UTC|[+-][0-9:]+)?$"));
    const auto match = shape.match(text);
    if (!match.hasMatch() || match.hasCaptured(QStringLiteral("zone")) != withZone)
        return {};
    const auto days = daysFrom(match.capturedView(QStringLiteral("year")),
                               match.capturedView(QStringLiteral("month")),
                               match.capturedView(QStringLiteral("day")));
    const auto time = timeOfDay(match);
    const auto offset = withZone ? zoneOffset(match.capturedView(QStringLiteral("zone"))) : 0;
    if (!days || !time || !offset)
        return {};
    return Literal{(*days * kSecondsPerDay - *offset) * kMicrosPerSecond + *time};
}

std::optional<Literal> decimalFromText(const FieldType &type, const QString &text)
{
    static const QRegularExpression shape(QStringLiteral(R"(^([+-]?)(\d{1,40})(\.(\d{1,40}))?$)"));
    const auto match = shape.match(text);
    if (!match.hasMatch())
        return {};
    QString fraction = match.captured(4);
    while (fraction.size() > type.scale && fraction.endsWith(u'0'))
        fraction.chop(1);
    if (fraction.size() > type.scale)
        return {};
    const QString digits = match.captured(2) + fraction.leftJustified(type.scale, u'0');
    __int128 unscaled = 0;
    qsizetype significant = 0;
    for (const QChar digit : digits) {
        if (significant > 0 || digit != u'0')
            ++significant;
        if (significant > type.precision)
            return {};
        unscaled = unscaled * 10 + (digit.unicode() - u'0');
    }
    if (match.capturedView(1) == u"-")
        unscaled = -unscaled;
    QByteArray bytes(16, Qt::Uninitialized);
    for (qsizetype i = 15; i >= 0; --i, unscaled >>= 8)
        bytes[i] = char(unscaled & 0xff);
    return Literal{shortestDecimal(bytes)};
}

std::optional<Literal> floatFromText(const FieldType &type, const QString &text)
{
    const QString word = text.toLower();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (word == u"nan")
        return Literal{std::numeric_limits<double>::quiet_NaN()};
    if (word == u"infinity" || word == u"inf" || word == u"+infinity")
        return Literal{kInfinity};
    if (word == u"-infinity" || word == u"-inf")
        return Literal{-kInfinity};
    bool ok = false;
    const double value = text.toDouble(&ok);
    if (!ok)
        return {};
    return Literal{type.id == TypeId::Float ? double(float(value)) : value};
}

std::optional<Literal> integerFromText(const FieldType &type, const QString &text)
{
    bool ok = false;
    const qint64 value = text.toLongLong(&ok);
    if (!ok || (type.id == TypeId::Int && value != qint32(value)))
        return {};
    return Literal{value};
}

std::optional<Literal> bytesFromText(const FieldType &type, const QString &text)
{
    const auto bytes = QByteArray::fromHex(text.toLatin1());
    if (bytes.size() * 2 != text.size() ||
        (type.id == TypeId::Fixed && bytes.size() != type.length))
        return {};
    return Literal{bytes};
}

std::optional<Literal> parse(const FieldType &type, const QString &text)
{
    switch (type.id) {
    case TypeId::Boolean:
        if (text == u"true" || text == u"1")
            return Literal{true};
        return text == u"false" || text == u"0" ? std::optional(Literal{false}) : std::nullopt;
    case TypeId::Int:
    case TypeId::Long: return integerFromText(type, text);
    case TypeId::Float:
    case TypeId::Double: return floatFromText(type, text);
    case TypeId::Decimal: return decimalFromText(type, text);
    case TypeId::Date: return dateFromText(text);
    case TypeId::Time: return timeFromText(text);
    case TypeId::Timestamp: return timestampFromText(text, false);
    case TypeId::Timestamptz: return timestampFromText(text, true);
    case TypeId::String: return Literal{text};
    case TypeId::Uuid: {
        const auto uuid = QUuid::fromString(text);
        const bool isValid = text.size() == 36 && (!uuid.isNull() || text.count(u'0') == 32);
        return isValid ? std::optional(Literal{uuid.toRfc4122()}) : std::nullopt;
    }
    case TypeId::Fixed:
    case TypeId::Binary: return bytesFromText(type, text);
    case TypeId::Struct:
    case TypeId::List:
    case TypeId::Map: break;
    }
    return {};
}

}  // namespace

Result<Literal> literalFromText(const FieldType &type, QStringView text)
{
    if (auto literal = parse(type, text.toString()))
        return *literal;
    return fail(invalidError(
        QStringLiteral("'%1' is not a value of type %2").arg(text.left(200), type.text())));
}

}  // namespace ivm::iceberg
