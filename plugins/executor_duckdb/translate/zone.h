// Time zones of timestamps, as far as the query's text names them.
//
// A value with a time zone is an instant to DuckDB. Its zone is a part of its type here: known
// before the query runs, or not at all. Trino and DuckDB have time zone data of their own; the
// table of zones holds those for which both agree (tests/trino/tst_language compares them), the
// others are refused.
// Pure functions; any thread.
#pragma once

#include "framework/api/types.h"

#include <optional>

namespace ivm::duckdb {

// The id of the zone that a text names, as Trino writes it: "America/Chicago", "+05:30", "UTC".
std::optional<QString> zoneId(QStringView written);
// Of a fixed distance from UTC; within 14 hours.
std::optional<QString> zoneId(int minutes);

// The zone of a timestamp with time zone; columns of tables are in UTC. Nothing where values of
// several zones meet.
std::optional<QString> zoneOf(const Type &type);
Type inZone(Type type, const QString &id);
Type inAnyZone(Type type);
// The type as the outside knows it, without zones.
Type withoutZones(Type type);
bool isUtc(const Type &type);

// DuckDB's text for the wall clock of an instant in a zone, a TIMESTAMP.
QString wallClock(const QString &instant, const QString &zone);
// The same zone as the first arguments of the macros below.
QString zoneArguments(const QString &zone);

// ivm_instant(zone…, micros): the instant, in microseconds, at which the zone's clock shows
// `micros`; in a gap and in a repeated hour as Trino takes it.
// ivm_instant_near(zone…, micros, original): the same, but with the original instant's distance
// from UTC where the clock shows that time more than once.
QStringList zoneMacros();

QStringList knownZones();
// Whether the zone is known to both engines, but not with the same history.
bool isToldDifferently(QStringView id);

}  // namespace ivm::duckdb
