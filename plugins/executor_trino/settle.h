// Finds out what became of a commit whose end nobody saw.
//
// Threads: as the session.
#pragma once

#include "plugins/executor_trino/connection.h"

namespace ivm::trino {

// As Session::settle. A statement that still runs is killed, and its tasks are waited for: only
// then is the target's history the last word. The session and the connection are the same client;
// the latter waits.
Result<Settlement> settleIntent(Session &session, Connection &connection, const Intent &intent,
                                const Call &call);

// Whether a table is in the expected state: by its metadata file where that is known, else by its
// snapshot.
bool isAt(const TableHead &head, const TableHead &expected);

}  // namespace ivm::trino
