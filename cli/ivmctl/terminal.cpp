#include "cli/ivmctl/terminal.h"

#include <QLocale>
#include <QDir>
#include <QFile>
#include <QJsonDocument>

#include <algorithm>
#include <cstdio>

#include <unistd.h>

namespace ivm::ctl {

namespace {

// Characters that no reader sees, but that change what is seen: controls, line and paragraph
// separators, and the format characters, which include those that set the direction. A joiner is
// part of many scripts and of emoji.
bool isHidden(char32_t c)
{
    constexpr char32_t kNonJoiner = 0x200c;
    constexpr char32_t kJoiner = 0x200d;
    switch (QChar::category(c)) {
    case QChar::Other_Control:
    case QChar::Other_Surrogate:
    case QChar::Separator_Line:
    case QChar::Separator_Paragraph: return true;
    case QChar::Other_Format: return c != kNonJoiner && c != kJoiner;
    default: return false;
    }
}

QString spelledOut(char32_t c)
{
    switch (c) {
    case '\n': return QStringLiteral("\\n");
    case '\t': return QStringLiteral("\\t");
    case '\r': return QStringLiteral("\\r");
    default: break;
    }
    if (c < 0x100)
        return QStringLiteral("\\x%1").arg(uint(c), 2, 16, QLatin1Char('0'));
    return QStringLiteral("\\u%1").arg(uint(c), 4, 16, QLatin1Char('0'));
}

struct CodeRange {
    char32_t from;
    char32_t to;
};

// Unicode Standard Annex 11: the blocks whose characters are Wide or Fullwidth.
constexpr CodeRange kWide[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x33ff},   {0x3400, 0x4dbf},
    {0x4e00, 0x9fff},   {0xa000, 0xa4cf},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},
    {0xfe30, 0xfe4f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
};

int widthOf(char32_t c)
{
    switch (QChar::category(c)) {
    case QChar::Mark_NonSpacing:
    case QChar::Mark_Enclosing:
    case QChar::Other_Format: return 0;
    default: break;
    }
    return std::ranges::any_of(
               kWide, [c](const CodeRange &range) { return c >= range.from && c <= range.to; })
               ? 2
               : 1;
}

template <typename Use>
void eachCodePoint(QStringView text, Use use)
{
    for (qsizetype i = 0; i < text.size(); ++i) {
        char32_t c = text[i].unicode();
        if (text[i].isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate()) {
            c = QChar::surrogateToUcs4(text[i], text[i + 1]);
            ++i;
        }
        use(c);
    }
}

const char *codeOf(Colour colour)
{
    switch (colour) {
    case Colour::Plain: return "0";
    case Colour::Red: return "31";
    case Colour::Green: return "32";
    case Colour::Yellow: return "33";
    case Colour::Dim: return "2";
    case Colour::Bold: return "1";
    }
    Q_UNREACHABLE();
}

QString painted(bool really, Colour colour, const QString &safeText)
{
    if (!really || colour == Colour::Plain)
        return safeText;
    return QStringLiteral("\x1b[%1m%2\x1b[0m").arg(QLatin1StringView(codeOf(colour)), safeText);
}

void write(std::FILE *stream, const QString &text)
{
    const QByteArray bytes = text.toUtf8();
    std::fwrite(bytes.constData(), 1, size_t(bytes.size()), stream);
}

}  // namespace

QString counted(qint64 count, const char *one, const char *many)
{
    return QLocale(QLocale::English).toString(count) + u' ' +
           QString::fromLatin1(count == 1 ? one : many);
}

QString visible(QStringView text)
{
    QString out;
    out.reserve(text.size());
    eachCodePoint(text, [&](char32_t c) {
        if (isHidden(c))
            out += spelledOut(c);
        else
            out += QChar::fromUcs4(c);
    });
    return out;
}

qsizetype displayWidth(QStringView text)
{
    qsizetype width = 0;
    eachCodePoint(text, [&](char32_t c) { width += widthOf(c); });
    return width;
}

QByteArray jsonLine(const QJsonObject &document)
{
    const QByteArray json = QJsonDocument(document).toJson(QJsonDocument::Compact);
    QString out;
    out.reserve(json.size());
    eachCodePoint(QString::fromUtf8(json), [&](char32_t c) {
        if (c > 0x7e && c < 0x10000 && isHidden(c))
            out += QStringLiteral("\\u%1").arg(uint(c), 4, 16, QLatin1Char('0'));
        else
            out += QChar::fromUcs4(c);
    });
    return out.toUtf8() + '\n';
}

Terminal::Terminal(TerminalSettings settings)
    : m_settings(std::move(settings)), m_colourOut(m_settings.colour && isatty(STDOUT_FILENO)),
      m_colourErr(m_settings.colour && isatty(STDERR_FILENO)),
      m_errIsTerminal(isatty(STDERR_FILENO))
{
}

void Terminal::line(const QString &safeText)
{
    endProgress();
    write(stdout, safeText + u'\n');
}

void Terminal::json(const QJsonObject &document) { raw(jsonLine(document)); }

void Terminal::raw(const QByteArray &bytes)
{
    endProgress();
    std::fwrite(bytes.constData(), 1, size_t(bytes.size()), stdout);
}

QString Terminal::forReader(const QString &text) const
{
    return isatty(STDOUT_FILENO) ? visible(text) : text;
}

QString Terminal::paint(Colour colour, QStringView text) const
{
    return painted(m_colourOut, colour, visible(text));
}

Error Terminal::shown(Error error) const
{
    const QString inside = m_settings.folder + u'/';
    if (!m_settings.folder.isEmpty() && error.place.file.startsWith(inside))
        error.place.file.remove(0, inside.size());
    return error;
}

void Terminal::complain(Colour colour, QStringView word, const Error &error)
{
    endProgress();
    std::fflush(stdout);
    write(stderr,
          QStringLiteral("ivmctl: %1 %2\n")
              .arg(painted(m_colourErr, colour, word.toString()), visible(shown(error).text())));
}

void Terminal::error(const Error &error) { complain(Colour::Red, u"error:", error); }

void Terminal::warning(const Error &error)
{
    if (!m_settings.quiet)
        complain(Colour::Yellow, u"warning:", error);
}

void Terminal::note(QStringView text)
{
    if (m_settings.quiet)
        return;
    endProgress();
    std::fflush(stdout);
    write(stderr, visible(text) + u'\n');
}

void Terminal::progress(QStringView text)
{
    if (m_settings.quiet || !m_errIsTerminal)
        return;
    std::fflush(stdout);
    write(stderr, QStringLiteral("\r\x1b[K") + visible(text));
    m_hasProgress = true;
}

void Terminal::endProgress()
{
    if (m_hasProgress)
        write(stderr, QStringLiteral("\r\x1b[K"));
    m_hasProgress = false;
}

bool Terminal::canAsk() const
{
    return m_errIsTerminal && isatty(STDIN_FILENO) && !m_settings.quiet && !m_settings.json;
}

bool Terminal::ask(QStringView question)
{
    endProgress();
    std::fflush(stdout);
    write(stderr, visible(question) + QStringLiteral(" [y/N] "));
    QFile in;
    if (!in.open(stdin, QIODevice::ReadOnly))
        return false;
    return in.readLine().trimmed().toLower().startsWith('y');
}

bool Terminal::flush()
{
    endProgress();
    return std::fflush(stdout) == 0 && !std::ferror(stdout);
}

}  // namespace ivm::ctl
