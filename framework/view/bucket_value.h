// What an expression inside a key is, roughly (bucket_reader.h), and what becomes of it when it is
// calculated with.
//
// Pure functions and plain data; any thread.
#pragma once

#include "framework/view/bucket_function.h"

#include <memory>

namespace ivm {

// A value that follows the column: the column itself, or what steps have made of it.
struct Following {
    // Column: as it stands in the table, a time or a number. Seconds: a double since 1970, whose
    // steps count microseconds.
    enum class Domain { Column, Time, Number, Seconds };

    Domain domain = Domain::Column;
    BucketFunction::Domain columnDomain = BucketFunction::Domain::Time;
    QList<BucketStep> steps;
    QString zone;    // that a time is shown in; empty: UTC
    int digits = 6;  // of the second's fraction, or more
    QString words;   // for people: "ts", "the hour of ts"

    // The start of whose bucket this is, if it is one.
    std::shared_ptr<const Following> floorOf;
    BucketUnit floorUnit = BucketUnit::Day;

    // Set where so many whole units were added to such a start: on a clock that is never set, that
    // is a start again.
    std::optional<BucketUnit> startsUnit;

    Following with(BucketStep step, QString itsWords) const;
    std::optional<Following> as(Domain wanted) const;
    // Whether both are certainly the same for every row: the steps say exactly what they are.
    bool isSame(const Following &other) const;
};

// What a bounded number is made of, where that tells more than its bounds.
struct PartOf {
    enum class Kind {
        Whole,      // minute(ts)
        Quotient,   // minute(ts) / 5
        Floor,      // minute(ts) / 5 * 5
        Remainder,  // minute(ts) % 5, x % 300
    };
    Kind kind = Kind::Whole;
    std::optional<BucketUnit> unit;  // of a clock; none: of the value itself
    Following of;
    qint64 by = 1;
    bool negated = false;
};

// A whole number between two bounds that do not depend on the column.
struct Amount {
    ValueInterval bounds;
    std::optional<PartOf> part;

    std::optional<qint64> constant() const;
    Amount negated() const;
};

// A number of units of time, each as long as `unit` says in microseconds.
struct Duration {
    ValueInterval unit;
    Amount count;

    ValueInterval bounds() const;
};

using BucketValue = std::variant<Following, Amount, Duration>;
using MaybeValue = std::optional<BucketValue>;

MaybeValue plus(const BucketValue &left, const BucketValue &right);
MaybeValue minus(const BucketValue &left, const BucketValue &right);
MaybeValue times(const BucketValue &left, const BucketValue &right);
MaybeValue divided(const BucketValue &left, const BucketValue &right);
MaybeValue modulo(const BucketValue &left, const BucketValue &right);
MaybeValue negated(const BucketValue &value);

// How long so many units are, from the shortest to the longest: a month has 28 to 31 days.
ValueInterval unitLength(BucketUnit unit, qint64 count);

// The start of the bucket of `unit` that a time is in.
Following floorTo(BucketUnit unit, const Following &time);

// A bucket of so many units, starting anew with each minute, hour or day.
Following bucketOfUnits(const Following &time, BucketUnit unit, qint64 count);

}  // namespace ivm
