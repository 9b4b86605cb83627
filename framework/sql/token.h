// The words, names, numbers, strings and signs that a SQL text is made of.
//
// Plain data; a token belongs to the text it was found in.
#pragma once

#include "framework/sql/span.h"

namespace ivm::sql {

enum class TokenKind : quint8 {
    End,            // after the last one; its span is empty
    Word,           // select, my_column: keywords are not told apart from names here
    QuotedName,     // "…"
    String,         // '…'
    UnicodeString,  // U&'…'
    Binary,         // X'…'
    Integer,        // 1, 1_000, 0xFF, 0o17, 0b1
    Decimal,        // 1.5, 1., .5
    Double,         // 1e3, 1.5E-3
    Symbol,         // one of = <> != < <= > >= + - * / % || ? ; ( ) [ ] , . : -> =>
};

struct Token {
    TokenKind kind = TokenKind::End;
    Span span;
};

}  // namespace ivm::sql
