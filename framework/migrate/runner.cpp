#include "framework/migrate/runner.h"

#include "framework/base/fail_point.h"
#include "framework/base/json.h"
#include "framework/base/log.h"
#include "framework/migrate/preflight.h"
#include "framework/migrate/variable_drift.h"

#include <QElapsedTimer>

#include <algorithm>
#include <condition_variable>

namespace ivm::migrate {

namespace {

using namespace std::chrono_literals;

// For what has to be written after a run was stopped.
constexpr auto kLastWords = 20s;
// Between two looks at a lock that another holds.
constexpr auto kLookAgain = 500ms;

// Empty for nothing.
QString textOf(const QJsonObject &object)
{
    return object.isEmpty() ? QString() : QString::fromUtf8(json::compact(object));
}

// Whether a statement that failed so may have taken effect all the same.
bool mayHaveTakenEffect(const Error &error)
{
    switch (error.kind) {
    case ErrorKind::CommitUnknown:
    case ErrorKind::Unavailable:
    case ErrorKind::Timeout:
    case ErrorKind::Cancelled:
    case ErrorKind::Internal: return true;
    default: return false;
    }
}

Status checkAgreed(const MigrationPlan &plan, bool mayLose)
{
    if (mayLose)
        return {};
    for (const auto &planned : plan.migrations) {
        for (const auto &step : planned.steps) {
            if (step.loses())
                return fail(invalidError(QStringLiteral("%1, step %2 (%3): %4")
                                             .arg(planned.migration->label())
                                             .arg(step.number)
                                             .arg(operationText(step.step->operation), step.loss))
                                .withCode(u"needs_agreement")
                                .at(step.step->place)
                                .withHint(u"Nothing was done. Agree with --yes"));
        }
    }
    return {};
}

void waitFor(std::chrono::milliseconds time, const Call &call)
{
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    wake.wait_for(lock, call.stop, call.remaining(time), [] { return false; });
}

}  // namespace

// One run under the lock.
class Runner::Run {
public:
    Run(const RunServices &services, const RunRequest &request, LockKeeper &lock,
        const QDateTime &lastEvent)
        : m_services(services), m_request(request), m_lock(lock),
          m_journal(services.history, services.clock, services.actor, request.folder.line,
                    lastEvent)
    {
    }

    RunOutcome run(const MigrationPlan &plan, const LineState &state)
    {
        m_outcome.current = state.current();
        for (const auto &planned : plan.migrations) {
            if (auto done = migrate(planned); !done) {
                m_outcome.error = std::move(done).error();
                break;
            }
        }
        // Of a run that succeeded: that it did.
        if (!m_outcome.error) {
            if (auto written = m_journal.write(m_lock.call()); !written)
                m_outcome.error = std::move(written).error();
        }
        return m_outcome;
    }

private:
    static QStringView startedName(Direction direction)
    {
        return direction == Direction::Upgrade ? event::kUpgradeStarted : event::kDowngradeStarted;
    }

    static QStringView failedName(Direction direction)
    {
        return direction == Direction::Upgrade ? event::kUpgradeFailed : event::kDowngradeFailed;
    }

    static QStringView doneName(Direction direction)
    {
        return direction == Direction::Upgrade ? event::kUpgradeDone : event::kDowngradeDone;
    }

    void note(QStringView name, const PlannedMigration &planned, const PlannedStep *step = nullptr,
              const QJsonObject &detail = {})
    {
        m_journal.note({.event = name,
                        .version = planned.migration->version,
                        .step = step ? step->number : 0,
                        .checksum = step ? step->step->checksum : planned.migration->checksum,
                        .detail = textOf(detail)});
    }

    Status migrate(const PlannedMigration &planned)
    {
        QElapsedTimer timer;
        timer.start();
        m_hasDoneNothing = std::ranges::all_of(planned.steps, [](const PlannedStep &step) {
            return step.state == StepState::Pending;
        });
        note(startedName(planned.direction), planned, nullptr, variablesDetail(*planned.migration));
        auto done = steps(planned);
        if (done)
            done = finish(planned, timer.elapsed());
        if (!done) {
            giveUp(planned, done.error(), timer.elapsed());
            return fail(std::move(done).error().during(planned.migration->label()));
        }
        const double seconds = double(timer.elapsed()) / 1000;
        m_outcome.done.append(
            {planned.migration->version, planned.direction, planned.migration->label(), seconds});
        m_outcome.current = planned.versionAfter();
        m_outcome.isPartial = true;
        if (m_request.progress.done)
            m_request.progress.done(planned, seconds);
        return {};
    }

