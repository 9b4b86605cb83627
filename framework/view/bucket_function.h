// How far a key can be from the column that it is made of: what planning knows of a bucket
// expression, step by step from the column to the key.
//
// No step says what the key is; each says between which bounds it lies. So every answer holds at
// least what the engine can come to, and a key that is no bucket at all (a time moved by an hour)
// is followed like one.
//
// Pure functions and plain data; any thread. Values are microseconds since 1970 (UTC, or a wall
// clock's) in the domain Time, the numbers themselves in the domain Number.
#pragma once

#include "framework/view/range_set.h"

#include <limits>
#include <variant>

namespace ivm {

// Both ends included. The ends of qint64 stand for no bound.
struct ValueInterval {
    qint64 low = std::numeric_limits<qint64>::min();
    qint64 high = std::numeric_limits<qint64>::max();

    bool operator==(const ValueInterval &) const = default;
};

// The start of the bucket of `count` units, by the calendar of UTC. More than one unit only where
// they fill the next larger unit evenly (5 minutes, 6 hours).
struct Truncate {
    BucketUnit unit = BucketUnit::Day;
    int count = 1;
    bool operator==(const Truncate &) const = default;
};
// The value plus something from `low` to `high`; of an instant shown in a zone, counted on the
// zone's clock.
struct Shift {
    qint64 low = 0;
    qint64 high = 0;
    QString zone = {};  // empty: UTC
    bool operator==(const Shift &) const = default;
};
// A whole number divided as SQL does, toward zero; `by` is positive.
struct Divide {
    qint64 by = 1;
    bool operator==(const Divide &) const = default;
};
struct Multiply {
    qint64 by = 1;  // positive
    bool operator==(const Multiply &) const = default;
};
// From an instant to the wall clock of a zone.
struct ToLocal {
    QString zone;
    bool operator==(const ToLocal &) const = default;
};
using BucketStep = std::variant<Truncate, Shift, Divide, Multiply, ToLocal>;

class BucketFunction {
public:
    enum class Domain { Time, Number };

    Domain columnDomain = Domain::Time;
    Domain keyDomain = Domain::Time;
    QList<BucketStep> steps;

    // The keys that column values in the interval may have.
    ValueInterval keysOf(ValueInterval columns) const;
    // The column values that keys in the interval may be made of.
    ValueInterval columnsOf(ValueInterval keys) const;

    // The same as ranges of buckets. A bucket that is the last step's own ends where the next one
    // starts.
    BucketRange bucketsOf(qint64 lowest, qint64 highest) const;
    // Of the column, for rows whose keys are in `range`.
    BucketRange columnRange(const BucketRange &range) const;

    // Of a table that holds the keys: those that lie in the same buckets.
    BucketFunction ofKeys() const;

    // How far the key and the column may be apart, roughly: the finer of two buckets has less.
    qint64 spread() const;

    // Whether the types are those of the domains.
    bool fits(const Type &column, const Type &key) const;

    bool operator==(const BucketFunction &) const = default;
};

}  // namespace ivm
