// Columns of a sort order as Trino's `sorted_by` property has them: "a", "\"b c\" DESC NULLS LAST".
//
// Pure; any thread. Source: Trino's documentation, "Iceberg connector", "Sorted tables".
#pragma once

#include <QString>

namespace ivm::migrate {

// The column's name, as it is spelled there.
QString sortColumn(const QString &text);
// The same for another column.
QString sortTextFor(const QString &text, const QString &column);
// One spelling of all that mean the same: lower-case name, no words that say the default.
QString canonicalSort(const QString &text);

}  // namespace ivm::migrate
