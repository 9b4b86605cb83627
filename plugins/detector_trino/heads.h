// Where many tables stand, asked in one statement.
//
// Threads: as the session.
#pragma once

#include "framework/api/executor.h"

namespace ivm::trino {

// One statement a batch; tables that make it fail are found by the place in the error or by
// halving, get their own error, and do not fail the others. As Detector::heads.
Result<QList<Result<TableHead>>> readHeads(Session &session, const QList<TableName> &tables,
                                           const Call &call);

// Each table costs the plan two stages, of which Trino takes 150 by default. Where it takes fewer
// the statement is halved.
inline constexpr int kHeadsPerStatement = 70;

}  // namespace ivm::trino
