// Why a commit did not do what it should, in terms of the change.
//
// Pure functions; any thread. A statement's id is the engine's, or empty where it has none.
#pragma once

#include "framework/sqlexec/merge.h"

namespace ivm {

// What the failure of the change's statement means: Conflict where the target is elsewhere; Invalid
// for a key twice (code duplicate_key) and for another time zone (time_zone); else the error itself
// at its place in the change's query.
Error refusedMerge(Error error, const MergeStatement &statement, const Intent &intent,
                   const QString &statementId = {});

// Conflict: the intent's target is at `found`.
Error movedTarget(const Intent &intent, const QString &found);

// Conflict: somebody else's change of the target came before the statement's.
Error changedMeanwhile(const Intent &intent, const QString &statementId = {});

// CommitUnknown.
Error unknownCommit(const Intent &intent, const QString &why, const QString &statementId = {});

}  // namespace ivm
