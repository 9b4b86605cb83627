// "Did you mean …?": the known name that a mistyped one is nearest to.
//
// Pure; any thread.
#pragma once

#include <QString>
#include <QStringList>

namespace ivm::duckdb {

// "Did you mean 'x'?", or nothing where no name is near.
QString nearestHint(QStringView name, const QStringList &known);

}  // namespace ivm::duckdb
