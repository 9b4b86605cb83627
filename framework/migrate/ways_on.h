// What a person may do about a run that did not end.
//
// Pure; any thread.
#pragma once

#include "framework/migrate/history_state.h"

namespace ivm::migrate {

// Sentences with the commands, in the order in which they are needed: a step to be settled, what
// the run failed with, the command that goes on, and how an upgrade is given up.
QStringList waysOn(const OpenRun &open, const MigrationFolder &folder);

}  // namespace ivm::migrate
