// Finds out what became of a commit whose outcome was never written down: after a crash, a kill or
// a lost answer.
//
// Threads: the calling thread's.
#pragma once

#include "framework/api/executor.h"
#include "framework/api/store.h"

#include <functional>

namespace ivm {

// Settles the intent and records what follows: landed, its bookmark is saved; not landed, the
// intent is forgotten; unknown, the view's bookmark says that nothing of it is exact, so that the
// next refresh diffs it, which is always right.
Status settleIntent(Session &session, StateStore &store, const Intent &intent, const Call &call);

// The same for the view's intent, where it has one; the session is asked for only then.
Status settleOpenIntent(StateStore &store, const QString &view,
                        const std::function<Result<Session *>()> &session, const Call &call);

// Makes a bookmark say that what the target holds is not known any more, but that it is the view's:
// the next refresh diffs it.
void makeInexact(Bookmark &bookmark);

}  // namespace ivm
