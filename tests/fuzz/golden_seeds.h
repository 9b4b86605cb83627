// Seeds out of the golden folders: what people write, right and wrong.
//
// One thread.
#pragma once

#include "tests/support/golden.h"

#include <QDirIterator>

namespace ivm::fuzz {

// The whole inputs of every file below `folder`, and of those that hold a text a line, each line.
inline QList<QByteArray> goldenSeeds(const QString &folder)
{
    QList<QByteArray> seeds;
    QDirIterator files(QStringLiteral(IVM_SOURCE_DIR "/tests/golden/") + folder,
                       {QStringLiteral("*.txt")}, QDir::Files, QDirIterator::Subdirectories);
    QStringList paths;
    while (files.hasNext())
        paths.append(files.next());
    paths.sort();
    for (const auto &path : std::as_const(paths)) {
        for (const auto &one : test::readGolden(path))
            seeds.append(one.input.toUtf8());
    }
    return seeds;
}

inline QList<QByteArray> goldenLines(const QString &folder)
{
    QList<QByteArray> lines;
    for (const auto &seed : goldenSeeds(folder)) {
        for (const auto &line : seed.split('\n')) {
            if (!line.trimmed().isEmpty())
                lines.append(line);
        }
    }
    return lines;
}

// What SQL is made of.
inline QList<QByteArray> sqlWords()
{
    QList<QByteArray> words;
    for (const char *word : {" SELECT ",
                             " FROM ",
                             " WHERE ",
                             " GROUP BY ",
                             " AND ",
                             " OR ",
                             " NOT ",
                             " AS ",
                             " IN ",
                             " IS NULL",
                             " BETWEEN ",
                             " LIKE ",
                             " CASE WHEN ",
                             " THEN ",
                             " END",
                             " OVER (",
                             " UNION ",
                             " JOIN ",
                             " ON ",
                             " WITH ",
                             " VALUES ",
                             " CAST(",
                             " TIMESTAMP ",
                             " INTERVAL '1' DAY",
                             " AT TIME ZONE 'UTC'",
                             " FOR VERSION AS OF 1",
                             " FILTER (WHERE ",
                             " WITHIN GROUP (",
                             " LATERAL ",
                             " UNNEST(",
                             " ROW(",
                             " ARRAY[",
                             " MAP(",
                             " EXISTS (",
                             " ORDER BY ",
                             " LIMIT 1",
                             "date_trunc('day', ts)",
                             "count(*)",
                             "\"",
                             "'",
                             "''",
                             "\"\"",
                             "(",
                             ")",
                             "[",
                             "]",
                             ",",
                             ".",
                             ";",
                             "--",
                             "/*",
                             "*/",
                             "->",
                             "=>",
                             "||",
                             "::",
                             "?",
                             "1e400",
                             "0x",
                             "X'",
                             "U&'",
                             "\\",
                             "9223372036854775808",
                             "DECIMAL '",
                             "\xc3\xa9",
                             "\xf0\x9f\x98\x80",
                             "\xff",
                             "a",
                             "t",
                             "1"})
        words.append(word);
    words.append(QByteArray("\0", 1));
    return words;
}

}  // namespace ivm::fuzz
