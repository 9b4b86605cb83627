// Time buckets: which bucket an instant falls into, as far as planning needs to know.
//
// Calendar arithmetic here never decides what a view holds: statements filter on the user's own
// bucket expression, evaluated by the engine. It only says which buckets a file's bounds may touch,
// and may say too many.
//
// Pure functions and plain data; any thread. Instants are microseconds since 1970-01-01 00:00 UTC
// in the proleptic Gregorian calendar, which is also Trino's (documentation, "Date and time
// functions": date_trunc; weeks start on Monday).
#pragma once

#include "framework/api/types.h"

#include <QString>
#include <QStringView>

#include <optional>

namespace ivm {

using Micros = qint64;

inline constexpr Micros kMicrosPerSecond = 1'000'000;
inline constexpr Micros kMicrosPerDay = 86'400 * kMicrosPerSecond;

enum class BucketUnit { Millisecond, Second, Minute, Hour, Day, Week, Month, Quarter, Year };

std::optional<BucketUnit> bucketUnitFromName(QStringView name);  // case does not matter
QString bucketUnitName(BucketUnit unit);                         // "millisecond" … "year"

// The longest that a bucket of this unit can be: 31 days for a month.
Micros longestBucket(BucketUnit unit);

// How many of the unit fill the next larger one, where that is always the same: 12 months a year
// (quarters aside); else 0.
int perNextUnit(BucketUnit unit);

// The start of the bucket that `instant` is in, and that of the next one. Bounds near the ends of
// qint64 saturate.
Micros bucketStart(BucketUnit unit, Micros instant);
Micros nextBucketStart(BucketUnit unit, Micros start);

// Columns of these types can be bucketed.
bool isTimeType(const Type &type);

// A column's own unit (FileBounds) to microseconds; days saturate.
Micros microsFromColumnUnit(const Type &columnType, qint64 value);

// `value` as an SQL literal of the bucket's type: DATE '2001-01-31', TIMESTAMP '2001-01-31
// 12:00:00', with ' UTC' for a type with time zone; the number itself for an integer. A date is the
// one that `value` lies in. Nothing outside the years 1 to 9999, which literals cannot spell on
// every engine.
std::optional<QString> bucketLiteral(const Type &bucketType, Micros value);

// The bare text of the same: 2001-01-31, 2001-01-31 12:00:00.
std::optional<QString> bucketText(const Type &bucketType, Micros value);

// `value` or, where the type has days only, the first day that is not before it: what an upper
// bound needs.
Micros roundedUp(const Type &bucketType, Micros value);

}  // namespace ivm
