// A history of migrations in memory, for tests of what uses one. It passes the same conformance
// suite as the real ones.
//
// Threads: any; one mutex inside. Stores made with asProcess() share one history. A test may also
// make the next call fail and read which calls were made.
#pragma once

#include "framework/api/history.h"
#include "framework/base/clock.h"

#include <QMap>
#include <QMutex>
#include <QSet>

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

namespace ivm::test {

class FakeHistory final : public HistoryStore {
public:
    explicit FakeHistory(const Clock &clock, ProcessIdentity self = thisProcess())
        : m_self(std::move(self)), m_shared(std::make_shared<Shared>(clock))
    {
    }

    // The same history as another process has it.
    std::unique_ptr<FakeHistory> asProcess(const ProcessIdentity &self) const
    {
        return std::unique_ptr<FakeHistory>(new FakeHistory(self, m_shared));
    }

    // The next call of the method with this name gives the error instead of doing anything.
    void failNext(const QString &method, Error error)
    {
        QMutexLocker lock(&m_shared->mutex);
        m_shared->failures.insert(method, std::move(error));
    }
    // What another does right before the next acquire(), of which this one knows nothing.
    void beforeNextAcquire(std::function<void()> work)
    {
        QMutexLocker lock(&m_shared->mutex);
        m_shared->beforeAcquire = std::move(work);
    }
    // Every call in order: "acquire default".
    QStringList calls() const
    {
        QMutexLocker lock(&m_shared->mutex);
        return m_shared->calls;
    }
    // Whether anything was written.
    bool isMade() const
    {
        QMutexLocker lock(&m_shared->mutex);
        return m_shared->made;
    }
    // A statement of the sessions with this purpose is at work from now on, or has ended.
    void setAtWork(const QString &purpose, bool atWork)
    {
        QMutexLocker lock(&m_shared->mutex);
        if (atWork)
            m_shared->atWork.insert(purpose);
        else
            m_shared->atWork.remove(purpose);
    }

    Result<MigrationHistory> history(const Call &call) override
    {
        QMutexLocker lock(&m_shared->mutex);
        IVM_CHECK(begin(QStringLiteral("history"), {}, call));
        MigrationHistory history{.records = m_shared->records.values(),
                                 .open = openEvents(m_shared->events),
                                 .views = m_shared->views.values(),
                                 .locks = {},
                                 .lastEvent = {}};
        for (const auto &held : std::as_const(m_shared->locks))
            history.locks.append(seen(held));
        for (const auto &event : std::as_const(m_shared->events)) {
            QDateTime &last = history.lastEvent[event.line];
            last = last.isValid() ? std::max(last, event.at) : event.at;
        }
        return history;
    }

    Result<QList<MigrationEvent>> events(const QString &line, const Call &call) override
    {
        QMutexLocker lock(&m_shared->mutex);
        IVM_CHECK(begin(QStringLiteral("events"), line, call));
        auto events = m_shared->events;
        events.removeIf([&](const MigrationEvent &event) { return event.line != line; });
        std::ranges::stable_sort(events, {}, &MigrationEvent::at);
        return events;
    }

    Result<MigrationLock> acquire(const LockRequest &request, const Call &call) override
    {
        QMutexLocker lock(&m_shared->mutex);
        if (const auto meanwhile = std::exchange(m_shared->beforeAcquire, {})) {
            lock.unlock();
            meanwhile();
            lock.relock();
        }
        IVM_CHECK(begin(QStringLiteral("acquire"), request.line, call));
        if (const auto held = m_shared->locks.constFind(request.line);
            held != m_shared->locks.constEnd()) {
            const MigrationLock other = seen(*held);
            if (!other.isStale || m_shared->atWork.contains(migrationPurpose(other.token)))
                return fail(lockHeldError(other));
        }
        const QDateTime now = m_shared->clock.now();
        const MigrationLock taken{.line = request.line,
                                  .token = QStringLiteral("lock-%1").arg(++m_shared->lastToken),
                                  .owner = request.owner,
                                  .process = m_self,
                                  .doing = request.doing,
                                  .since = now};
        m_shared->locks.insert(request.line, {taken, now, request.lifetime});
        m_shared->made = true;
        return taken;
    }

