#include "plugins/executor_duckdb/table/staging.h"

#include <QDir>
#include <QUuid>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace ivm::duckdb {

namespace {

QString systemSays() { return QString::fromLocal8Bit(std::strerror(errno)); }

Status syncPath(const QString &path, int flags)
{
    const int file = ::open(QFile::encodeName(path).constData(), flags | O_CLOEXEC);
    const bool synced = file >= 0 && ::fsync(file) == 0;
    const QString problem = systemSays();
    if (file >= 0)
        ::close(file);
    if (synced)
        return {};
    return fail(
        unavailableError(QStringLiteral("%1 could not be forced to disk: %2").arg(path, problem)));
}

}  // namespace

Result<Staging> Staging::make(const QString &dataFolder)
{
    const QString path =
        dataFolder + QStringLiteral("/.new-") + QUuid::createUuid().toString(QUuid::WithoutBraces);
    if (!QDir().mkpath(path)) {
        return fail(
            unavailableError(
                QStringLiteral("folder %1 could not be made: %2").arg(path, systemSays()))
                .withHint(u"Check that the warehouse may be written and that its disk has room"));
    }
    return Staging(path);
}

Staging::~Staging()
{
    if (!m_path.isEmpty())
        QDir(m_path).removeRecursively();
}

Status Staging::moveOut(const QString &file, const QString &destination) const
{
    IVM_CHECK(syncPath(file, O_RDONLY));
    if (::rename(QFile::encodeName(file).constData(), QFile::encodeName(destination).constData()) ==
        0)
        return {};
    return fail(unavailableError(
        QStringLiteral("%1 could not be moved to %2: %3").arg(file, destination, systemSays())));
}

Status Staging::sync(const QString &folder) { return syncPath(folder, O_RDONLY | O_DIRECTORY); }

}  // namespace ivm::duckdb
