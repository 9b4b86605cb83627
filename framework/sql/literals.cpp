#include "framework/sql/literals.h"

#include "framework/sql/lexer.h"

#include <algorithm>
#include <limits>

namespace ivm::sql {

namespace {

bool isHexDigit(QChar c)
{
    return (c >= u'0' && c <= u'9') || (c >= u'a' && c <= u'f') || (c >= u'A' && c <= u'F');
}

// The code point after an escape character, and how many units both took.
struct Escaped {
    char32_t codePoint = 0;
    qsizetype size = 0;
};

// What stands at `at` of a unicode string's body, where its escape character is; the error is the
// message alone.
std::expected<Escaped, QString> escapedAt(QStringView body, qsizetype at, QChar escape)
{
    const QChar next = at + 1 < body.size() ? body[at + 1] : QChar();
    if (next == escape)
        return Escaped{escape.unicode(), 2};
    const bool isLong = next == u'+';
    const qsizetype start = at + (isLong ? 2 : 1);
    const qsizetype digits = isLong ? 6 : 4;
    const QStringView hex = body.sliced(std::min(start, body.size())).left(digits);
    if (hex.size() != digits || !std::ranges::all_of(hex, isHexDigit)) {
        return std::unexpected(
            QStringLiteral("found '%1' in a unicode string, expected %2XXXX or %2+XXXXXX with "
                           "hexadecimal digits")
                .arg(body.sliced(at).left(digits + 2), escape));
    }
    const uint value = hex.toUInt(nullptr, 16);
    if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) {
        return std::unexpected(
            QStringLiteral("found the code point %1 in a unicode string, which is not a character")
                .arg(hex));
    }
    return Escaped{value, start + digits - at};
}

}  // namespace

QString unquoted(QStringView quotedText)
{
    const QChar quote = quotedText.back();
    QString value = quotedText.sliced(1, quotedText.size() - 2).toString();
    return value.replace(QString(2, quote), QString(1, quote));
}

Result<QString> unicodeString(QStringView text, const Token &token, QChar escape)
{
    constexpr qsizetype kPrefix = 2;  // U&
    const QString body = unquoted(token.span.of(text).sliced(kPrefix));
    QString value;
    for (qsizetype at = 0; at < body.size();) {
        if (body[at] != escape) {
            value += body[at++];
            continue;
        }
        const auto escaped = escapedAt(body, at, escape);
        if (!escaped)
            return fail(syntaxError(text, token.span.begin, escaped.error()));
        value += QStringView(QChar::fromUcs4(escaped->codePoint));
        at += escaped->size;
    }
    return value;
}

Result<QByteArray> binaryValue(QStringView text, const Token &token)
{
    constexpr qsizetype kPrefix = 2;  // X'
    QByteArray digits;
    for (qsizetype at = token.span.begin + kPrefix; at < token.span.end - 1; ++at) {
        const QChar c = text[at];
        if (isHexDigit(c))
            digits += static_cast<char>(c.unicode());
        else if (c != u' ' && c != u'\t' && c != u'\r' && c != u'\n')
            return fail(
                syntaxError(text, at,
                            QStringLiteral("found '%1' in a binary literal, expected hexadecimal "
                                           "digits")
                                .arg(c)));
    }
    if (digits.size() % 2 != 0) {
        return fail(syntaxError(
            text, token.span.begin,
            QStringLiteral("found %1 digits in a binary literal, expected an even number")
                .arg(digits.size())));
    }
    return QByteArray::fromHex(digits);
}

Result<qint64> integerValue(QStringView text, const Token &token, bool negative)
{
    QString digits = token.span.of(text).toString().toLower().remove(u'_');
    int base = 10;
    if (digits.size() > 2 && digits[0] == u'0' && digits[1].isLetter()) {
        base = digits[1] == u'x' ? 16 : digits[1] == u'o' ? 8 : 2;
        digits.remove(0, 2);
    }
    bool ok = false;
    const quint64 magnitude = digits.toULongLong(&ok, base);
    constexpr quint64 kMost = static_cast<quint64>(std::numeric_limits<qint64>::max());
    if (!ok || magnitude > kMost + (negative ? 1 : 0)) {
        return fail(syntaxError(text, token.span.begin,
                                QStringLiteral("found %1, expected a number that fits into bigint")
                                    .arg(token.span.of(text).left(60))));
    }
    return negative ? static_cast<qint64>(0 - magnitude) : static_cast<qint64>(magnitude);
}

}  // namespace ivm::sql
