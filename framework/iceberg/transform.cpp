#include "framework/iceberg/transform.h"

#include "framework/base/floor_divide.h"

#include <QDate>
#include <QRegularExpression>
#include <QtEndian>

#include <bit>

namespace ivm::iceberg {

namespace {

constexpr qint64 kMicrosPerHour = 3'600'000'000;
constexpr qint64 kMicrosPerDay = 24 * kMicrosPerHour;
constexpr qint64 kEpochJulianDay = 2440588;
constexpr qint64 kEpochYear = 1970;

constexpr std::pair<Transform, QStringView> kNames[] = {
    {Transform::Identity, u"identity"}, {Transform::Year, u"year"}, {Transform::Month, u"month"},
    {Transform::Day, u"day"},           {Transform::Hour, u"hour"}, {Transform::Bucket, u"bucket"},
    {Transform::Truncate, u"truncate"}, {Transform::Void, u"void"},
};

bool takesArgument(Transform kind)
{
    return kind == Transform::Bucket || kind == Transform::Truncate;
}

bool isTimestamp(const FieldType &type)
{
    return type.id == TypeId::Timestamp || type.id == TypeId::Timestamptz;
}

bool isWhole(const FieldType &type) { return type.id == TypeId::Int || type.id == TypeId::Long; }

bool takes(Transform kind, const FieldType &source)
{
    const bool isDate = source.id == TypeId::Date;
    switch (kind) {
    case Transform::Identity:
    case Transform::Void: return !source.isNested();
    case Transform::Year:
    case Transform::Month:
    case Transform::Day: return isDate || isTimestamp(source);
    case Transform::Hour: return isTimestamp(source);
    case Transform::Truncate:
        return isWhole(source) || source.id == TypeId::Decimal || source.id == TypeId::String ||
               source.id == TypeId::Binary;
    case Transform::Bucket:
        return !source.isNested() && source.id != TypeId::Boolean && source.id != TypeId::Float &&
               source.id != TypeId::Double;
    }
    Q_UNREACHABLE();
}

Literal bucketOf(const Literal &value, int buckets)
{
    QByteArray bytes;
    if (const auto *whole = std::get_if<qint64>(&value.data)) {
        bytes.resize(8);
        qToLittleEndian(*whole, bytes.data());
    } else if (const auto *text = std::get_if<QString>(&value.data)) {
        bytes = text->toUtf8();
    } else if (const auto *raw = std::get_if<QByteArray>(&value.data)) {
        bytes = *raw;
    }
    return {qint64((murmur3(bytes) & 0x7fffffffu) % quint32(buckets))};
}

qint64 daysOf(const FieldType &source, qint64 value)
{
    return source.id == TypeId::Date ? value : floorDivide(value, kMicrosPerDay);
}

// Years since 1970 in QDate's calendar, which has no year 0.
qint64 yearsSinceEpoch(const QDate &date)
{
    return (date.year() > 0 ? date.year() : date.year() + 1) - kEpochYear;
}

qint64 calendarPart(Transform kind, const FieldType &source, qint64 value)
{
    if (kind == Transform::Hour)
        return floorDivide(value, kMicrosPerHour);
    const qint64 days = daysOf(source, value);
    if (kind == Transform::Day)
        return days;
    const QDate date = QDate::fromJulianDay(days + kEpochJulianDay);
    const qint64 years = yearsSinceEpoch(date);
    return kind == Transform::Year ? years : years * 12 + date.month() - 1;
}

// The unscaled value of a literal; decimals have at most 16 bytes.
__int128 unscaledOf(const QByteArray &bytes)
{
    __int128 value = !bytes.isEmpty() && static_cast<signed char>(bytes[0]) < 0 ? -1 : 0;
    for (const char byte : bytes)
        value = (value << 8) | static_cast<unsigned char>(byte);
    return value;
}

QByteArray decimalBytes(__int128 value)
{
    QByteArray bytes(16, Qt::Uninitialized);
    for (qsizetype i = 15; i >= 0; --i, value >>= 8)
        bytes[i] = char(value & 0xff);
    return shortestDecimal(bytes);
}

Literal truncated(const FieldType &source, const Literal &value, int width)
{
    if (const auto *whole = std::get_if<qint64>(&value.data)) {
        const qint64 remainder = *whole % width;
        // Below the least value it wraps round, as in other writers.
        const auto start =
            qint64(quint64(*whole) - quint64(remainder < 0 ? remainder + width : remainder));
        return {source.id == TypeId::Int ? qint64(qint32(start)) : start};
    }
    if (const auto *text = std::get_if<QString>(&value.data))
        return {firstCodePoints(*text, width)};
    const auto &bytes = std::get<QByteArray>(value.data);
    if (source.id == TypeId::Binary)
        return {bytes.first(std::min<qsizetype>(width, bytes.size()))};
    const __int128 unscaled = unscaledOf(bytes);
    const __int128 remainder = unscaled % width;
    return {decimalBytes(unscaled - (remainder < 0 ? remainder + width : remainder))};
}

}  // namespace

quint32 murmur3(QByteArrayView bytes)
{
    const auto mixed = [](quint32 k) { return std::rotl(k * 0xcc9e2d51u, 15) * 0x1b873593u; };
    quint32 hash = 0;
    qsizetype at = 0;
    for (; at + 4 <= bytes.size(); at += 4) {
        hash ^= mixed(qFromLittleEndian<quint32>(bytes.data() + at));
        hash = std::rotl(hash, 13) * 5 + 0xe6546b64u;
    }
    quint32 tail = 0;
    for (qsizetype i = bytes.size() - 1; i >= at; --i)
        tail = (tail << 8) | static_cast<unsigned char>(bytes[i]);
    if (at < bytes.size())
        hash ^= mixed(tail);
    hash ^= quint32(bytes.size());
    hash = (hash ^ (hash >> 16)) * 0x85ebca6bu;
    hash = (hash ^ (hash >> 13)) * 0xc2b2ae35u;
    return hash ^ (hash >> 16);
}

PartitionTransform parseTransform(const QString &text)
{
    PartitionTransform transform{.text = text};
    static const QRegularExpression shape(QStringLiteral(R"(^([a-z]+)(\[(\d{1,9})\])?$)"));
    const auto match = shape.match(text);
    if (!match.hasMatch())
        return transform;
    for (const auto &[kind, name] : kNames) {
        const int argument = match.capturedView(3).toInt();
        if (match.capturedView(1) != name || takesArgument(kind) != match.hasCaptured(3) ||
            (takesArgument(kind) && argument < 1))
            continue;
        transform.kind = kind;
        transform.argument = argument;
    }
    return transform;
}

PartitionTransform makeTransform(Transform kind, int argument)
{
    for (const auto &[value, name] : kNames) {
        if (value == kind)
            return {kind, argument,
                    takesArgument(kind)
                        ? QStringLiteral("%1[%2]").arg(name, QString::number(argument))
                        : name.toString()};
    }
    Q_UNREACHABLE();
}

Result<FieldType> transformedType(const PartitionTransform &transform, const FieldType &source)
{
    if (!transform.kind)
        return fail(unsupportedError(
            QStringLiteral("partition transform '%1' is not known").arg(transform.text)));
    if (!takes(*transform.kind, source))
        return fail(
            invalidError(QStringLiteral("partition transform %1 does not take a column of type %2")
                             .arg(transform.text, source.text())));
    switch (*transform.kind) {
    case Transform::Identity:
    case Transform::Void:
    case Transform::Truncate: return source;
    // The spec calls a day's result an int; every writer stores it as a date, which reads the same.
    case Transform::Day: return FieldType{.id = TypeId::Date};
    default: return FieldType{.id = TypeId::Int};
    }
}

Result<Literal> applyTransform(const PartitionTransform &transform, const FieldType &source,
                               const Literal &value)
{
    IVM_CHECK(transformedType(transform, source));
    if (value.isNull() || transform.kind == Transform::Void)
        return Literal{};
    switch (*transform.kind) {
    case Transform::Identity: return value;
    case Transform::Bucket: return bucketOf(value, transform.argument);
    case Transform::Truncate: return truncated(source, value, transform.argument);
    default: return Literal{calendarPart(*transform.kind, source, std::get<qint64>(value.data))};
    }
}

}  // namespace ivm::iceberg
