#include "document.h"

#include <QFile>
#include <QJsonDocument>
#include <QLockFile>
#include <QSaveFile>

using namespace ivm;

namespace example_plugin {

namespace {

constexpr int kLongestWait = 10'000;  // milliseconds

}  // namespace

Status Document::locked(const std::function<Status()> &work)
{
    QMutexLocker mine(&m_mutex);
    QLockFile lock(m_path + QStringLiteral(".lock"));
    if (!lock.tryLock(kLongestWait))
        return fail(
            unavailableError(QStringLiteral("state store %1 cannot be locked").arg(m_path)));
    return work();
}

Status Document::read(const std::function<Status(const QJsonObject &)> &work)
{
    return locked([&]() -> Status {
        IVM_TRY(const QJsonObject all, load());
        return work(all);
    });
}

Status Document::write(const std::function<Status(QJsonObject &)> &work)
{
    return locked([&]() -> Status {
        IVM_TRY(QJsonObject all, load());
        IVM_CHECK(work(all));
        return save(all);
    });
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
