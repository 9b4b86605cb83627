// The wall clock, passed in so that tests decide what time it is. Thread-safe.
#pragma once

#include <QDateTime>

namespace ivm {

class Clock {
public:
    virtual ~Clock() = default;
    // Always in UTC.
    virtual QDateTime now() const = 0;
};

class SystemClock final : public Clock {
public:
    QDateTime now() const override { return QDateTime::currentDateTimeUtc(); }
};

}  // namespace ivm
