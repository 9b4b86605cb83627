// Values of Trino's JSON answers, without loss, in the form of framework/api/rows.h.
//
// Pure functions; any thread. Source: Trino's client, `JsonDecodingUtils`: whole numbers and
// floating point as JSON numbers (NaN and the infinities as strings), booleans, varbinary in
// base64, arrays and rows as lists, maps as objects with keys as text, everything else as strings.
#pragma once

#include "framework/api/rows.h"
#include "plugins/trino_sql/raw_json.h"

namespace ivm::trino {

// Corrupt, naming the type and what was found, when the JSON does not fit; Unsupported for maps
// whose keys are nested.
Result<Value> readValue(const JsonNode &node, const Type &type);

// One row of a page. Corrupt when it has another number of values, else as readValue, naming the
// column.
Result<Row> readRow(const JsonNode &node, const QList<Column> &columns);

}  // namespace ivm::trino
