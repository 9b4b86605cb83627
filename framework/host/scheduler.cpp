#include "framework/host/scheduler.h"

#include <algorithm>

namespace ivm {

namespace {

constexpr Scheduler::Duration kFirstRetry = std::chrono::seconds(1);
constexpr int kMostDoublings = 20;

}  // namespace

void Scheduler::setViews(const QList<View> &views, Time now)
{
    QHash<TableName, QString> byTarget;
    for (const auto &view : views)
        byTarget.insert(view.spec.target, view.spec.name);

    QHash<QString, State> old = std::exchange(m_states, {});
    for (const auto &view : views) {
        State state = old.take(view.spec.name);
        state.reads.clear();
        state.readers.clear();
        for (const auto &source : view.shape.sources) {
            if (const auto read = byTarget.constFind(source.table); read != byTarget.cend())
                state.reads.append(*read);
        }
        const QString definition = view.spec.definitionHash();
        if (state.definition != definition) {
            state.definition = definition;
            state.failures = 0;
            state.notBefore = {};
            enqueue(state, now);
        }
        m_states.insert(view.spec.name, state);
    }
    for (const auto &view : views) {
        const QStringList reads = m_states[view.spec.name].reads;
        for (const auto &read : reads)
            m_states[read].readers.append(view.spec.name);
    }
    // What is gone is only waited for.
    for (auto state = old.begin(); state != old.end(); ++state) {
        if (!state->running)
            continue;
        State gone;
        gone.running = true;
        m_states.insert(state.key(), gone);
    }
}

void Scheduler::enqueue(State &state, Time now)
{
    if (state.running) {
        state.dueAgain = true;
    } else if (!state.due) {
        state.due = now;
        state.place = ++m_places;
    }
}

void Scheduler::setDue(const QString &view, Time now, Duration pause)
{
    const auto found = m_states.find(view);
    if (found == m_states.end() || found->running)
        return;
    enqueue(*found, now);
    found->notBefore = std::max(found->notBefore, now + pause);
}

void Scheduler::retry(const QString &view)
{
    if (const auto found = m_states.find(view); found != m_states.end())
        found->notBefore = {};
}

void Scheduler::ask(const QString &view, RefreshMode mode, Time now)
{
    const auto found = m_states.find(view);
    if (found == m_states.end())
        return;
    // Who asked for all of it is not served with less.
    if (found->asked != RefreshMode::Full)
        found->asked = mode;
    found->notBefore = {};
    enqueue(*found, now);
}

void Scheduler::setHeld(const QString &view, bool held)
{
    if (const auto found = m_states.find(view); found != m_states.end())
        found->held = held;
}

bool Scheduler::isPending(const State &state, Time now) const
{
    return state.running || (state.due && state.notBefore <= now);
}

bool Scheduler::waitsForSources(const State &state, Time now) const
{
    return std::ranges::any_of(state.reads, [&](const QString &read) {
        return !state.refreshed.contains(read) && isPending(m_states.value(read), now);
    });
}

bool Scheduler::canStart(const State &state, Time now) const
{
    return state.due && !state.running && !state.held && state.notBefore <= now &&
           !waitsForSources(state, now);
}

std::optional<Scheduler::Start> Scheduler::next(Time now)
{
    if (m_running >= m_limits.parallel)
        return {};
    const auto before = [](const State &left, const State &right) {
        return left.asked.has_value() != right.asked.has_value() ? left.asked.has_value()
                                                                 : left.place < right.place;
    };
    auto best = m_states.end();
    for (auto state = m_states.begin(); state != m_states.end(); ++state) {
        if (canStart(*state, now) && (best == m_states.end() || before(*state, *best)))
            best = state;
    }
    if (best == m_states.end())
        return {};
    best->running = true;
    best->refreshed.clear();
    ++m_running;
    return Start{best.key(), std::exchange(best->asked, {}).value_or(RefreshMode::IfChanged)};
}

void Scheduler::finished(const QString &view, const Finished &how, Time now)
{
    const auto found = m_states.find(view);
    if (found == m_states.end() || !found->running)
        return;
    --m_running;
    if (found->definition.isEmpty()) {
        m_states.erase(found);
        return;
    }
    found->running = false;
    const bool again = std::exchange(found->dueAgain, false);
    if (how.failed) {
        const int doublings = how.transient ? 0 : std::min(found->failures++, kMostDoublings);
        found->notBefore = now + std::min(m_limits.longestRetry, kFirstRetry * (1 << doublings));
        found->place = ++m_places;
        if (found->asked)
            found->notBefore = {};
    } else {
        found->failures = 0;
        found->due.reset();
    }
    if (again)
        enqueue(*found, now);
    const QStringList readers = found->readers;
    for (const auto &reader : readers) {
        if (how.committed)
            enqueue(m_states[reader], now);
        if (m_states[reader].due)
            m_states[reader].refreshed.append(view);
    }
}

std::optional<Scheduler::Time> Scheduler::wakeAt(Time now) const
{
    std::optional<Time> earliest;
    for (const auto &state : m_states) {
        if (state.due && !state.running && state.notBefore > now)
            earliest = std::min(earliest.value_or(state.notBefore), state.notBefore);
    }
    return earliest;
}

bool Scheduler::isRunning(const QString &view) const { return m_states.value(view).running; }

int Scheduler::queued(Time now) const
{
    return int(std::ranges::count_if(m_states, [&](const State &state) {
        return state.due && !state.running && state.notBefore <= now;
    }));
}

Scheduler::Progress Scheduler::progress(const QString &view, Time now) const
{
    const State state = m_states.value(view);
    Progress progress;
    progress.dueSince = state.due;
    progress.failures = state.failures;
    if (state.running) {
        progress.waiting = Waiting::Running;
    } else if (state.due && state.failures > 0 && state.notBefore > now) {
        progress.waiting = Waiting::Failing;
        progress.nextAttempt = state.notBefore;
    } else if (state.due) {
        progress.waiting = waitsForSources(state, now) ? Waiting::Sources : Waiting::Turn;
    }
    return progress;
}

}  // namespace ivm
