// Literal patterns of Trino's functions, rewritten for DuckDB where both mean the same.
//
// Pure functions; any thread. Nothing is returned for what is not known to mean the same.
#pragma once

#include <QList>
#include <QString>

#include <optional>

namespace ivm::duckdb {

// A regular expression of the part of the language that Joni (Trino) and RE2 (DuckDB) share: no
// lookaround, back references, flags, word boundaries, possessive quantifiers, nor a repeated group
// that can match nothing.
struct Pattern {
    QString text;
    bool canBeEmpty = false;      // matches the empty text
    bool endsAnywhere = false;    // holds $, which takes a last line feed with it in `text`
    bool startsAnywhere = false;  // holds ^
    QList<bool> groups;           // of each capturing group, whether every match goes through it
};
std::optional<Pattern> readPattern(const QString &pattern);

// A replacement text with $1 for the groups that every match goes through.
std::optional<QString> replacementText(const QString &replacement, const Pattern &pattern);

// The formats of date_format and format_datetime, as strftime takes them.
std::optional<QString> mysqlFormat(const QString &format);
// A format of date_parse as strptime and strftime take it: with a year, and each field once.
std::optional<QString> mysqlDate(const QString &format);
std::optional<QString> javaFormat(const QString &format);

}  // namespace ivm::duckdb
