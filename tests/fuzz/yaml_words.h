// What YAML files are made of, and the keys of ours.
//
// One thread.
#pragma once

#include <QByteArray>
#include <QList>

namespace ivm::fuzz {

inline QList<QByteArray> yamlWords()
{
    QList<QByteArray> words;
    for (const char *word : {": ",
                             "- ",
                             "\n  ",
                             "\n- ",
                             "\n",
                             "{",
                             "}",
                             "[",
                             "]",
                             ", ",
                             "&a ",
                             "*a",
                             "<<: *a",
                             "!!int ",
                             "!x ",
                             "|\n  ",
                             ">-\n  ",
                             "'",
                             "\"",
                             "\\",
                             "# ",
                             "---\n",
                             "...\n",
                             "\t",
                             "~",
                             "null",
                             "true",
                             "1e99",
                             "0x10",
                             "0o7",
                             ".nan",
                             "-1",
                             "99999999999999999999",
                             "\r\n",
                             "\xef\xbb\xbf",
                             "\xff",
                             "\xc3\xa9",
                             "%YAML 1.1\n",
                             "? ",
                             "name: ",
                             "query: ",
                             "views:\n",
                             "target_partitioning: ",
                             "server: {port: ",
                             "executor: ",
                             "plugin: ",
                             "path: ",
                             "interval: 5m",
                             "30s",
                             "ARRAY['day(x)']"})
        words.append(word);
    words.append(QByteArray("\0", 1));
    return words;
}

}  // namespace ivm::fuzz
