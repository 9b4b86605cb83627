// What a migration needs of the refreshing side, done by it: Refresher, verifyView and Rollout.
//
// A host that runs beside refreshes the same tables: while it is at work on one, the others wait
// for up to a minute; then the error says who it is.
//
// Threads: one. Lifetime: as Refresher's services.
#pragma once

#include "framework/migrate/view_builder.h"
#include "framework/refresh/refresh.h"

namespace ivm {

class ViewBuilder final : public migrate::ViewBuilder {
public:
    using Services = std::function<Result<RefreshServices>()>;

    // Asked for when a view is built: there may be no state to work with before.
    explicit ViewBuilder(Services services) : m_services(std::move(services)) {}

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
    Services m_services;
};

}  // namespace ivm
