// Commits a change: one MERGE, and one look at the target afterwards.
//
// Threads: as the session.
#pragma once

#include "plugins/executor_trino/connection.h"

namespace ivm::trino {

// As Session::commit.
Result<CommitResult> commitChange(Session &session, Connection &connection, const Change &change,
                                  const Intent &intent, const IntentRecorder &record,
                                  const Call &call);

}  // namespace ivm::trino
