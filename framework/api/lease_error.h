// What state stores say of leases, in the same words.
//
// Pure functions; any thread.
#pragma once

#include "framework/api/table.h"

#include <QDateTime>

namespace ivm {

// Conflict (code `lease_held`): another live holder has the target until then.
Error leaseHeldError(const TableName &target, const QString &owner, const QDateTime &since,
                     const QDateTime &until);
// Conflict (code `lease_lost`).
Error leaseLostError();

}  // namespace ivm
