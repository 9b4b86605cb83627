// Finds out what became of a commit whose end nobody saw.
//
// Threads: as the session.
#pragma once

#include "plugins/trino_sql/client.h"

namespace ivm::trino {

// As Session::settle. A statement that still runs is killed, and its tasks are waited for: only
// then is the target's history the last word. The session and the client go together;
// the latter waits.
Result<Settlement> settleIntent(Session &session, Client &client, const Intent &intent,
                                const Call &call);

// Whether a table is in the expected state: by its metadata file where that is known, else by its
// snapshot.
bool isAt(const TableHead &head, const TableHead &expected);

}  // namespace ivm::trino
