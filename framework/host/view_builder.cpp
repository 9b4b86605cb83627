#include "framework/host/view_builder.h"

#include "framework/refresh/rollout.h"
#include "framework/refresh/verify.h"
#include "framework/refresh/view_table.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace ivm {

namespace {

using namespace std::chrono_literals;

constexpr auto kLongestWait = 10min;
constexpr std::chrono::milliseconds kPause = 200ms;

Result<migrate::Built> builtOf(const Result<RefreshOutcome> &outcome)
{
    if (!outcome)
        return fail(outcome.error());
    return migrate::Built{.action = actionName(outcome->action),
                          .rowsRead = outcome->rowsRead,
                          .rowsWritten = outcome->rowsWritten,
                          .rowsDeleted = outcome->rowsDeleted,
                          .filesRead = outcome->filesRead,
                          .seconds = outcome->seconds};
}

BeforeSwitch telling(const migrate::BeforeSwitch &before)
{
    return [&before](const TargetVersion &version) -> Status {
        migrate::TargetVersion told{.document = version.toJson(), .held = {}};
        if (version.head.snapshot)
            told.held.append(*version.head.snapshot);
        return before(told);
    };
}

Result<TargetVersion> versionOf(const View &view, const migrate::TargetVersion &version)
{
    return TargetVersion::fromJson(
        version.document, QStringLiteral("the earlier version of view '%1'").arg(view.spec.name));
}

// One row that differs: "missing: k = a, n = 3".
QString exampleOf(const VerifyOutcome &outcome)
{
    if (outcome.sample.empty())
        return {};
    const Row &row = outcome.sample.front();
    QStringList values;
    for (size_t i = 1; i < row.size(); ++i)
        values.append(outcome.sampleColumns[qsizetype(i)].name + QStringLiteral(" = ") +
                      row[i].text());
    return QStringLiteral(" (%1: %2)").arg(row.front().text(), values.join(QStringLiteral(", ")));
}

}  // namespace

// Does the work as soon as nobody else is at work on its table.
template <typename Work>
auto ViewBuilder::whenFree(const Call &call, const Work &work) const -> decltype(work())
{
    const Call waiting = call.within(kLongestWait);
    for (bool isTold = false;;) {
        auto done = work();
        if (done || done.error().code != u"lease_held" || waiting.remaining(kPause) <= 0ms)
            return done;
        if (!std::exchange(isTold, true) && m_waiting)
            m_waiting(done.error().message);
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait_for(lock, call.stop, waiting.remaining(kPause),
                                               [] { return false; });
        if (call.stop.stop_requested())
            return std::unexpected(call.check(u"waiting for a table").error());
    }
}

Result<migrate::Built> ViewBuilder::build(const View &view, const Call &call)
{
    IVM_TRY(auto services, m_services());
    return builtOf(
        whenFree(call, [&] { return refreshed(services, view, RefreshMode::IfChanged, call); }));
}

Result<migrate::Built> ViewBuilder::backfill(const View &view, const Call &call)
{
    IVM_TRY(auto services, m_services());
    return builtOf(
        whenFree(call, [&] { return refreshed(services, view, RefreshMode::Full, call); }));
}

Status ViewBuilder::verify(const View &view, const Call &call)
{
    IVM_TRY(auto services, m_services());
    IVM_TRY(const auto outcome,
            whenFree(call, [&] { return verifyView(services, view, {}, call); }));
    if (outcome.equal)
        return {};
    return fail(invalidError(QStringLiteral("view '%1': table %2 is not what the query gives: %3 "
                                            "rows are missing, %4 must not be there%5")
                                 .arg(view.spec.name, view.spec.target.text(),
                                      QString::number(outcome.missing),
                                      QString::number(outcome.extra), exampleOf(outcome)))
                    .withCode(u"differs")
                    .withHint(QStringLiteral("Run: ivmctl verify %1").arg(view.spec.name)));
}

Result<migrate::Built> ViewBuilder::switchTo(const View &view, const View &built,
                                             const migrate::BeforeSwitch &before, const Call &call)
{
    IVM_TRY(auto services, m_services());
    return builtOf(whenFree(
        call, [&] { return Rollout(services).switchTo(view, built, telling(before), call); }));
}

Result<bool> ViewBuilder::canRestore(const View &view, const migrate::TargetVersion &version,
                                     const Call &call)
{
    IVM_TRY(auto services, m_services());
    IVM_TRY(const TargetVersion wanted, versionOf(view, version));
    return Rollout(services).canRestore(view, wanted, call);
}

Result<migrate::Built> ViewBuilder::restore(const View &view, const migrate::TargetVersion &version,
                                            const migrate::BeforeSwitch &before, const Call &call)
{
    IVM_TRY(auto services, m_services());
    IVM_TRY(const TargetVersion wanted, versionOf(view, version));
    return builtOf(whenFree(
        call, [&] { return Rollout(services).restore(view, wanted, telling(before), call); }));
}

Status ViewBuilder::drop(const View &view, Target target, const Call &call)
{
    IVM_TRY(auto services, m_services());
    const auto table = target == Target::Drop ? ViewTable::Drop : ViewTable::Keep;
    return whenFree(call, [&] { return dropView(services, view, table, call); });
}

Status ViewBuilder::rename(const View &from, const View &to, const migrate::BeforeSwitch &before,
                           const Call &call)
{
    IVM_TRY(auto services, m_services());
    return whenFree(call, [&] { return renameView(services, from, to, telling(before), call); });
}

}  // namespace ivm