    Status steps(const PlannedMigration &planned)
    {
        const StepServices services{.history = m_services.history,
                                    .executor = m_services.executor,
                                    .builder = m_services.builder,
                                    .defaults = m_services.defaults,
                                    .purpose = migrationPurpose(m_lock.token())};
        StepRunner runner(services, m_request.folder.line, planned.versionAfter(), m_lock.call());
        for (const auto &step : planned.steps) {
            if (step.state != StepState::Done)
                IVM_CHECK(runStep(runner, planned, step));
        }
        // The end of the last step; a migration may have no steps.
        IVM_CHECK(m_lock.confirm(m_lock.call()));
        IVM_CHECK(m_journal.write(m_lock.call()));
        const auto &queries = planned.migration->verify;
        if (planned.direction == Direction::Downgrade || queries.isEmpty())
            return {};
        for (const auto &query : queries)
            IVM_CHECK(runner.verify(query));
        return m_lock.confirm(m_lock.call());
    }

    Status runStep(StepRunner &runner, const PlannedMigration &planned, const PlannedStep &step)
    {
        if (m_request.progress.step)
            m_request.progress.step(planned, step);
        m_lock.doing(QStringLiteral("%1 of %2, step %3 of %4")
                         .arg(directionName(planned.direction), planned.migration->label(),
                              QString::number(step.number), QString::number(planned.steps.size())));
        IVM_CHECK(m_lock.call().check(u"the step"));
        IVM_CHECK(m_lock.confirm(m_lock.call()));
        QJsonObject begun;
        IVM_TRY(const QString before, runner.noteBefore(step));
        if (!before.isEmpty())
            begun.insert(QStringLiteral("before"), before);
        note(event::kStepStarted, planned, &step, begun);
        IVM_CHECK(m_journal.write(m_lock.call()));
        IVM_CHECK(failPoint(u"migrate.step_started"));
        auto done = runner.run(step);
        if (!done) {
            const Error &error = done.error();
            const bool isUnclear =
                mayHaveTakenEffect(error) || error.code == u"step_unclear" || runner.hasChanged();
            m_outcome.isPartial = m_outcome.isPartial || runner.hasChanged();
            m_hasDoneNothing = m_hasDoneNothing && !isUnclear;
            note(event::kStepFailed, planned, &step,
                 {{QStringLiteral("error"), error.text()}, {QStringLiteral("unclear"), isUnclear}});
            return fail(std::move(done).error().at(step.step->place));
        }
        m_outcome.isPartial = true;
        m_hasDoneNothing = false;
        IVM_CHECK(failPoint(u"migrate.step_done"));
        note(event::kStepDone, planned, &step, *done);
        m_outcome.steps.append(
            {planned.migration->version, step.number, operationText(step.step->operation), *done});
        return {};
    }

    // The record first: an event that closes a run without it would have it run again.
    Status finish(const PlannedMigration &planned, qint64 milliseconds)
    {
        IVM_CHECK(save(planned,
                       planned.direction == Direction::Upgrade ? MigrationStatus::Applied
                                                               : MigrationStatus::RolledBack,
                       {}, milliseconds, m_lock.call()));
        IVM_CHECK(failPoint(u"migrate.recorded"));
        note(doneName(planned.direction), planned);
        return {};
    }

    // With time of its own, since the run may have been stopped. Not where the lock was lost: what
    // happens now is another's to write.
    void giveUp(const PlannedMigration &planned, const Error &error, qint64 milliseconds)
    {
        const Call call = Call{.stop = {}, .deadline = {}}.within(kLastWords);
        // Whatever ended the run may be what lost the lock, too: a machine that slept.
        (void)m_lock.confirm(call);
        if (m_lock.isLost())
            return;
        // A statement that was under way need not end as a cancelled one.
        const bool isStopped =
            error.kind == ErrorKind::Cancelled || m_lock.call().stop.stop_requested();
        note(isStopped ? event::kInterrupted : failedName(planned.direction), planned, nullptr,
             {{QStringLiteral("error"), error.text()}});
        // What a downgrade has not begun to take back is applied as before.
        const bool isAsBefore = planned.direction == Direction::Downgrade && m_hasDoneNothing;
        auto written =
            isAsBefore ? Status()
                       : save(planned, MigrationStatus::Failed, error.text(), milliseconds, call);
        if (written)
            written = m_journal.write(call);
        if (!written)
            qCWarning(logMigrate, "recording that %s failed did not work: %s",
                      qPrintable(planned.migration->label()), qPrintable(written.error().text()));
    }

