// A commit whose outcome can be found out: it is written down as an intent before it is sent.
//
// Threads: the calling thread's.
#pragma once

#include "framework/api/executor.h"
#include "framework/api/store.h"

namespace ivm {

// Commits the change, which makes the bookmark true; its targetHead is where the target is now. The
// intent stays until the bookmark is saved, or until the outcome is settled where it is not known;
// it is forgotten where nothing was written. The session is the executor's. `statementId` is set as
// soon as the engine gives one. As Session::commit and the store.
Result<CommitResult> commitRecorded(const Executor &executor, Session &session, StateStore &store,
                                    const Change &change, const Bookmark &bookmark,
                                    QString &statementId, const Call &call);

}  // namespace ivm
