// Whose statements are at work, told by a comment that every statement of a session with a purpose
// carries: Trino's own list of statements shows their text, but not what a client says of itself.
//
// Threads: as the session.
#pragma once

#include "framework/api/executor.h"

namespace ivm::trino {

// A purpose as text of one line.
QString purposeLine(const QString &purpose);
// What goes behind such a statement: a line of its own. Empty for no purpose.
QString purposeComment(const QString &purpose);

// As Session::isAtWork, for those statements that this coordinator runs and the user may see.
Result<bool> isAtWork(Session &session, const QString &purpose, const Call &call);

}  // namespace ivm::trino
