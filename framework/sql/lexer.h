// From text to tokens, by the rules of Trino's grammar.
//
// Pure function, safe in any thread; time and memory are proportional to the text.
#pragma once

#include "framework/base/result.h"
#include "framework/sql/token.h"

#include <optional>
#include <vector>

namespace ivm::sql {

// All tokens and one End at last; comments and white space are left out.
// Invalid with code `syntax` and its place: a character that starts nothing, a string, name or
// comment without its end (placed where it starts), a name that starts with a digit.
Result<std::vector<Token>> tokenize(QStringView text);

// Where the first comment starts that ends with its line (--); none without one, or where the text
// cannot be read that far.
std::optional<qsizetype> findLineComment(QStringView text);

// An error of code `syntax` at an offset of the text.
Error syntaxError(QStringView text, qsizetype offset, const QString &message);

}  // namespace ivm::sql
