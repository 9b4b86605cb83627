// Dates, times and zones.
#include "plugins/executor_duckdb/translate/functions/families.h"

namespace ivm::duckdb {

// clang-format off
namespace {

#define IVM_DAY_UNITS u"one of day week month quarter year"
#define IVM_CLOCK_UNITS u"one of millisecond second minute hour"
#define IVM_UNITS u"one of millisecond second minute hour day week month quarter year"
#define IVM_TIMESTAMP u"exactly timestamp(p)"
#define IVM_ZONED u"exactly timestamp(p) with time zone"

#define IVM_PART(name, part)                                                                       \
    {name, u"M", u"bigint", u"date_part('" part u"', {local0})"}

// The instant at which the zone's clock shows `time`, with the distance from UTC of `original`
// where it can be.
#define IVM_NEAR(time, original)                                                                   \
    u"make_timestamptz(ivm_instant_near({zone}, epoch_us(" time u"), epoch_us(" original u")))"

// Units of time by their number: a DuckDB interval.
#define IVM_CLOCK_INTERVAL                                                                         \
    u"to_microseconds({1} * CASE lower({0}) WHEN 'millisecond' THEN CAST(1000 AS BIGINT) "         \
    u"WHEN 'second' THEN 1000000 WHEN 'minute' THEN 60000000 ELSE 3600000000 END)"
#define IVM_DAY_INTERVAL                                                                           \
    u"CASE lower({0}) WHEN 'day' THEN to_days(CAST({1} AS INTEGER)) "                              \
    u"WHEN 'week' THEN to_days(CAST({1} * 7 AS INTEGER)) "                                         \
    u"WHEN 'month' THEN to_months(CAST({1} AS INTEGER)) "                                          \
    u"WHEN 'quarter' THEN to_months(CAST({1} * 3 AS INTEGER)) "                                    \
    u"ELSE to_months(CAST({1} * 12 AS INTEGER)) END"

// Whole milliseconds since 1970, earlier ones counted down.
#define IVM_MICROS_OF_MILLI(time) u"((epoch_us(" time u") % 1000 + 1000) % 1000)"
#define IVM_MILLIS(time) u"((epoch_us(" time u") - " IVM_MICROS_OF_MILLI(time) u") // 1000)"
#define IVM_MILLIS_BETWEEN(a, b) u"(" IVM_MILLIS(b) u" - " IVM_MILLIS(a) u")"
#define IVM_CLOCK_UNIT                                                                             \
    u"CASE lower({0}) WHEN 'millisecond' THEN CAST(1 AS BIGINT) WHEN 'second' THEN 1000 "          \
    u"WHEN 'minute' THEN 60000 ELSE 3600000 END"
#define IVM_CLOCK_BETWEEN u"(" IVM_MILLIS_BETWEEN(u"{1}", u"{2}") u" // " IVM_CLOCK_UNIT u")"
#define IVM_DAYS_BETWEEN(a, b)                                                                     \
    u"(" IVM_MILLIS_BETWEEN(a, b) u" // CASE lower({0}) WHEN 'day' "                               \
    u"THEN CAST(86400000 AS BIGINT) ELSE 604800000 END)"
#define IVM_MONTHS_BETWEEN(a, b)                                                                   \
    u"date_sub({0}, make_timestamp(" IVM_MILLIS(a) u" * 1000), "                                   \
    u"make_timestamp(" IVM_MILLIS(b) u" * 1000))"

// Seconds to the nearest millisecond, halves towards the future; NaN is 0.
#define IVM_FROM_SECONDS                                                                           \
    u"make_timestamptz(CAST(CASE WHEN isnan({0}) THEN 0 "                                          \
    u"WHEN {0} * 1000 - floor({0} * 1000) >= 0.5 THEN floor({0} * 1000) + 1 "                      \
    u"ELSE floor({0} * 1000) END AS BIGINT) * 1000)"

#define IVM_WITH_YEAR_TO_9999(time, value)                                                         \
    u"CASE WHEN date_part('year', " time u") < 1 OR date_part('year', " time u") > 9999 "          \
    u"THEN error('years outside of 0001 to 9999 as text are not in the embedded engine') "         \
    u"ELSE " value u" END"
// Formats know milliseconds, to which Trino rounds.
#define IVM_WHOLE_MILLIS u"date_trunc('millisecond', {local0} + to_microseconds(500))"
#define IVM_FORMATTED                                                                              \
    IVM_WITH_YEAR_TO_9999(IVM_WHOLE_MILLIS, u"strftime(" IVM_WHOLE_MILLIS u", {1})")
#define IVM_ISO_TIME(suffix)                                                                       \
    IVM_WITH_YEAR_TO_9999(u"{local0}", u"(left(strftime({local0}, '%Y-%m-%dT%H:%M:%S.%f'), "       \
                                       u"{=19+min(p,1)+p}) || '" suffix u"')")

// A text in the one form that every reader takes alike.
#define IVM_READ_ISO(form, value)                                                                  \
    u"CASE WHEN {0} IS NULL OR regexp_full_match({0}, '" form u"') THEN " value                    \
    u" ELSE error('''' || {0} || ''' cannot be read as {name} by the embedded engine') END"
#define IVM_ISO_DATE_FORM u"\\d\\d\\d\\d-\\d\\d-\\d\\d"
#define IVM_UP_TO_6_DIGITS u"\\d?\\d?\\d?\\d?\\d?\\d?"
#define IVM_ISO_TIME_FORM                                                                          \
    IVM_ISO_DATE_FORM u"(T([01]\\d|2[0-3]):\\d\\d:\\d\\d"                                          \
                      u"(\\.\\d\\d?\\d?" IVM_UP_TO_6_DIGITS u")?(Z|\\+00:00)?)?"

#define IVM_INTERVAL_PART(name, value) {name, u"interval day to second", u"bigint", value}

constexpr FunctionRow kRows[] = {
    {u"date", u"varchar(n)", u"date", u"{cast}"},
    {u"date", u"timestamp(p)", u"date", u"{cast}"},
    {u"date", u"timestamp(p) with time zone", u"date", u"{cast}"},

    {u"date_trunc", IVM_DAY_UNITS u", date", u"date", u"CAST(date_trunc({0}, {1}) AS DATE)"},
    {u"date_trunc", IVM_UNITS u", " IVM_TIMESTAMP, u"timestamp(p)", u"date_trunc({0}, {1})"},
    {u"date_trunc", IVM_UNITS u", " IVM_ZONED, u"timestamp(p) with time zone",
     u"CAST(date_trunc({0}, CAST({1} AS TIMESTAMP)) AS TIMESTAMPTZ)", kScalar, kExact, u"utc"},
    {u"date_trunc", IVM_CLOCK_UNITS u", " IVM_ZONED, u"timestamp(p) with time zone",
     u"make_timestamptz(epoch_us({1}) - (epoch_us({local1}) - "
     u"epoch_us(date_trunc({0}, {local1}))))"},
    {u"date_trunc", IVM_DAY_UNITS u", " IVM_ZONED, u"timestamp(p) with time zone",
     IVM_NEAR(u"date_trunc({0}, {local1})", u"{1}")},

    {u"date_add", IVM_DAY_UNITS u", bigint, date", u"date",
     u"CAST({2} + " IVM_DAY_INTERVAL u" AS DATE)"},
    {u"date_add", IVM_CLOCK_UNITS u", bigint, " IVM_TIMESTAMP, u"timestamp(p)",
     u"({2} + " IVM_CLOCK_INTERVAL u")", kScalar, kExact, u"p >= 3"},
    {u"date_add", u"one of second minute hour, bigint, " IVM_TIMESTAMP, u"timestamp(p)",
     u"({2} + " IVM_CLOCK_INTERVAL u")"},
    {u"date_add", IVM_DAY_UNITS u", bigint, " IVM_TIMESTAMP, u"timestamp(p)",
     u"({2} + " IVM_DAY_INTERVAL u")"},
    {u"date_add", IVM_CLOCK_UNITS u", bigint, " IVM_ZONED, u"timestamp(p) with time zone",
     u"CAST(CAST({2} AS TIMESTAMP) + " IVM_CLOCK_INTERVAL u" AS TIMESTAMPTZ)", kScalar, kExact,
     u"p >= 3"},
    {u"date_add", u"one of second minute hour, bigint, " IVM_ZONED, u"timestamp(p) with time zone",
     u"CAST(CAST({2} AS TIMESTAMP) + " IVM_CLOCK_INTERVAL u" AS TIMESTAMPTZ)"},
    {u"date_add", IVM_DAY_UNITS u", bigint, " IVM_ZONED, u"timestamp(p) with time zone",
     u"CAST(CAST({2} AS TIMESTAMP) + " IVM_DAY_INTERVAL u" AS TIMESTAMPTZ)", kScalar, kExact,
     u"utc"},
    {u"date_add", IVM_DAY_UNITS u", bigint, " IVM_ZONED, u"timestamp(p) with time zone",
     IVM_NEAR(u"{local2} + " IVM_DAY_INTERVAL, u"{2}")},

    {u"date_diff", u"one of day week, date, date", u"bigint", IVM_DAYS_BETWEEN(u"{1}", u"{2}")},
    {u"date_diff", u"one of month quarter year, date, date", u"bigint",
     IVM_MONTHS_BETWEEN(u"{1}", u"{2}")},
    {u"date_diff", IVM_CLOCK_UNITS u", exactly timestamp(p), timestamp(q)", u"bigint",
     IVM_CLOCK_BETWEEN},
    {u"date_diff", IVM_CLOCK_UNITS u", timestamp(p), exactly timestamp(q)", u"bigint",
     IVM_CLOCK_BETWEEN},
    {u"date_diff", u"one of day week, timestamp(p), timestamp(q)", u"bigint",
     IVM_DAYS_BETWEEN(u"{1}", u"{2}")},
    {u"date_diff", u"one of month quarter year, timestamp(p), timestamp(q)", u"bigint",
     IVM_MONTHS_BETWEEN(u"{1}", u"{2}")},
    {u"date_diff",
     IVM_CLOCK_UNITS u", exactly timestamp(p) with time zone, timestamp(q) with time zone",
     u"bigint", IVM_CLOCK_BETWEEN},
    {u"date_diff",
     IVM_CLOCK_UNITS u", timestamp(p) with time zone, exactly timestamp(q) with time zone",
     u"bigint", IVM_CLOCK_BETWEEN},
    // Past milliseconds Trino counts days in UTC.
    {u"date_diff", u"one of day week, timestamp(p) with time zone, timestamp(q) with time zone",
     u"bigint", IVM_DAYS_BETWEEN(u"{1}", u"{2}"), kScalar, kExact, u"max(p,q) > 3"},
    {u"date_diff", u"one of day week, timestamp(p) with time zone, timestamp(q) with time zone",
     u"bigint", IVM_DAYS_BETWEEN(u"{local1}", u"{local2}")},
    {u"date_diff",
     u"one of month quarter year, timestamp(p) with time zone, timestamp(q) with time zone",
     u"bigint", IVM_MONTHS_BETWEEN(u"{1}", u"{2}"), kScalar, kExact, u"max(p,q) > 3"},
    {u"date_diff",
     u"one of month quarter year, timestamp(p) with time zone, timestamp(q) with time zone",
     u"bigint", IVM_MONTHS_BETWEEN(u"{local1}", u"{local2}")},

    {u"last_day_of_month", u"M", u"date", u"last_day({local0})", kScalar, kExact, u"utc"},

    {u"at_timezone", u"timestamp(p) with time zone, zone", u"timestamp(p) with time zone", u"{0}"},
    {u"with_timezone", u"timestamp(p), zone", u"timestamp(p) with time zone",
     u"make_timestamptz(ivm_instant({zone}, epoch_us({0})))"},
    {u"from_unixtime", u"double", u"timestamp(3) with time zone", IVM_FROM_SECONDS},
    {u"from_unixtime", u"double, zone", u"timestamp(3) with time zone", IVM_FROM_SECONDS},
    {u"to_unixtime", u"timestamp(p) with time zone", u"double",
     u"(" IVM_MILLIS(u"{0}") u" / CAST(1000 AS DOUBLE) + "
     IVM_MICROS_OF_MILLI(u"{0}") u" * 1000000 / CAST(1e12 AS DOUBLE))"},
    {u"timezone_hour", u"exactly timestamp(p) with time zone", u"bigint",
     u"((epoch_us({local0}) - epoch_us({0})) // 3600000000)"},
    {u"timezone_minute", u"exactly timestamp(p) with time zone", u"bigint",
     u"((epoch_us({local0}) - epoch_us({0})) // 60000000 % 60)"},

    {u"date_format", u"M, mysql format", u"varchar", IVM_FORMATTED},
    {u"date_parse", u"varchar(n), mysql date", u"timestamp(3)",
     u"CASE WHEN {0} IS NULL THEN NULL "
     u"WHEN strftime(try_strptime({0}, {1}), {1}) = {0} THEN strptime({0}, {1}) "
     u"ELSE error('''' || {0} || ''' cannot be read as {name} by the embedded engine') END"},
    {u"format_datetime", u"M, java format", u"varchar", IVM_FORMATTED},
    {u"to_iso8601", u"date", u"varchar(16)",
     IVM_WITH_YEAR_TO_9999(u"{0}", u"strftime({0}, '%Y-%m-%d')")},
    {u"to_iso8601", u"exactly timestamp(p)", u"varchar(22+min(p,1)+p)", IVM_ISO_TIME(u"")},
    {u"to_iso8601", u"exactly timestamp(p) with time zone", u"varchar(28+min(p,1)+p)",
     IVM_ISO_TIME(u"Z"), kScalar, kExact, u"utc"},
    {u"from_iso8601_date", u"varchar(n)", u"date",
     IVM_READ_ISO(IVM_ISO_DATE_FORM, u"CAST({0} AS DATE)")},
    // Digits past milliseconds are left out, before 1970 too.
    {u"from_iso8601_timestamp", u"varchar(n)", u"timestamp(3) with time zone",
     IVM_READ_ISO(IVM_ISO_TIME_FORM,
                  u"CAST(CAST(regexp_extract({0}, '^[^Z+.]*(\\.\\d\\d?\\d?)?') AS TIMESTAMP) "
                  u"AS TIMESTAMPTZ)")},

    IVM_INTERVAL_PART(u"day", u"({0} // 86400000)"),
    IVM_INTERVAL_PART(u"hour", u"({0} % 86400000 // 3600000)"),
    IVM_INTERVAL_PART(u"minute", u"({0} % 3600000 // 60000)"),
    IVM_INTERVAL_PART(u"second", u"({0} % 60000 // 1000)"),
    IVM_INTERVAL_PART(u"millisecond", u"({0} % 1000)"),
    {u"year", u"interval year to month", u"bigint", u"CAST({0} // 12 AS BIGINT)"},
    {u"month", u"interval year to month", u"bigint", u"CAST({0} % 12 AS BIGINT)"},
    IVM_PART(u"year", u"year"),
    IVM_PART(u"quarter", u"quarter"),
    IVM_PART(u"month", u"month"),
    IVM_PART(u"week", u"week"),
    IVM_PART(u"week_of_year", u"week"),
    IVM_PART(u"year_of_week", u"isoyear"),
    IVM_PART(u"yow", u"isoyear"),
    IVM_PART(u"day", u"day"),
    IVM_PART(u"day_of_month", u"day"),
    IVM_PART(u"day_of_week", u"isodow"),
    IVM_PART(u"dow", u"isodow"),
    IVM_PART(u"day_of_year", u"doy"),
    IVM_PART(u"doy", u"doy"),
    IVM_PART(u"hour", u"hour"),
    IVM_PART(u"minute", u"minute"),
    IVM_PART(u"second", u"second"),
    {u"millisecond", u"M", u"bigint",
     u"(date_part('millisecond', {local0}) % CAST(1000 AS BIGINT))"},
};

}  // namespace
// clang-format on

std::span<const FunctionRow> timeFunctions() { return kRows; }

}  // namespace ivm::duckdb
