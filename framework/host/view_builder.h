// What a migration needs of the refreshing side, done by it: Refresher, verifyView and Rollout.
//
// A host that runs beside refreshes the same tables: while it is at work on one, the others wait
// for as long as a refresh may take; then the error says who it is.
//
// Threads: one. Lifetime: as Refresher's services.
#pragma once

#include "framework/migrate/view_builder.h"
#include "framework/refresh/refresh.h"

namespace ivm {

class ViewBuilder final : public migrate::ViewBuilder {
public:
    using Services = std::function<Result<RefreshServices>()>;
    using Waiting = std::function<void(const QString &holder)>;

    // Services are asked for when a view is built: there may be no state to work with before.
    // `waiting` is told once whom a call waits for.
    explicit ViewBuilder(Services services, Waiting waiting = {})
        : m_services(std::move(services)), m_waiting(std::move(waiting))
    {
    }

    Result<migrate::Built> build(const View &view, const Call &call) override;
    Result<migrate::Built> backfill(const View &view, const Call &call) override;
    Status verify(const View &view, const Call &call) override;
    Result<migrate::Built> switchTo(const View &view, const View &built,
                                    const migrate::BeforeSwitch &before, const Call &call) override;
    Result<bool> canRestore(const View &view, const migrate::TargetVersion &version,
                            const Call &call) override;
    Result<migrate::Built> restore(const View &view, const migrate::TargetVersion &version,
                                   const migrate::BeforeSwitch &before, const Call &call) override;
    Status drop(const View &view, Target target, const Call &call) override;
    Status rename(const View &from, const View &to, const migrate::BeforeSwitch &before,
                  const Call &call) override;

private:
    template <typename Work>
    auto whenFree(const Call &call, const Work &work) const -> decltype(work());

    Services m_services;
    Waiting m_waiting;
};

}  // namespace ivm
