#include "framework/migrate/version_text.h"

#include "framework/migrate/migration_file.h"

namespace ivm::migrate {

QString versionText(qint64 version)
{
    return QStringLiteral("%1").arg(version, 4, 10, QLatin1Char('0'));
}

QString ownerText(const MigratedView &view)
{
    const QString number = versionText(view.version);
    return view.line == kDefaultLine ? QStringLiteral("migration %1").arg(number)
                                     : QStringLiteral("migration %1 of %2").arg(number, view.line);
}

}  // namespace ivm::migrate
