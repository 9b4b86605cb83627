#include "framework/api/lease_error.h"

namespace ivm {

Error leaseHeldError(const TableName &target, const QString &owner, const QDateTime &since,
                     const QDateTime &until)
{
    const auto text = [](const QDateTime &time) { return time.toUTC().toString(Qt::ISODate); };
    return conflictError(QStringLiteral("%1 is being refreshed by %2 since %3")
                             .arg(target.text(), owner, text(since)))
        .withCode(u"lease_held")
        .withHint(
            QStringLiteral("Wait for it to end; without a sign of life its lease runs out at %1")
                .arg(text(until)));
}

Error leaseLostError()
{
    return conflictError(
               QStringLiteral(
                   "the lease on the target was lost: it ran out and another process took it"))
        .withCode(u"lease_lost");
}

}  // namespace ivm