    Status renew(const MigrationLock &held, const QString &doing, const Call &call) override
    {
        QMutexLocker lock(&m_shared->mutex);
        IVM_CHECK(begin(QStringLiteral("renew"), held.line, call));
        const auto found = m_shared->locks.find(held.line);
        if (found == m_shared->locks.end() || found->lock.token != held.token)
            return fail(lockLostError(held.line));
        found->lock.doing = doing;
        found->heartbeat = m_shared->clock.now();
        return {};
    }

    Status release(const MigrationLock &held, const Call &call) override
    {
        QMutexLocker lock(&m_shared->mutex);
        IVM_CHECK(begin(QStringLiteral("release"), held.line, call));
        if (m_shared->locks.value(held.line).lock.token == held.token)
            m_shared->locks.remove(held.line);
        return {};
    }

    Status breakLock(const QString &line, const Call &call) override
    {
        QMutexLocker lock(&m_shared->mutex);
        IVM_CHECK(begin(QStringLiteral("breakLock"), line, call));
        if (m_shared->locks.remove(line) == 0)
            return fail(noLockError(line));
        return {};
    }

    Status append(const QList<MigrationEvent> &events, const Call &call) override
    {
        QMutexLocker lock(&m_shared->mutex);
        const QString what = events.isEmpty() ? QString() : events.last().event;
        IVM_CHECK(begin(QStringLiteral("append"), what, call));
        m_shared->events += events;
        m_shared->made = true;
        return {};
    }

    Status save(const MigrationRecord &record, const Call &call) override
    {
        QMutexLocker lock(&m_shared->mutex);
        IVM_CHECK(begin(QStringLiteral("save"), QString::number(record.version), call));
        m_shared->records.insert({record.line, record.version}, record);
        m_shared->made = true;
        return {};
    }

    Status changeViews(const QList<MigratedView> &saved, const QStringList &removed,
                       const Call &call) override
    {
        QMutexLocker lock(&m_shared->mutex);
        IVM_CHECK(begin(QStringLiteral("changeViews"), {}, call));
        for (const auto &view : saved) {
            const auto known = m_shared->views.constFind(view.name);
            if (known != m_shared->views.cend() && known->line != view.line)
                return fail(otherLineError(view.name, known->line));
        }
        for (const auto &name : removed)
            m_shared->views.remove(name);
        for (const auto &view : saved)
            m_shared->views.insert(view.name, view);
        m_shared->made = true;
        return {};
    }

private:
    struct Held {
        MigrationLock lock;
        QDateTime heartbeat;
        std::chrono::seconds lifetime{0};
    };

    struct Shared {
        explicit Shared(const Clock &theClock) : clock(theClock) {}

        const Clock &clock;
        QMutex mutex;
        QHash<QString, Error> failures;
        std::function<void()> beforeAcquire;
        QStringList calls;
        QSet<QString> atWork;
        bool made = false;
        int lastToken = 0;
        QMap<std::pair<QString, qint64>, MigrationRecord> records;
        QList<MigrationEvent> events;
        QMap<QString, MigratedView> views;
        QMap<QString, Held> locks;
    };

    FakeHistory(ProcessIdentity self, std::shared_ptr<Shared> shared)
        : m_self(std::move(self)), m_shared(std::move(shared))
    {
    }

    Status begin(const QString &method, const QString &subject, const Call &call)
    {
        m_shared->calls.append(subject.isEmpty() ? method : QString(method + u' ' + subject));
        IVM_CHECK(call.check(u"the history of migrations"));
        if (!m_shared->failures.contains(method))
            return {};
        return fail(m_shared->failures.take(method));
    }

    MigrationLock seen(const Held &held) const
    {
        MigrationLock lock = held.lock;
        lock.age = std::chrono::seconds(held.heartbeat.secsTo(m_shared->clock.now()));
        lock.isStale = lock.age > held.lifetime || !mayLive(lock.process, m_self);
        return lock;
    }

    const ProcessIdentity m_self;
    const std::shared_ptr<Shared> m_shared;
};

}  // namespace ivm::test
