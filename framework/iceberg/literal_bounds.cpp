#include "framework/iceberg/literal.h"

#include <cmath>

namespace ivm::iceberg {

namespace {

// What Iceberg's own writers keep of a text or of bytes.
constexpr int kBoundLength = 16;
constexpr char32_t kLastCodePoint = 0x10ffff;
constexpr char32_t kFirstSurrogate = 0xd800;
constexpr char32_t kAfterSurrogates = 0xe000;

bool isBytes(const FieldType &type)
{
    return type.id == TypeId::Binary || type.id == TypeId::Fixed;
}

std::optional<Literal> withoutNaN(const Literal &value, double zero)
{
    const double number = std::get<double>(value.data);
    if (std::isnan(number))
        return {};
    return number == 0 ? Literal{zero} : value;
}

// The least text of that many code points that is above everything that begins with `prefix`.
std::optional<Literal> textAbove(const QString &prefix)
{
    auto points = prefix.toUcs4();
    while (!points.isEmpty()) {
        const char32_t last = points.takeLast();
        if (last >= kLastCodePoint)
            continue;
        points.append(last + 1 == kFirstSurrogate ? kAfterSurrogates : last + 1);
        std::u32string text;
        for (const auto point : std::as_const(points))
            text += char32_t(point);
        return Literal{QString::fromStdU32String(text)};
    }
    return {};
}

std::optional<Literal> bytesAbove(QByteArray prefix)
{
    while (prefix.endsWith('\xff'))
        prefix.chop(1);
    if (prefix.isEmpty())
        return {};
    prefix.back() = char(static_cast<unsigned char>(prefix.back()) + 1);
    return Literal{prefix};
}

}  // namespace

QString firstCodePoints(const QString &text, int count)
{
    qsizetype at = 0;
    for (int taken = 0; taken < count && at < text.size(); ++taken)
        at += text[at].isHighSurrogate() && at + 1 < text.size() ? 2 : 1;
    return text.first(at);
}

std::optional<Literal> lowerBound(const FieldType &type, const Literal &least)
{
    if (std::holds_alternative<double>(least.data))
        return withoutNaN(least, -0.0);
    if (const auto *text = std::get_if<QString>(&least.data))
        return Literal{firstCodePoints(*text, kBoundLength)};
    if (const auto *bytes = std::get_if<QByteArray>(&least.data); bytes && isBytes(type))
        return Literal{bytes->first(std::min<qsizetype>(kBoundLength, bytes->size()))};
    return least;
}

std::optional<Literal> upperBound(const FieldType &type, const Literal &greatest)
{
    if (std::holds_alternative<double>(greatest.data))
        return withoutNaN(greatest, 0.0);
    if (const auto *text = std::get_if<QString>(&greatest.data)) {
        const QString prefix = firstCodePoints(*text, kBoundLength);
        return prefix.size() == text->size() ? greatest : textAbove(prefix);
    }
    if (const auto *bytes = std::get_if<QByteArray>(&greatest.data);
        bytes && isBytes(type) && bytes->size() > kBoundLength)
        return bytesAbove(bytes->first(kBoundLength));
    return greatest;
}

}  // namespace ivm::iceberg
