// How far a time zone's wall clock may be from UTC, for planning.
//
// The engine's time zone database decides what a view holds; Qt's, which is read here, is another
// one. So the answer is wider than what Qt says, by more than any two databases differ:
// - An offset is at most 18 hours (java.time.ZoneOffset, and every offset of the tz database).
// - For instants since 1972 the databases in use give offsets that differ by three hours at most:
//   by an announcement that one of them has and the other has not (Casey, 2023: three hours), or by
//   a link between zones. Four hours are added.
// - Before 1972 they disagree about more (links that replace a zone's own past, days that were
//   skipped or repeated where the date line moved), a stretch of more than 400 days is not looked
//   through, and a zone that Qt does not know may be known to the engine: then the answer is 18
//   hours either way.
//
// Pure; any thread.
#pragma once

#include "framework/view/bucket.h"

namespace ivm {

// The wall clock shows UTC plus `low` to UTC plus `high`.
struct OffsetRange {
    Micros low = 0;
    Micros high = 0;

    bool operator==(const OffsetRange &) const = default;
};

// Everything that the clock of `zone` may show at any instant from `from` to `to`. The zone is a
// name of the tz database, UTC, or a fixed offset such as +05:30 or UTC+5.
OffsetRange zoneOffsets(QStringView zone, Micros from, Micros to);

// How much two offsets of a zone may differ between `from` and `to`. A time that is counted on the
// zone's clock, such as a bucket's start or the same time a day later, is at most that far from
// where counting from the instant puts it: an hour where summer time starts, a day where the date
// line moves.
Micros zoneSlack(QStringView zone, Micros from, Micros to);

bool isUtc(QStringView zone);

}  // namespace ivm
