// Types as they are written into statements.
//
// Pure functions; any thread.
#pragma once

#include "framework/api/types.h"

namespace ivm {

// As Type::text(), with every field name of a row quoted: names may be reserved words.
QString typeSql(const Type &type);

// The type of a column that holds values of `type`: an Iceberg table keeps six digits of a second
// and no lengths of texts, so timestamp(9) becomes timestamp(6) and varchar(10) varchar, nested
// ones included. Unsupported, naming the type, for those that no Iceberg table holds: json,
// intervals, time with time zone, unknown, and rows whose fields have no name.
Result<Type> columnType(const Type &type);

}  // namespace ivm
