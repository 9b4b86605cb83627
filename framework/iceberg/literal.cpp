#include "framework/iceberg/literal.h"

#include <QHashFunctions>
#include <QtEndian>

#include <bit>
#include <cmath>
#include <cstring>

namespace ivm::iceberg {

namespace {

constexpr qint64 kMicrosPerDay = 86'400'000'000;
constexpr qsizetype kMaxDecimalBytes = 16;
constexpr qsizetype kUuidBytes = 16;

template <typename T>
T littleEndian(QByteArrayView bytes)
{
    return qFromLittleEndian<T>(bytes.data());
}

template <typename T>
QByteArray littleEndianBytes(T value)
{
    QByteArray out(sizeof(T), Qt::Uninitialized);
    qToLittleEndian(value, out.data());
    return out;
}

std::optional<Literal> integerFromBytes(const FieldType &type, QByteArrayView bytes)
{
    const bool isWide = type.id != TypeId::Int && type.id != TypeId::Date;
    if (bytes.size() == 8 && isWide)
        return Literal{littleEndian<qint64>(bytes)};
    if (bytes.size() != 4 || type.id == TypeId::Time)
        return {};
    const qint64 value = littleEndian<qint32>(bytes);
    // Four bytes where a timestamp is expected are a date from before the column was promoted.
    const bool wasDate = type.id == TypeId::Timestamp || type.id == TypeId::Timestamptz;
    return Literal{wasDate ? value * kMicrosPerDay : value};
}

std::optional<Literal> floatFromBytes(const FieldType &type, QByteArrayView bytes)
{
    if (bytes.size() == 4)
        return Literal{double(std::bit_cast<float>(littleEndian<quint32>(bytes)))};
    if (bytes.size() == 8 && type.id == TypeId::Double)
        return Literal{std::bit_cast<double>(littleEndian<quint64>(bytes))};
    return {};
}

std::optional<Literal> readLiteral(const FieldType &type, QByteArrayView bytes)
{
    switch (type.id) {
    case TypeId::Boolean:
        return bytes.size() == 1 ? std::optional(Literal{bytes[0] != 0}) : std::nullopt;
    case TypeId::Int:
    case TypeId::Long:
    case TypeId::Date:
    case TypeId::Time:
    case TypeId::Timestamp:
    case TypeId::Timestamptz: return integerFromBytes(type, bytes);
    case TypeId::Float:
    case TypeId::Double: return floatFromBytes(type, bytes);
    case TypeId::Decimal:
        if (bytes.isEmpty() || bytes.size() > kMaxDecimalBytes)
            return {};
        return Literal{shortestDecimal(bytes)};
    case TypeId::String: return Literal{QString::fromUtf8(bytes)};
    case TypeId::Uuid:
        return bytes.size() == kUuidBytes ? std::optional(Literal{bytes.toByteArray()})
                                          : std::nullopt;
    case TypeId::Fixed:
    case TypeId::Binary: return Literal{bytes.toByteArray()};
    case TypeId::Struct:
    case TypeId::List:
    case TypeId::Map: break;
    }
    return {};
}

bool bytesLess(QByteArrayView left, QByteArrayView right)
{
    const auto common = std::min(left.size(), right.size());
    const int order = std::memcmp(left.data(), right.data(), size_t(common));
    return order != 0 ? order < 0 : left.size() < right.size();
}

// Both in their shortest form: then a longer one is farther from zero.
bool decimalLess(QByteArrayView left, QByteArrayView right)
{
    const bool leftNegative = !left.isEmpty() && static_cast<signed char>(left[0]) < 0;
    const bool rightNegative = !right.isEmpty() && static_cast<signed char>(right[0]) < 0;
    if (leftNegative != rightNegative)
        return leftNegative;
    if (left.size() != right.size())
        return (left.size() < right.size()) != leftNegative;
    return bytesLess(left, right);
}

// Equal for every NaN, different for the two zeros.
quint64 floatIdentity(double value)
{
    return std::isnan(value) ? ~quint64(0) : std::bit_cast<quint64>(value);
}

}  // namespace

bool Literal::operator==(const Literal &other) const
{
    const double *mine = std::get_if<double>(&data);
    const double *theirs = std::get_if<double>(&other.data);
    if (mine && theirs)
        return floatIdentity(*mine) == floatIdentity(*theirs);
    return data == other.data;
}

QString Literal::text() const
{
    if (const auto *value = std::get_if<bool>(&data))
        return *value ? QStringLiteral("true") : QStringLiteral("false");
    if (const auto *value = std::get_if<qint64>(&data))
        return QString::number(*value);
    if (const auto *value = std::get_if<double>(&data))
        return QString::number(*value, 'g', QLocale::FloatingPointShortest);
    if (const auto *value = std::get_if<QString>(&data))
        return *value;
    if (const auto *value = std::get_if<QByteArray>(&data))
        return QString::fromLatin1(value->toHex());
    return QStringLiteral("null");
}

size_t qHash(const Literal &literal, size_t seed)
{
    if (const auto *value = std::get_if<double>(&literal.data))
        return qHashMulti(seed, literal.data.index(), floatIdentity(*value));
    if (const auto *value = std::get_if<bool>(&literal.data))
        return qHashMulti(seed, literal.data.index(), *value);
    if (const auto *value = std::get_if<qint64>(&literal.data))
        return qHashMulti(seed, literal.data.index(), *value);
    if (const auto *value = std::get_if<QString>(&literal.data))
        return qHashMulti(seed, literal.data.index(), *value);
    if (const auto *value = std::get_if<QByteArray>(&literal.data))
        return qHashMulti(seed, literal.data.index(), *value);
    return seed;
}

Result<Literal> literalFromBytes(const FieldType &type, QByteArrayView bytes)
{
    if (auto literal = readLiteral(type, bytes))
        return *literal;
    return fail(corruptError(
        QStringLiteral("%1 bytes are no value of type %2").arg(bytes.size()).arg(type.text())));
}

QByteArray literalToBytes(const FieldType &type, const Literal &literal)
{
    if (const auto *value = std::get_if<bool>(&literal.data))
        return QByteArray(1, *value ? '\1' : '\0');
    if (const auto *value = std::get_if<qint64>(&literal.data)) {
        const bool isNarrow = type.id == TypeId::Int || type.id == TypeId::Date;
        return isNarrow ? littleEndianBytes(qint32(*value)) : littleEndianBytes(*value);
    }
    if (const auto *value = std::get_if<double>(&literal.data)) {
        return type.id == TypeId::Float ? littleEndianBytes(std::bit_cast<quint32>(float(*value)))
                                        : littleEndianBytes(std::bit_cast<quint64>(*value));
    }
    if (const auto *value = std::get_if<QString>(&literal.data))
        return value->toUtf8();
    if (const auto *value = std::get_if<QByteArray>(&literal.data))
        return *value;
    return {};
}

bool literalLess(const FieldType &type, const Literal &left, const Literal &right)
{
    if (left.data.index() != right.data.index())
        return left.data.index() < right.data.index();
    if (const auto *value = std::get_if<double>(&left.data)) {
        const double other = std::get<double>(right.data);
        return *value < other || (*value == other && std::signbit(*value) && !std::signbit(other));
    }
    if (const auto *value = std::get_if<QString>(&left.data))
        return bytesLess(value->toUtf8(), std::get<QString>(right.data).toUtf8());
    if (const auto *value = std::get_if<QByteArray>(&left.data)) {
        const auto &other = std::get<QByteArray>(right.data);
        return type.id == TypeId::Decimal ? decimalLess(*value, other) : bytesLess(*value, other);
    }
    return left.data < right.data;
}

QByteArray shortestDecimal(QByteArrayView bigEndian)
{
    // A leading byte says nothing when it only repeats the sign of the byte after it.
    while (bigEndian.size() > 1) {
        const auto first = static_cast<signed char>(bigEndian[0]);
        const bool nextIsNegative = static_cast<signed char>(bigEndian[1]) < 0;
        if (!(first == 0 && !nextIsNegative) && !(first == -1 && nextIsNegative))
            break;
        bigEndian = bigEndian.sliced(1);
    }
    return bigEndian.toByteArray();
}

}  // namespace ivm::iceberg
