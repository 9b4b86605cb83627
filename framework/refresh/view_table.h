// A view's table and what is known of it, when the view goes or gets another name.
//
// Threads: the calling thread's.
#pragma once

#include "framework/refresh/rollout.h"

namespace ivm {

enum class ViewTable { Keep, Drop };

// Forgets what is known of the view, and drops its table where it is asked to. Fine where there is
// none. Conflict while somebody else is at work; Invalid (not_the_views) for a table that is not
// the view's to drop; else as the engine and the store.
Status dropView(RefreshServices &services, const View &view, ViewTable table, const Call &call);

// The view `from` is called `to` from now on, and its table as `to` says: rows, and what is known
// of them, stay. Fine where there is no table yet, and where it was renamed already: `before` is
// called all the same, told how the table of `from` stands. AlreadyExists where both have a table,
// Invalid (not_the_views) where it is not the view's; else as dropView().
Status renameView(RefreshServices &services, const View &from, const View &to,
                  const BeforeSwitch &before, const Call &call);

}  // namespace ivm
