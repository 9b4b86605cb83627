// What the text of a literal or a quoted name stands for.
//
// Pure functions, safe in any thread. Errors are Invalid with code `syntax`, placed in `text` at
// the offset where the token (or the fault in it) starts.
#pragma once

#include "framework/base/result.h"
#include "framework/sql/token.h"

#include <QByteArray>

namespace ivm::sql {

// Without the quotes around it, doubled ones undone: 'it''s' and "a""b".
QString unquoted(QStringView quotedText);

// U&'\0041' with the escape character of UESCAPE, `\` by default.
Result<QString> unicodeString(QStringView text, const Token &token, QChar escape);

// X'00 FF'
Result<QByteArray> binaryValue(QStringView text, const Token &token);

// 1_000, 0xFF …, negated when a minus stood before it. Refused outside of bigint.
Result<qint64> integerValue(QStringView text, const Token &token, bool negative);

}  // namespace ivm::sql
