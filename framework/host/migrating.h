// What migrations are run with, as the host has it.
//
// Threads: as Host. Lifetime: the host outlives what these give.
#pragma once

#include "framework/host/host.h"
#include "framework/migrate/runner.h"

namespace ivm {

// Who runs them.
migrate::Actor migrationActor(Host &host);

// The views that no migration owns.
QList<migrate::OtherView> otherViews(const Definitions &definitions);

// Host::services() is asked when a view is built. `waiting` is told whose work is waited for.
std::unique_ptr<migrate::ViewBuilder>
makeViewBuilder(Host &host, std::function<void(const QString &holder)> waiting);

}  // namespace ivm
