// What is known of a target's rows.
//
// Threads: the calling thread's.
#pragma once

#include "framework/refresh/refresh.h"

namespace ivm {

// The store's bookmark of the view; where it has none, the one that the target's own head carries
// (made by an engine with Capability::AtomicSummary, which need not be this one), unless its
// columns were changed since. None: nothing is known. Unavailable, Corrupt, as the engine and the
// detector.
Result<std::optional<Bookmark>> knownBookmark(RefreshServices &services, const View &view,
                                              const std::function<Result<Session *>()> &session,
                                              const Call &call);

// The columns of a target that belong to these outputs, with their field ids, at its head `at`.
Result<QList<Column>> targetColumns(Detector &detector, const TableName &target,
                                    const TableHead &at, const QList<OutputColumn> &outputs,
                                    const Call &call);

}  // namespace ivm
