// A state store in memory, for tests of what uses one. It passes the same conformance suite as the
// real ones.
//
// Threads: any; one mutex inside. A test may also make the next call fail and read which calls were
// made.
#pragma once

#include "framework/api/store.h"
#include "tests/support/fake_clock.h"

#include <QHash>
#include <QMutex>

#include <algorithm>

namespace ivm::test {

class FakeStore : public StateStore {
public:
    explicit FakeStore(const Clock &clock) : m_clock(clock) {}

    // The next call of the method with this name gives the error instead of doing anything.
    void failNext(const QString &method, Error error)
    {
        QMutexLocker lock(&m_mutex);
        m_failures.insert(method, std::move(error));
    }
    // Every call in order: "saveIntent hourly".
    QStringList calls() const
    {
        QMutexLocker lock(&m_mutex);
        return m_calls;
    }

    Result<QList<Bookmark>> bookmarks() override
    {
        QMutexLocker lock(&m_mutex);
        IVM_CHECK(begin(QStringLiteral("bookmarks"), {}));
        return m_bookmarks.values();
    }

    Result<std::optional<Bookmark>> bookmark(const QString &view) override
    {
        QMutexLocker lock(&m_mutex);
        IVM_CHECK(begin(QStringLiteral("bookmark"), view));
        return find(m_bookmarks, view);
    }

    Status saveBookmark(const Bookmark &bookmark) override
    {
        QMutexLocker lock(&m_mutex);
        IVM_CHECK(begin(QStringLiteral("saveBookmark"), bookmark.view));
        m_bookmarks.insert(bookmark.view, bookmark);
        m_intents.remove(bookmark.view);
        return {};
    }

    Status forgetBookmark(const QString &view) override
    {
        QMutexLocker lock(&m_mutex);
        IVM_CHECK(begin(QStringLiteral("forgetBookmark"), view));
        m_bookmarks.remove(view);
        m_intents.remove(view);
        return {};
    }

    Status forgetView(const QString &view) override
    {
        QMutexLocker lock(&m_mutex);
        IVM_CHECK(begin(QStringLiteral("forgetView"), view));
        m_bookmarks.remove(view);
        m_intents.remove(view);
        m_records.remove(view);
        return {};
    }

    Result<std::optional<Intent>> intent(const QString &view) override
    {
        QMutexLocker lock(&m_mutex);
        IVM_CHECK(begin(QStringLiteral("intent"), view));
        return find(m_intents, view);
    }

    Status saveIntent(const Intent &intent) override
    {
        QMutexLocker lock(&m_mutex);
        IVM_CHECK(begin(QStringLiteral("saveIntent"), intent.view));
        m_intents.insert(intent.view, intent);
        return {};
    }

    Status forgetIntent(const QString &view) override
    {
        QMutexLocker lock(&m_mutex);
        IVM_CHECK(begin(QStringLiteral("forgetIntent"), view));
        m_intents.remove(view);
        return {};
    }

    Result<QString> acquireLease(const LeaseRequest &request) override
    {
        QMutexLocker lock(&m_mutex);
        IVM_CHECK(begin(QStringLiteral("acquireLease"), request.target.text()));
        const auto held = m_leases.constFind(request.target);
        if (held != m_leases.constEnd() && held->until > m_clock.now())
            return fail(conflictError(QStringLiteral("%1 is being refreshed by %2 since %3")
                                          .arg(request.target.text(), held->owner,
                                               held->since.toString(Qt::ISODate)))
                            .withCode(u"lease_held"));
        const QString token = QStringLiteral("lease-%1").arg(++m_lastToken);
        m_leases.insert(request.target,
                        {token, request.owner, m_clock.now(), end(request.lifetime)});
        return token;
    }

    Result<QString> leaseHolder(const TableName &target) override
    {
        QMutexLocker lock(&m_mutex);
        IVM_CHECK(begin(QStringLiteral("leaseHolder"), target.text()));
        const auto held = m_leases.constFind(target);
        return held != m_leases.constEnd() && held->until > m_clock.now() ? held->owner : QString();
    }

    Status renewLease(const QString &token, std::chrono::seconds lifetime) override
    {
        QMutexLocker lock(&m_mutex);
        IVM_CHECK(begin(QStringLiteral("renewLease"), token));
        for (auto &lease : m_leases) {
            if (lease.token == token) {
                lease.until = end(lifetime);
                return {};
            }
        }
        return fail(conflictError(QStringLiteral("the lease was lost")).withCode(u"lease_lost"));
    }

    Status releaseLease(const QString &token) override
    {
        QMutexLocker lock(&m_mutex);
        IVM_CHECK(begin(QStringLiteral("releaseLease"), token));
        m_leases.removeIf([&](const auto &entry) { return entry.value().token == token; });
        return {};
    }

    Status addRecords(const QList<RefreshRecord> &records) override
    {
        QMutexLocker lock(&m_mutex);
        IVM_CHECK(begin(QStringLiteral("addRecords"), records.value(0).view));
        for (const auto &record : records) {
            auto &list = m_records[record.view];
            list.prepend(record);
            list.resize(std::min<qsizetype>(list.size(), kRecordsKept));
        }
        return {};
    }

    Result<QList<RefreshRecord>> records(const QString &view, int most) override
    {
        QMutexLocker lock(&m_mutex);
        IVM_CHECK(begin(QStringLiteral("records"), view));
        return m_records.value(view).mid(0, std::max(most, 0));
    }

private:
    struct Lease {
        QString token;
        QString owner;
        QDateTime since;
        QDateTime until;
    };

    Status begin(const QString &method, const QString &subject)
    {
        m_calls.append(subject.isEmpty() ? method : QString(method + u' ' + subject));
        if (!m_failures.contains(method))
            return {};
        return fail(m_failures.take(method));
    }

    QDateTime end(std::chrono::seconds lifetime) const
    {
        return m_clock.now().addSecs(lifetime.count());
    }

    template <typename T>
    static std::optional<T> find(const QMap<QString, T> &map, const QString &view)
    {
        const auto found = map.constFind(view);
        return found == map.constEnd() ? std::nullopt : std::optional<T>(*found);
    }

    const Clock &m_clock;
    mutable QMutex m_mutex;
    QHash<QString, Error> m_failures;
    QStringList m_calls;
    QMap<QString, Bookmark> m_bookmarks;
    QMap<QString, Intent> m_intents;
    QHash<TableName, Lease> m_leases;
    QHash<QString, QList<RefreshRecord>> m_records;
    int m_lastToken = 0;
};

}  // namespace ivm::test
