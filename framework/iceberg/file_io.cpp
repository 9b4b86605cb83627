#include "framework/iceberg/file_io.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QUuid>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ivm::iceberg {

namespace {

Error systemError(const QString &what, const QString &path, int code)
{
    return unavailableError(
        QStringLiteral("%1 %2: %3").arg(what, path, QString::fromLocal8Bit(std::strerror(code))));
}

// A file descriptor that is closed in any case.
class Descriptor {
public:
    explicit Descriptor(int fd) : m_fd(fd) {}
    ~Descriptor()
    {
        if (m_fd >= 0)
            ::close(m_fd);
    }
    Descriptor(const Descriptor &) = delete;
    Descriptor &operator=(const Descriptor &) = delete;
    int get() const { return m_fd; }

private:
    int m_fd;
};

// 0, or errno.
int writeAll(int fd, const QByteArray &bytes)
{
    qsizetype at = 0;
    while (at < bytes.size()) {
        const auto written = ::write(fd, bytes.data() + at, size_t(bytes.size() - at));
        if (written < 0 && errno != EINTR)
            return errno;
        at += written > 0 ? written : 0;
    }
    return ::fsync(fd) == 0 ? 0 : errno;
}

int writeNewFile(const QByteArray &path, const QByteArray &bytes)
{
    const Descriptor file(::open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    return file.get() < 0 ? errno : writeAll(file.get(), bytes);
}

// Names the file without ever replacing one: a hard link where the file system has them, else an
// exclusive rename.
int nameWithoutReplacing(const QByteArray &from, const QByteArray &to)
{
    if (::link(from, to) == 0)
        return ::unlink(from) == 0 ? 0 : errno;
    if (errno == EEXIST)
        return EEXIST;
    return ::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0 ? 0 : errno;
}

int syncFolder(const QString &folder)
{
    const Descriptor handle(::open(QFile::encodeName(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (handle.get() < 0 || ::fsync(handle.get()) != 0)
        return errno == EINVAL ? 0 : errno;  // some file systems cannot and need not
    return 0;
}

// Makes the folder with its parents, each one's entry forced to disk.
int makeFolder(const QString &folder)
{
    if (QFileInfo(folder).isDir())
        return 0;
    const QString parent = QFileInfo(folder).path();
    if (parent != folder) {
        if (const int code = makeFolder(parent))
            return code;
    }
    if (::mkdir(QFile::encodeName(folder), 0777) != 0 && errno != EEXIST)
        return errno;
    return syncFolder(parent);
}

}  // namespace

Result<QByteArray> LocalFileIO::readAll(const QString &location)
{
    IVM_TRY(const QString path, localPath(location));
    const Descriptor file(::open(QFile::encodeName(path), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0 && (errno == ENOENT || errno == ENOTDIR))
        return fail(notFoundError(QStringLiteral("there is no file %1").arg(path)));
    if (file.get() < 0)
        return fail(systemError(QStringLiteral("cannot read"), path, errno));
    QByteArray bytes;
    while (true) {
        constexpr qsizetype kStep = 1 << 16;
        const qsizetype before = bytes.size();
        bytes.resize(before + std::max(kStep, before));
        const auto got = ::read(file.get(), bytes.data() + before, size_t(bytes.size() - before));
        const int code = errno;
        bytes.resize(before + (got > 0 ? got : 0));
        if (got < 0 && code != EINTR)
            return fail(systemError(QStringLiteral("cannot read"), path, code));
        if (got == 0)
            return bytes;
    }
}

Status LocalFileIO::create(const QString &location, const QByteArray &bytes)
{
    IVM_TRY(const QString path, localPath(location));
    const QString folder = QFileInfo(path).path();
    if (const int code = makeFolder(folder))
        return fail(systemError(QStringLiteral("cannot make the folder"), folder, code));
    const QString hidden = folder + QStringLiteral("/.") +
                           QUuid::createUuid().toString(QUuid::Id128) + QStringLiteral(".tmp");
    const QByteArray temporary = QFile::encodeName(hidden);
    int code = writeNewFile(temporary, bytes);
    if (code == 0)
        code = nameWithoutReplacing(temporary, QFile::encodeName(path));
    if (code != 0)
        ::unlink(temporary);
    if (code == EEXIST)
        return fail(alreadyExistsError(QStringLiteral("the file %1 is there already").arg(path)));
    if (code == 0)
        code = syncFolder(folder);
    if (code != 0)
        return fail(systemError(QStringLiteral("cannot write"), path, code));
    return {};
}

Status LocalFileIO::remove(const QString &location)
{
    IVM_TRY(const QString path, localPath(location));
    if (::unlink(QFile::encodeName(path)) != 0 && errno != ENOENT)
        return fail(systemError(QStringLiteral("cannot remove"), path, errno));
    return {};
}

Result<bool> LocalFileIO::exists(const QString &location)
{
    IVM_TRY(const QString path, localPath(location));
    if (::access(QFile::encodeName(path), F_OK) == 0)
        return true;
    if (errno == ENOENT || errno == ENOTDIR)
        return false;
    return fail(systemError(QStringLiteral("cannot look for"), path, errno));
}

Result<qint64> LocalFileIO::size(const QString &location)
{
    IVM_TRY(const QString path, localPath(location));
    const QFileInfo info(path);
    if (!info.exists())
        return fail(notFoundError(QStringLiteral("there is no file %1").arg(path)));
    return info.size();
}

}  // namespace ivm::iceberg
