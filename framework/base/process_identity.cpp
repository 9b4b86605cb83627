#include "framework/base/process_identity.h"

#include <QCoreApplication>
#include <QFile>
#include <QSysInfo>

#include <cerrno>
#include <optional>

#include <signal.h>
#include <sys/types.h>

namespace ivm {

namespace {

QByteArray contentsOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Field 22 of /proc/<pid>/stat (proc(5)); none when there is no such process. The second field, the
// program's name, may hold spaces and parentheses, so counting starts after its last one.
std::optional<qint64> startOf(qint64 pid)
{
    const QByteArray stat = contentsOf(QStringLiteral("/proc/%1/stat").arg(pid));
    const qsizetype nameEnd = stat.lastIndexOf(')');
    if (nameEnd < 0)
        return std::nullopt;
    const auto fields = stat.mid(nameEnd + 2).split(' ');
    constexpr qsizetype kStartField = 22 - 3;
    if (fields.size() <= kStartField)
        return std::nullopt;
    return fields[kStartField].toLongLong();
}

}  // namespace

ProcessIdentity thisProcess()
{
    const QString boot = QString::fromLatin1(
        contentsOf(QStringLiteral("/proc/sys/kernel/random/boot_id")).trimmed());
    const QString space =
        QFile::symLinkTarget(QStringLiteral("/proc/self/ns/pid")).section(u'/', -1);
    const qint64 pid = QCoreApplication::applicationPid();
    return {.machine = boot + u' ' + space + u' ' + QSysInfo::machineHostName(),
            .pid = pid,
            .started = startOf(pid).value_or(0)};
}

bool mayLive(const ProcessIdentity &process, const ProcessIdentity &self)
{
    if (process.machine != self.machine)
        return true;
    if (const auto started = startOf(process.pid))
        return *started == process.started;
    // Other users' processes may be hidden in /proc, but not from a signal.
    return kill(pid_t(process.pid), 0) == 0 || errno == EPERM;
}

}  // namespace ivm
