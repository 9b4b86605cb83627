// Decides which view is refreshed when.
//
// A view is due when a look at the tables found it out of date, when a view that it reads has
// committed, or when somebody asks. Due views start in the order in which they became so; never two
// of one view at once, never one whose own sources are about to be refreshed, and no more at once
// than allowed. A view that failed waits twice as long after each failure. Ticks that were missed
// are not made up for: being due twice is being due once.
//
// Knows no engine, thread or clock: it is told what happened and when. Threads: one.
#pragma once

#include "framework/refresh/outcome.h"
#include "framework/view/graph.h"

#include <chrono>

namespace ivm {

class Scheduler {
public:
    using Time = std::chrono::steady_clock::time_point;
    using Duration = std::chrono::milliseconds;

    struct Limits {
        int parallel = 4;
        Duration longestRetry = std::chrono::minutes(5);
    };

    struct Start {
        QString view;
        RefreshMode mode = RefreshMode::IfChanged;
    };

    enum class Waiting {
        None,     // up to date, as far as anybody has looked
        Sources,  // for the views that it reads
        Turn,     // for one of the places
        Running,
        Failing,  // for its next attempt
    };

    struct Progress {
        Waiting waiting = Waiting::None;
        std::optional<Time> dueSince;     // out of date since then
        std::optional<Time> nextAttempt;  // of Failing
        int failures = 0;                 // one after the other
    };

    explicit Scheduler(Limits limits) : m_limits(limits) {}

    // Replaces the views. One that stays as it is keeps what is known of it; a new one, and one
    // whose definition changed, is due at once. What runs goes on.
    void setViews(const QList<View> &views, Time now);

    // `pause`: not to start before then.
    void setDue(const QString &view, Time now, Duration pause = {});
    // What it failed for may be gone: its next attempt need not wait.
    void retry(const QString &view);
    // As setDue, but at once: before the others, and whatever its failures.
    void ask(const QString &view, RefreshMode mode, Time now);

    // The next view to start, which then runs until finished(). None: nothing can start now.
    std::optional<Start> next(Time now);

    struct Finished {
        bool committed = false;  // so that those that read it are due
        bool failed = false;
        bool transient =
            false;  // of a failure: somebody else was in the way, and will soon be gone
    };
    void finished(const QString &view, const Finished &how, Time now);

    // Something else is done with a view that does not run: until release() it does not start.
    void hold(const QString &view) { setHeld(view, true); }
    void release(const QString &view) { setHeld(view, false); }

    // When next() may give something without anything being told meanwhile.
    std::optional<Time> wakeAt(Time now) const;

    bool isRunning(const QString &view) const;
    int running() const { return m_running; }
    int queued(Time now) const;  // due, not running and not waiting for a next attempt
    Progress progress(const QString &view, Time now) const;

private:
    struct State {
        QString definition;  // hash
        QStringList readers;
        QStringList reads;
        std::optional<Time> due;
        quint64 place = 0;  // in the order of becoming due
        std::optional<RefreshMode> asked;
        bool running = false;
        bool dueAgain = false;  // while running
        // Of those it reads, what was refreshed since it became due: a source that is due again and
        // again must not keep it waiting for ever.
        QStringList refreshed;
        bool held = false;
        int failures = 0;
        Time notBefore = {};
    };

    void enqueue(State &state, Time now);
    void setHeld(const QString &view, bool held);
    bool isPending(const State &state, Time now) const;
    bool waitsForSources(const State &state, Time now) const;
    bool canStart(const State &state, Time now) const;

    Limits m_limits;
    QHash<QString, State> m_states;
    quint64 m_places = 0;
    int m_running = 0;
};

}  // namespace ivm
