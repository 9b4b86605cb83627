#include "framework/api/history.h"

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

}  // namespace ivm
