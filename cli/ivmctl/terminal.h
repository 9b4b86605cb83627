// What the user sees: results on stdout, everything else on stderr, and nothing from data that
// could drive the terminal.
//
// Threads: the main thread.
#pragma once

#include "framework/base/error.h"

#include <QJsonObject>
#include <QString>

namespace ivm::ctl {

// `text` with everything that is not plain to see spelled out: a line end as \n, an escape as \x1b,
// a character that reverses the reading direction as \u202e.
QString visible(QStringView text);

// "1 row", "1,000 rows".
QString counted(qint64 count, const char *one, const char *many);

// How many columns of a terminal the text takes; the text is visible().
qsizetype displayWidth(QStringView text);

// The document as one line of ASCII-safe JSON: control characters beyond those that JSON escapes
// are escaped too.
QByteArray jsonLine(const QJsonObject &document);

enum class Colour { Plain, Red, Green, Yellow, Dim, Bold };

struct TerminalSettings {
    bool json = false;
    bool quiet = false;
    bool colour = true;  // as far as the stream is a terminal
    QString folder;      // the working folder: paths in it are shown relative to it
};

class Terminal {
public:
    explicit Terminal(TerminalSettings settings);

    bool isJson() const { return m_settings.json; }

    // A line of the result. The text is made visible; `painted()` parts must come through paint()
    // and text().
    void line(const QString &safeText);
    void json(const QJsonObject &document);
    void raw(const QByteArray &bytes);

    // Text from outside, made visible on a terminal, and as it is for a program that reads it.
    QString forReader(const QString &text) const;
    // Text from outside, coloured when stdout is a terminal.
    QString paint(Colour colour, QStringView text) const;

    void error(const Error &error);
    void warning(const Error &error);
    // A remark that --quiet leaves out.
    void note(QStringView text);

    // A line on stderr that the next output replaces; only where stderr is a terminal.
    void progress(QStringView text);
    void endProgress();

    // Whether a person is there to be asked: both ends are terminals, and nothing asks for quiet.
    bool canAsk() const;
    // Whether the answer to the question begins with a y; no is what is taken for anything else.
    bool ask(QStringView question);

    // The place as the user would write it: relative to the working folder when it is in it.
    Error shown(Error error) const;

    // False when something could not be written to stdout.
    bool flush();

private:
    void complain(Colour colour, QStringView word, const Error &error);

    TerminalSettings m_settings;
    bool m_colourOut;
    bool m_colourErr;
    bool m_errIsTerminal;
    bool m_hasProgress = false;
};

}  // namespace ivm::ctl
