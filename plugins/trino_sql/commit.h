// Commits a change: one MERGE, and one look at the target afterwards.
//
// Threads: as the session.
#pragma once

#include "plugins/trino_sql/client.h"

namespace ivm::trino {

// As Session::commit.
Result<CommitResult> commitChange(Session &session, Client &client, const Change &change,
                                  const Intent &intent, const IntentRecorder &record,
                                  const Call &call);

}  // namespace ivm::trino
