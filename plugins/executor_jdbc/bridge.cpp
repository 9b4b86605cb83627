#include "plugins/executor_jdbc/bridge.h"

#include "plugins/executor_jdbc/bridge_owner.h"

#include <QJsonDocument>

#include <mutex>

namespace ivm::jdbc {

namespace {

// The bridge takes no longer line.
constexpr qsizetype kLongestRequest = 8 << 20;

QByteArray lineOf(QJsonObject &request, quint64 id)
{
    request.insert(QStringLiteral("call"), qint64(id));
    return QJsonDocument(request).toJson(QJsonDocument::Compact) + '\n';
}

}  // namespace

Bridge::Bridge(const BridgeCommand &command)
    : m_command(command), m_owner(new BridgeOwner(command, m_processId))
{
    m_thread.setObjectName(QStringLiteral("jdbc-bridge"));
    m_owner->moveToThread(&m_thread);
    m_thread.start();
}

Bridge::~Bridge()
{
    QMetaObject::invokeMethod(m_owner, [this] { m_owner->stop(); }, Qt::BlockingQueuedConnection);
    m_thread.quit();
    m_thread.wait();
    delete m_owner;
}

Result<BridgeAnswer> Bridge::call(QJsonObject request, std::optional<quint64> run, const Call &call)
{
    const QStringView what = u"the call to the JDBC bridge";
    IVM_CHECK(call.check(what));
    const auto waiter = std::make_shared<Waiter>();
    const quint64 id = ++m_lastCall;
    const QByteArray line = lineOf(request, id);
    if (line.size() > kLongestRequest)
        return fail(invalidError(QStringLiteral("the statement is too long for the JDBC bridge: %1 "
                                                "bytes of at most %2")
                                     .arg(line.size())
                                     .arg(kLongestRequest))
                        .withHint(u"Shorten it, or use the executor 'trino'"));
    QMetaObject::invokeMethod(
        m_owner, [owner = m_owner, id, line, run, waiter] { owner->send(id, line, run, waiter); },
        Qt::QueuedConnection);
    if (auto outcome = waiter->wait(call.remaining(m_command.patience), call))
        return *std::move(outcome);
    const auto over = call.check(what);
    if (!over) {
        QMetaObject::invokeMethod(
            m_owner, [owner = m_owner, id] { owner->forget(id); }, Qt::QueuedConnection);
        return fail(over.error());
    }
    const QString why =
        QStringLiteral("it did not answer within %1 s").arg(m_command.patience.count() / 1000);
    QMetaObject::invokeMethod(
        m_owner, [owner = m_owner, id, why] { owner->giveUp(id, why); }, Qt::QueuedConnection);
    return fail(unavailableError(QStringLiteral("the JDBC bridge hangs: ") + why)
                    .withCode(kBridgeEnded)
                    .withHint(u"It is ended, and started again with the next session"));
}

void Bridge::tell(QJsonObject request, std::optional<quint64> run)
{
    const quint64 id = ++m_lastCall;
    QMetaObject::invokeMethod(
        m_owner,
        [owner = m_owner, id, line = lineOf(request, id), run] {
            owner->send(id, line, run, nullptr);
        },
        Qt::QueuedConnection);
}

std::shared_ptr<Bridge> sharedBridge(const BridgeCommand &command)
{
    static std::mutex mutex;
    static std::vector<std::pair<BridgeCommand, std::weak_ptr<Bridge>>> bridges;
    const std::scoped_lock lock(mutex);
    std::erase_if(bridges, [](const auto &entry) { return entry.second.expired(); });
    for (const auto &[known, bridge] : bridges) {
        if (known == command) {
            if (auto shared = bridge.lock())
                return shared;
        }
    }
    auto made = std::make_shared<Bridge>(command);
    bridges.emplace_back(command, made);
    return made;
}

}  // namespace ivm::jdbc
