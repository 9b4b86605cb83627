#include "framework/refresh/rollout.h"

#include "framework/base/log.h"
#include "framework/refresh/view_restore.h"
#include "framework/refresh/view_session.h"
#include "framework/refresh/view_switch.h"

#include <QElapsedTimer>

#include <algorithm>

namespace ivm {

namespace {

Status checkSameDefinition(const View &view, const View &built)
{
    const bool isSame = view.spec.query.trimmed() == built.spec.query.trimmed() &&
                        view.spec.keys == built.spec.keys &&
                        view.spec.target != built.spec.target && view.spec.name != built.spec.name;
    if (isSame)
        return {};
    return fail(invalidError(QStringLiteral("view '%1': '%2' is not the same definition beside it")
                                 .arg(view.spec.name, built.spec.name)));
}

double secondsOf(const QElapsedTimer &timer) { return double(timer.nsecsElapsed()) / 1e9; }

}  // namespace

QString switchName(const View &built) { return built.spec.name + QStringLiteral("@switch"); }

Result<RefreshOutcome> Rollout::switchTo(const View &view, const View &built,
                                         const BeforeSwitch &before, const Call &call)
{
    QElapsedTimer timer;
    timer.start();
    const QDateTime started = m_services.clock.now();
    RefreshOutcome outcome;
    outcome.view = view.spec.name;
    outcome.strategy = view.shape.strategy;
    outcome.reason = QStringLiteral("another definition of the view took its place");
    IVM_CHECK(checkSameDefinition(view, built));
    {
        IVM_TRY(const auto target, HeldTarget::take(m_services, view, call));
        IVM_CHECK(switchUnderLease(m_services, view, built, before, *target, outcome));
    }
    outcome.seconds = secondsOf(timer);
    if (outcome.action == Action::None)
        return outcome;
    if (const auto added = m_services.store.addRecord(recordOf(outcome, started)); !added)
        qCWarning(logRefresh, "recording a switch failed: %s", qPrintable(added.error().text()));
    return outcome;
}

Result<bool> Rollout::canRestore(const View &view, const TargetVersion &version, const Call &call)
{
    IVM_TRY(Executor * executor, m_services.executor());
    IVM_TRY(const auto session, openViewSession(*executor, view.spec, call));
    IVM_TRY(const TargetVersion now, versionNow(m_services, view, *session, call));
    IVM_TRY(const WayBack way, wayBack(view, version, now, *session, call));
    return way != WayBack::None;
}

Result<RefreshOutcome> Rollout::restore(const View &view, const TargetVersion &version,
                                        const BeforeSwitch &before, const Call &call)
{
    QElapsedTimer timer;
    timer.start();
    StatementResult statement;
    {
        IVM_TRY(const auto target, HeldTarget::take(m_services, view, call));
        IVM_TRY(statement, restoreUnderLease(m_services, view, version, before, *target));
    }
    IVM_TRY(RefreshOutcome outcome, refreshed(m_services, view, RefreshMode::IfChanged, call));
    outcome.rowsRead += statement.rowsRead;
    outcome.bytesRead += statement.bytesRead;
    outcome.rowsWritten += std::max<qint64>(statement.rowsAffected, 0);
    outcome.seconds = secondsOf(timer);
    return outcome;
}

}  // namespace ivm
