// The text of a YAML file by lines: turns yaml-cpp's byte positions into places, and finds where a
// scalar's text stands.
//
// Plain data; any thread.
#pragma once

#include "framework/yaml/yaml.h"

namespace ivm::yaml {

class SourceText {
public:
    // Cleans the bytes: no byte order mark, '\n' as the only line end. Invalid when they are not
    // UTF-8 text of acceptable size.
    static Result<SourceText> read(const QByteArray &bytes, const QString &file);

    const QByteArray &bytes() const { return m_bytes; }

    // `line` counts from 0, `column` in bytes from 0; both are taken to the nearest place that
    // exists.
    Place place(qsizetype line, qsizetype column) const;
    // The file's line number `line` (from 0); empty past the end.
    QString line(qsizetype line) const;
    // Whether a list in [] or a map in {} starts there and has no end.
    bool isUnclosed(const Place &start) const;
    qsizetype lineCount() const { return m_lineStarts.size(); }

    // Fills textPlace, textIndent and isFolded of the scalar whose node starts there. Invalid for a
    // quote that is never closed.
    Status locateText(qsizetype line, qsizetype column, Node &scalar) const;

private:
    qsizetype offset(qsizetype line, qsizetype column) const;
    void locateBlock(qsizetype header, bool joinsLines, Node &scalar) const;
    qsizetype closingQuote(qsizetype openingQuote) const;  // -1 where there is none

    QByteArray m_bytes;
    QString m_file;
    QList<qsizetype> m_lineStarts;
};

}  // namespace ivm::yaml
