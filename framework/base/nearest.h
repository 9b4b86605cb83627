// "Did you mean …?": the known name that a mistyped one is nearest to.
//
// Pure; any thread.
#pragma once

#include <QString>
#include <QStringList>

namespace ivm {

// The name with the fewest edits (insert, delete, replace, swap of neighbours), case aside; empty
// when none is near.
QString nearestName(QStringView name, const QStringList &known);

// "Did you mean 'x'?", or nothing where no name is near.
QString didYouMean(QStringView name, const QStringList &known);

// The hint for an unknown name: as above, or else the list "Known here: a, b", unless it is long.
QString nearestHint(QStringView name, const QStringList &known);

}  // namespace ivm
