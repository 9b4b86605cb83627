#include "plugins/executor_duckdb/engine/spelling.h"

namespace ivm::duckdb {

namespace {

constexpr qint64 kSecondsPerDay = 86'400;
constexpr qint64 kNanosPerSecond = 1'000'000'000;
constexpr int kNanoDigits = 9;

QString padded(qint64 number, int width)
{
    return QStringLiteral("%1").arg(number, width, 10, QLatin1Char('0'));
}

struct Parts {
    qint64 quotient;
    qint64 rest;  // never negative
};

Parts floorDivide(qint64 number, qint64 by)
{
    qint64 quotient = number / by;
    qint64 rest = number % by;
    if (rest < 0) {
        rest += by;
        --quotient;
    }
    return {quotient, rest};
}

QString yearText(qint64 year)
{
    if (year < 0)
        return u'-' + padded(-year, 4);
    return year > 9999 ? u'+' + QString::number(year) : padded(year, 4);
}

}  // namespace

QString decimalText(Int128 unscaled, int scale)
{
    const bool negative = unscaled < 0;
    // The most negative value has no positive twin in the signed type.
    auto rest = negative ? -static_cast<unsigned __int128>(unscaled)
                         : static_cast<unsigned __int128>(unscaled);
    QString digits;
    for (int count = 0; rest > 0 || count <= scale; ++count) {
        if (count == scale && scale > 0)
            digits.prepend(u'.');
        digits.prepend(QChar(static_cast<char16_t>(u'0' + static_cast<int>(rest % 10))));
        rest /= 10;
    }
    return negative ? QString(u'-' + digits) : digits;
}

QString dateText(qint64 days)
{
    // Counts in eras of 400 years, with years that begin in March: then the leap day is the last
    // one of a year, and months are evenly 153 days in five.
    constexpr qint64 kDaysPerEra = 146'097;
    constexpr qint64 kDaysFromMarchOfYearZero = 719'468;
    const auto [era, dayOfEra] = floorDivide(days + kDaysFromMarchOfYearZero, kDaysPerEra);
    const qint64 yearOfEra =
        (dayOfEra - dayOfEra / 1460 + dayOfEra / 36'524 - dayOfEra / 146'096) / 365;
    const qint64 dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
    const qint64 monthFromMarch = (5 * dayOfYear + 2) / 153;
    const qint64 day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1;
    const qint64 month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
    const qint64 year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
    return yearText(year) + u'-' + padded(month, 2) + u'-' + padded(day, 2);
}

QString timeText(qint64 nanos, int digits)
{
    const qint64 seconds = nanos / kNanosPerSecond;
    const QString text = padded(seconds / 3600, 2) + u':' + padded(seconds / 60 % 60, 2) + u':' +
                         padded(seconds % 60, 2);
    if (digits <= 0)
        return text;
    const QString fraction = padded(nanos % kNanosPerSecond, kNanoDigits);
    return text + u'.' + fraction.leftJustified(digits, u'0', true);
}

QString timestampText(qint64 units, qint64 perSecond, int digits)
{
    const auto [seconds, fraction] = floorDivide(units, perSecond);
    const auto [days, secondOfDay] = floorDivide(seconds, kSecondsPerDay);
    const qint64 nanos = secondOfDay * kNanosPerSecond + fraction * (kNanosPerSecond / perSecond);
    return dateText(days) + u' ' + timeText(nanos, digits);
}

QString uuidText(quint64 upper, quint64 lower)
{
    QString text = QStringLiteral("%1%2")
                       .arg(upper, 16, 16, QLatin1Char('0'))
                       .arg(lower, 16, 16, QLatin1Char('0'));
    for (const int at : {20, 16, 12, 8})
        text.insert(at, u'-');
    return text;
}

QString yearToMonthText(qint64 months)
{
    const qint64 size = months < 0 ? -months : months;
    const QString text = QString::number(size / 12) + u'-' + QString::number(size % 12);
    return months < 0 ? QString(u'-' + text) : text;
}

QString dayToSecondText(qint64 micros)
{
    const auto size = micros < 0 ? -static_cast<quint64>(micros) : static_cast<quint64>(micros);
    constexpr quint64 kMicrosPerDay = 86'400'000'000;
    const QString text = QString::number(size / kMicrosPerDay) + u' ' +
                         timeText(static_cast<qint64>(size % kMicrosPerDay) * 1000, 3);
    return micros < 0 ? QString(u'-' + text) : text;
}

}  // namespace ivm::duckdb
