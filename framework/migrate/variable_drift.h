// Whether the variables that a migration's file takes from the environment are what they were when
// it ran: a checksum of the file says nothing of them.
//
// Pure; any thread.
#pragma once

#include "framework/migrate/history_state.h"

#include <QJsonObject>

namespace ivm::migrate {

// For the detail of the event that begins a run: {"variables": {NAME: a hash of its value}}; empty
// for a file that uses none.
QJsonObject variablesDetail(const Migration &migration);

// Whether a file uses some that is applied, or whose run did not end: then the events tell.
bool usesVariables(const MigrationFolder &folder, const LineState &state);

// Conflict (code `migration_edited`), naming the variable, for each that is not what it was. `all`:
// the line's events, oldest first. What was stamped since was said to be as it is.
QList<Error> variableDrift(const MigrationFolder &folder, const LineState &state,
                           const QList<MigrationEvent> &all);

}  // namespace ivm::migrate
