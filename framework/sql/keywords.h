// Which words of Trino 476 cannot be names without quotes.
//
// Pure functions, safe in any thread.
#pragma once

#include <QStringView>

namespace ivm::sql {

// Letter case does not count: isReserved(u"Select").
bool isReserved(QStringView word);

// Whether two words of ASCII letters are the same, whatever their case.
bool sameWord(QStringView a, QStringView b);

}  // namespace ivm::sql
