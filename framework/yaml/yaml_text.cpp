#include "framework/yaml/yaml_text.h"

#include <QStringDecoder>

#include <algorithm>

namespace ivm::yaml {

namespace {

Error yamlError(QString message) { return invalidError(std::move(message)).withCode(u"yaml"); }

bool isValidUtf8(const QByteArray &bytes)
{
    QStringDecoder decoder(QStringDecoder::Utf8, QStringDecoder::Flag::Stateless);
    const QString decoded = decoder(bytes);
    return !decoder.hasError();
}

// YAML 1.2, section 5.1: no control characters but tab and line ends. (yaml-cpp also ends at a
// byte 4.)
bool isForbidden(char c) { return (uchar(c) < 0x20 && c != '\t' && c != '\n') || c == 0x7f; }

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n'; }

}  // namespace

Result<SourceText> SourceText::read(const QByteArray &bytes, const QString &file)
{
    SourceText text;
    text.m_file = file;
    if (bytes.size() > kMaxBytes)
        return fail(yamlError(QStringLiteral("the file has %1 bytes, at most %2 are read")
                                  .arg(bytes.size())
                                  .arg(kMaxBytes))
                        .at({file, 0, 0}));
    text.m_bytes = bytes.startsWith("\xef\xbb\xbf") ? bytes.mid(3) : bytes;
    text.m_bytes.replace("\r\n", "\n").replace('\r', '\n');
    if (!text.m_bytes.endsWith('\n'))
        text.m_bytes.append('\n');
    text.m_lineStarts.append(0);
    for (qsizetype i = text.m_bytes.indexOf('\n'); i >= 0; i = text.m_bytes.indexOf('\n', i + 1))
        text.m_lineStarts.append(i + 1);

    for (qsizetype line = 0; line < text.lineCount(); ++line) {
        const qsizetype start = text.m_lineStarts[line];
        const qsizetype end =
            line + 1 < text.lineCount() ? text.m_lineStarts[line + 1] : text.m_bytes.size();
        const QByteArray part = text.m_bytes.mid(start, end - start);
        if (!isValidUtf8(part))
            return fail(yamlError(QStringLiteral("the line is not UTF-8 text"))
                            .at({file, int(line + 1), 1})
                            .withHint(u"Save the file as UTF-8"));
        const auto bad = std::ranges::find_if(part, isForbidden);
        if (bad != part.end())
            return fail(yamlError(QStringLiteral("control character 0x%1 is not allowed")
                                      .arg(int(uchar(*bad)), 2, 16, QLatin1Char('0')))
                            .at(text.place(line, bad - part.begin()))
                            .withHint(u"Remove it"));
    }
    return text;
}

qsizetype SourceText::offset(qsizetype line, qsizetype column) const
{
    if (line < 0 || line >= lineCount())
        return m_bytes.size();
    return std::min(m_lineStarts[line] + std::max<qsizetype>(column, 0), m_bytes.size());
}

QString SourceText::line(qsizetype line) const
{
    const qsizetype start = offset(line, 0);
    qsizetype end = m_bytes.indexOf('\n', start);
    if (end < 0)
        end = m_bytes.size();
    return QString::fromUtf8(m_bytes.mid(start, end - start));
}

Place SourceText::place(qsizetype line, qsizetype column) const
{
    const qsizetype known = std::clamp<qsizetype>(line, 0, lineCount() - 1);
    const qsizetype start = m_lineStarts[known];
    const QString before = QString::fromUtf8(m_bytes.mid(start, offset(known, column) - start));
    return {m_file, int(known + 1), int(before.size() + 1)};
}

qsizetype SourceText::closingQuote(qsizetype openingQuote) const
{
    const char quote = m_bytes[openingQuote];
    for (qsizetype i = openingQuote + 1; i < m_bytes.size(); ++i) {
        const bool doubled = quote == '\'' && m_bytes.mid(i, 2) == "''";
        if (doubled || (quote == '"' && m_bytes[i] == '\\'))
            ++i;
        else if (m_bytes[i] == quote)
            return i;
    }
    return -1;
}

bool SourceText::isUnclosed(const Place &start) const
{
    int depth = 0;
    qsizetype at =
        offset(start.line - 1, line(start.line - 1).left(start.column - 1).toUtf8().size());
    for (; at < m_bytes.size(); ++at) {
        const char c = m_bytes[at];
        const bool isAfterSpace = at == 0 || isSpace(m_bytes[at - 1]);
        const bool startsText = isAfterSpace || QByteArrayView("[{,:").contains(m_bytes[at - 1]);
        if (c == '[' || c == '{') {
            ++depth;
        } else if (c == ']' || c == '}') {
            --depth;
        } else if (c == '#' && isAfterSpace) {
            at = m_bytes.indexOf('\n', at);
        } else if ((c == '"' || c == '\'') && startsText) {
            const qsizetype end = closingQuote(at);
            at = end < 0 ? m_bytes.size() : end;
        }
        if (depth <= 0)
            return false;
    }
    return depth > 0;
}

// The lines of a block stand below its header, each without the block's indentation. (YAML 1.2,
// section 8.1)
void SourceText::locateBlock(qsizetype header, bool joinsLines, Node &scalar) const
{
    const QStringList lines = scalar.text.split(u'\n');
    qsizetype first = 0;
    while (first < lines.size() && lines[first].trimmed().isEmpty())
        ++first;
    const QString raw = line(header + 1 + first);
    const bool literal = first < lines.size() && raw.endsWith(lines[first]);
    const auto indent = literal ? raw.size() - lines[first].size() : raw.indexOf(raw.trimmed());
    scalar.textPlace = {m_file, int(header + 2), int(indent + 1)};
    scalar.textIndent = literal && !joinsLines ? int(indent) : -1;
    scalar.isFolded = joinsLines && raw.trimmed() != scalar.text.trimmed();
}

Status SourceText::locateText(qsizetype line, qsizetype column, Node &scalar) const
{
    // Anchor and tag stand before the text itself.
    qsizetype at = offset(line, column);
    while (at < m_bytes.size() && (m_bytes[at] == '&' || m_bytes[at] == '!')) {
        while (at < m_bytes.size() && !isSpace(m_bytes[at]))
            ++at;
        while (at < m_bytes.size() && isSpace(m_bytes[at]))
            ++at;
    }
    const qsizetype textLine =
        std::ranges::upper_bound(m_lineStarts, at) - m_lineStarts.begin() - 1;
    scalar.textPlace = place(textLine, at - m_lineStarts[textLine]);
    if (at >= m_bytes.size())
        return {};
    const char first = m_bytes[at];
    if (scalar.quoted && (first == '|' || first == '>')) {
        locateBlock(textLine, first == '>', scalar);
        return {};
    }
    const QByteArray bytes = scalar.text.toUtf8();
    if (scalar.quoted && (first == '"' || first == '\'')) {
        const qsizetype end = closingQuote(at);
        if (end < 0)
            return fail(yamlError(QStringLiteral("the quote that starts here is never closed"))
                            .at(scalar.textPlace));
        scalar.isFolded = m_bytes.mid(at, end - at).contains('\n');
        ++at;
        ++scalar.textPlace.column;
    } else {
        scalar.isFolded = m_bytes.mid(at, bytes.size()) != bytes;
    }
    if (!bytes.contains('\n') && m_bytes.mid(at, bytes.size()) == bytes)
        scalar.textIndent = 0;
    return {};
}

}  // namespace ivm::yaml
