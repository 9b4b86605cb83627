// Which privileges a refresh needs and the user lacks, asked without doing anything.
//
// Threads: as the session.
#pragma once

#include "framework/api/executor.h"

namespace ivm::trino {

// As Session::missingPrivileges. Each is asked by validating a statement that needs it.
Result<QList<Error>> missingPrivileges(Session &session, const Replacement &view,
                                       const QList<TableName> &sources, const Call &call);

}  // namespace ivm::trino
