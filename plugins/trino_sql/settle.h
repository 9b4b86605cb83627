// Finds out what became of a commit whose end nobody saw.
//
// Threads: as the session.
#pragma once

#include "plugins/trino_sql/client.h"

namespace ivm::trino {

// A condition on rows of "t$snapshots" for the one that the query made: Trino writes its query id
// into the summary of every snapshot.
QString madeByQuery(const QString &statementId);

// As Session::settle. A statement that still runs is killed, and its tasks are waited for: only
// then is the target's history the last word. The session and the client go together;
// the latter waits.
Result<Settlement> settleIntent(Session &session, Client &client, const Intent &intent,
                                const Call &call);

}  // namespace ivm::trino
