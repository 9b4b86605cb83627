// Whether the rows of a table may be a view's to replace.
//
// Threads: the calling thread's.
#pragma once

#include "framework/api/executor.h"
#include "framework/view/view_spec.h"

namespace ivm {

// As the engine.
Result<bool> hasRows(const TableName &table, Session &session, const Call &call);

// Of a target that no bookmark of the view speaks of, be it that another table has taken its name.
// A refresh makes its rows those of the view, which deletes whatever else is in it: so it takes a
// table without rows, and one whose comment tells that a refresh of this view has made it. Invalid,
// naming the view and both ways on, for any other. As the engine.
Status checkOwnership(const ViewSpec &spec, const TableInfo &target, Session &session,
                      const Call &call);

// Notes in the table's comment, behind what it says, that it is the view's from now on. As the
// engine.
Status takeOwnership(const ViewSpec &spec, const TableInfo &target, Session &session,
                     const Call &call);

}  // namespace ivm
