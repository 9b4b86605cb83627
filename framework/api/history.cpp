#include "framework/api/history.h"

#include <algorithm>
#include <array>

namespace ivm {

namespace {

constexpr std::array kStatuses{MigrationStatus::Applied, MigrationStatus::RolledBack,
                               MigrationStatus::Failed};

}  // namespace

QString migrationStatusName(MigrationStatus status)
{
    switch (status) {
    case MigrationStatus::Applied: return QStringLiteral("applied");
    case MigrationStatus::RolledBack: return QStringLiteral("rolled_back");
    case MigrationStatus::Failed: return QStringLiteral("failed");
    }
    Q_UNREACHABLE();
}

std::optional<MigrationStatus> migrationStatusFromName(QStringView name)
{
    for (const auto status : kStatuses) {
        if (migrationStatusName(status) == name)
            return status;
    }
    return std::nullopt;
}

bool closesRun(QStringView name)
{
    return name == event::kUpgradeDone || name == event::kDowngradeDone ||
           name == event::kStamped || name == event::kRepaired;
}

QString migrationPurpose(const QString &token) { return QStringLiteral("migration %1").arg(token); }

Error lockHeldError(const MigrationLock &lock)
{
    QString message = QStringLiteral("the migrations of '%1' are being run by %2 since %3")
                          .arg(lock.line, lock.owner, lock.since.toUTC().toString(Qt::ISODate));
    if (!lock.doing.isEmpty())
        message += QStringLiteral(": ") + lock.doing;
    const QString hint =
        lock.isStale ? QStringLiteral("It gives no sign of life, but its last statement still "
                                      "runs: wait for that to end, or end it")
                     : QStringLiteral("Wait for it to end; if it is certain that it is gone, free "
                                      "the lock with 'ivmctl migrate unlock'");
    return conflictError(message).withCode(u"migration_lock_held").withHint(hint);
}

Error lockLostError(const QString &line)
{
    return conflictError(
               QStringLiteral("the lock on the migrations of '%1' was lost: another run took it "
                              "over, or it was taken away")
                   .arg(line))
        .withCode(u"migration_lock_lost")
        .withHint(u"Look at 'ivmctl migrate status' before going on");
}

Error noLockError(const QString &line)
{
    return notFoundError(
               QStringLiteral("nobody holds the lock on the migrations of '%1'").arg(line))
        .withCode(u"no_migration_lock");
}

QList<MigrationEvent> openEvents(QList<MigrationEvent> events)
{
    QHash<QString, QDateTime> closed;
    for (const auto &event : std::as_const(events)) {
        QDateTime &last = closed[event.line];
        if (closesRun(event.event) && (!last.isValid() || last < event.at))
            last = event.at;
    }
    events.removeIf([&](const MigrationEvent &event) {
        const QDateTime last = closed.value(event.line);
        return last.isValid() && event.at <= last;
    });
    std::ranges::stable_sort(events, [](const MigrationEvent &a, const MigrationEvent &b) {
        return std::tie(a.line, a.at) < std::tie(b.line, b.at);
    });
    return events;
}

Error otherLineError(const QString &view, const QString &line)
{
    return conflictError(QStringLiteral("view '%1' is of namespace %2 by now").arg(view, line))
        .withCode(u"view_of_other_line")
        .withHint(u"Give one of the two another name");
}

}  // namespace ivm
