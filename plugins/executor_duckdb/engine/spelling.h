// Dates, times, decimals and the like as Trino prints them.
//
// Pure functions; any thread.
#pragma once

#include <QString>

namespace ivm::duckdb {

using Int128 = __int128;

// 150 with scale 2 is "1.50"; all of an Int128's digits.
QString decimalText(Int128 unscaled, int scale);
// Days since 1970-01-01 in the proleptic Gregorian calendar: "2001-01-31", "-0044-03-15",
// "+12000-01-01".
QString dateText(qint64 days);
// Nanoseconds of the day: "12:00:00.123" with `digits` digits of the second's fraction, cut off
// behind them.
QString timeText(qint64 nanos, int digits);
// Units since the epoch, `perSecond` of them a second: "2001-01-31 12:00:00.000000".
QString timestampText(qint64 units, qint64 perSecond, int digits);
// 16 bytes as two halves: "00112233-4455-6677-8899-aabbccddeeff".
QString uuidText(quint64 upper, quint64 lower);
// Trino's intervals: "1-2" and "3 04:05:06.789".
QString yearToMonthText(qint64 months);
QString dayToSecondText(qint64 micros);

}  // namespace ivm::duckdb