    Status save(const PlannedMigration &planned, MigrationStatus status, const QString &error,
                qint64 milliseconds, const Call &call)
    {
        return m_services.history.save({.version = planned.migration->version,
                                        .line = m_request.folder.line,
                                        .description = planned.migration->description,
                                        .appliedAt = m_journal.now(),
                                        .status = status,
                                        .error = error,
                                        .checksum = planned.migration->checksum,
                                        .durationMs = milliseconds,
                                        .appliedBy = m_services.actor.name},
                                       call);
    }

    const RunServices &m_services;
    const RunRequest &m_request;
    LockKeeper &m_lock;
    Journal m_journal;
    RunOutcome m_outcome;
    bool m_hasDoneNothing = true;  // of the migration that is run
};

Result<Runner::Look> Runner::look(const RunRequest &request, const Call &call)
{
    if (!request.folder.problems.isEmpty())
        return fail(request.folder.problems.first());
    IVM_TRY(auto history, m_services.history.history(call));
    LineState state(history, request.folder.line);
    IVM_TRY(const auto goal, parseGoal(request.direction, request.goal, request.folder, state));
    IVM_TRY(auto views, ViewSet::make(history.views, request.others, m_services.defaults));
    IVM_TRY(auto plan, makePlan(request.folder, state, goal, std::move(views)));
    if (!plan.migrations.isEmpty() && usesVariables(request.folder, state)) {
        IVM_TRY(const auto events, m_services.history.events(request.folder.line, call));
        if (const auto drift = variableDrift(request.folder, state, events); !drift.isEmpty())
            return fail(drift.first());
    }
    return Look{std::move(history), std::move(state), goal, std::move(plan)};
}

Result<std::unique_ptr<LockKeeper>> Runner::lock(const QString &line, const QString &doing,
                                                 const RunRequest &request, const Call &call)
{
    const LockRequest wanted{.line = line, .owner = m_services.actor.owner, .doing = doing};
    const auto deadline = std::chrono::steady_clock::now() + request.wait;
    bool isTold = false;
    while (true) {
        auto keeper = LockKeeper::acquire(m_services.history, wanted, call);
        const bool waits = !keeper && keeper.error().code == u"migration_lock_held" &&
                           std::chrono::steady_clock::now() < deadline;
        if (!waits)
            return keeper;
        if (!std::exchange(isTold, true) && request.progress.waiting)
            request.progress.waiting(keeper.error().message);
        waitFor(kLookAgain, call);
        IVM_CHECK(call.check(u"waiting for the migration lock"));
    }
}

// What would fail half way, before anything is done.
Status Runner::checkTables(const Look &look, const QList<OtherView> &others, const Call &call)
{
    IVM_TRY(const auto views, ViewSet::make(look.history.views, others, m_services.defaults));
    TableLooks looks(m_services.executor, call);
    IVM_TRY(auto found, preflight(look.plan, views, looks, call));
    if (found.isEmpty())
        return {};
    Error &error = found.first();
    error.hint = error.hint.isEmpty() ? QStringLiteral("Nothing was done")
                                      : QString(error.hint + u". Nothing was done");
    return fail(std::move(error));
}

Result<RunOutcome> Runner::run(const RunRequest &request, const Call &call)
{
    const auto first = look(request, call);
    // A run the other way that did not end may be under way: the lock tells.
    if (!first && first.error().code != u"migration_open")
        return fail(first.error());
    QString doing = directionName(request.direction);
    if (first) {
        const auto &planned = first->plan.migrations;
        if (planned.isEmpty())
            return RunOutcome{.done = {},
                              .steps = {},
                              .current = first->state.current(),
                              .isPartial = false,
                              .error = std::nullopt};
        IVM_CHECK(checkAgreed(first->plan, request.mayLose));
        doing += QStringLiteral(" of ") + planned.first().migration->label();
    }
    IVM_TRY(const auto keeper, lock(request.folder.line, doing, request, call));
    // What was true before somebody else gave the lock back need not be true now; but "one back"
    // is still the one that was last then.
    RunRequest same = request;
    if (first)
        same.goal = QString::number(first->goal.version);
    IVM_TRY(const auto now, look(same, keeper->call()));
    IVM_CHECK(checkAgreed(now.plan, request.mayLose));
    IVM_CHECK(checkTables(now, request.others, keeper->call()));
    IVM_CHECK(recordUntouched(m_services.history, now.history, now.state, keeper->call()));
    Run run(m_services, request, *keeper, now.history.lastEvent.value(request.folder.line));
    RunOutcome outcome = run.run(now.plan, now.state);
    if (outcome.error && keeper->isLost())
        outcome.error = conflictError(QStringLiteral("the migration lock was lost to another run"))
                            .withCode(u"migration_lock_lost")
                            .withHint(u"See 'ivmctl migrate status'");
    return outcome;
}

}  // namespace ivm::migrate
