// Values of an engine as table cells and as JSON.
//
// Pure; any thread.
#pragma once

#include "framework/api/rows.h"

#include <QJsonValue>

namespace ivm {

// As Value::text(), but of a bare varchar the text itself.
QString cellText(const Value &value);

// NULL null, numbers as numbers (NaN and infinities as text), varbinary as hexadecimal text, arrays
// and rows as lists, a map as a list of [key, value].
QJsonValue valueJson(const Value &value, const Type &type);

// A timestamp with time zone as RFC 3339; empty for NULL.
QString timeText(const Value &value);

bool isNumeric(const Type &type);

}  // namespace ivm
