// What this process knows of the state's rows without asking.
//
// Of a view whose target this process holds the lease of, all: nobody else writes it. Of others,
// what was read within the last moment, and since the last lease was taken: what is read under a
// lease was never read before it. Threads: any. No I/O.
#pragma once

#include "plugins/store_iceberg/state_statements.h"

#include <QHash>

#include <chrono>
#include <mutex>

namespace ivm::store_iceberg {

class KnownRows {
public:
    // One that may not be there.
    using MaybeRow = std::optional<ViewRow>;
    // When something was read: before which leases.
    using Moment = int;

    struct Held {
        QString lease;
        QString target;
        std::optional<MaybeRow> row;  // none: not read yet
    };

    explicit KnownRows(std::chrono::milliseconds believed) : m_believed(believed) {}

    Moment now() const;
    bool holdsNothing() const;

    // None: ask.
    std::optional<MaybeRow> row(const QString &view) const;
    std::optional<QList<LeaseRow>> leases() const;
    std::optional<QHash<QString, RefreshRecord>> lastRecords() const;

    void read(const QString &view, const MaybeRow &row, Moment before);
    void readAll(const QHash<QString, ViewRow> &rows, Moment before);
    void readLeases(const QList<LeaseRow> &leases, Moment before);
    void readLastRecords(const QHash<QString, RefreshRecord> &records, Moment before);

    // Under whose lease a view's row is written, by its target or else by what was read of it.
    std::optional<Held> heldFor(const QString &view, const QString &target) const;
    void keep(const QString &lease, const QString &view, const MaybeRow &row);
    // After a write without a lease.
    void forget(const QString &view);
    void forgetRecords();

    void acquired(const QString &lease, const QString &target);
    std::optional<QString> targetOf(const QString &lease) const;
    void released(const QString &lease);

private:
    using Time = std::chrono::steady_clock::time_point;

    struct Lease {
        QString target;
        Moment since = 0;
        QHash<QString, MaybeRow> rows;
    };
    template <typename T>
    struct Seen {
        T what;
        Time at;
    };

    bool isFresh(Time at) const { return std::chrono::steady_clock::now() - at < m_believed; }
    void forgetSeen();

    const std::chrono::milliseconds m_believed;
    mutable std::mutex m_mutex;
    Moment m_now = 0;
    QHash<QString, Lease> m_held;
    std::optional<Seen<QHash<QString, ViewRow>>> m_rows;
    std::optional<Seen<QList<LeaseRow>>> m_leases;
    std::optional<Seen<QHash<QString, RefreshRecord>>> m_records;
};

}  // namespace ivm::store_iceberg
