#include "framework/view/unix_time.h"

namespace ivm {

namespace {

// What seconds as a double, and their rounding to milliseconds, can be off.
constexpr Micros kSecondsSlack = 1'000;

}  // namespace

Following secondsOf(Following time)
{
    time.domain = Following::Domain::Seconds;
    time.zone.clear();
    time.floorOf.reset();
    time.startsUnit.reset();
    return time;
}

// To the nearest whole second.
Following roundedSeconds(const Following &seconds)
{
    Following rounded =
        seconds.with(Shift{-600'000, 600'000}, seconds.words)
            .with(Divide{kMicrosPerSecond}, QStringLiteral("the second of ") + seconds.words);
    rounded.domain = Following::Domain::Number;
    return rounded;
}

Following flooredSeconds(const Following &seconds, qint64 by)
{
    return seconds.with(Shift{-by * kMicrosPerSecond - kSecondsSlack, kSecondsSlack},
                        QStringLiteral("%1 seconds of %2").arg(by).arg(seconds.words));
}

Following instantOf(const Following &seconds)
{
    Following instant = seconds.with(Shift{-kSecondsSlack, kSecondsSlack}, seconds.words);
    instant.domain = Following::Domain::Time;
    return instant;
}

Following instantOf(const Following &number, qint64 microsOfOne, Micros slack,
                    const QString &column)
{
    const auto &steps = number.steps;
    const auto *multiple = steps.isEmpty() ? nullptr : std::get_if<Multiply>(&steps.last());
    const QString words =
        multiple ? QStringLiteral("%1 seconds of %2").arg(multiple->by).arg(column) : column;
    Following instant = number.with(Multiply{microsOfOne}, words);
    if (slack > 0)
        instant = instant.with(Shift{-slack, slack}, words);
    instant.domain = Following::Domain::Time;
    return instant;
}

}  // namespace ivm
