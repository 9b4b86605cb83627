#include "document.h"

#include <QDeadlineTimer>
#include <QFile>
#include <QJsonDocument>
#include <QSaveFile>

#include <sys/file.h>

#include <cerrno>
#include <thread>

using namespace ivm;

namespace example_plugin {

namespace {

constexpr std::chrono::seconds kLongestWait{10};
constexpr std::chrono::milliseconds kBetweenTries{2};

}  // namespace

// The file is replaced whole, so a reader needs no lock and never waits for writers.
Status Document::read(const std::function<Status(const QJsonObject &)> &work) const
{
    IVM_TRY(const QJsonObject all, load());
    return work(all);
}

// The kernel gives the lock back when `lock` is closed, also where this process is killed. It is
// asked for often: a writer that begins again at once would take it before who asks seldom.
Status Document::write(const std::function<Status(QJsonObject &)> &work)
{
    QFile lock(m_path + QStringLiteral(".lock"));
    if (!lock.open(QIODevice::WriteOnly))
        return fail(
            unavailableError(QStringLiteral("state store %1: %2").arg(m_path, lock.errorString())));
    const QDeadlineTimer deadline(kLongestWait);
    while (flock(lock.handle(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EINTR && (errno != EWOULDBLOCK || deadline.hasExpired()))
            return fail(unavailableError(QStringLiteral("state store %1 cannot be locked: %2")
                                             .arg(m_path, qt_error_string(errno))));
        std::this_thread::sleep_for(kBetweenTries);  // lint: allow sleep: flock has no deadline
    }
    IVM_TRY(QJsonObject all, load());
    IVM_CHECK(work(all));
    return save(all);
}

Result<QJsonObject> Document::load() const
{
    QFile file(m_path);
    if (!file.exists())
        return QJsonObject();
    if (!file.open(QIODevice::ReadOnly))
        return fail(
            unavailableError(QStringLiteral("state store %1: %2").arg(m_path, file.errorString())));
    QJsonParseError problem;
    const auto document = QJsonDocument::fromJson(file.readAll(), &problem);
    if (!document.isObject())
        return fail(
            corruptError(QStringLiteral("state store %1: %2").arg(m_path, problem.errorString())));
    return document.object();
}

// The file as it was or as it is to be, never half of it.
Status Document::save(const QJsonObject &all) const
{
    QSaveFile file(m_path);
    if (!file.open(QIODevice::WriteOnly) ||
        file.write(QJsonDocument(all).toJson(QJsonDocument::Compact)) < 0 || !file.commit())
        return fail(
            unavailableError(QStringLiteral("state store %1: %2").arg(m_path, file.errorString())));
    return {};
}

}  // namespace example_plugin
