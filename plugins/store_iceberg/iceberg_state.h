// Bookmarks, intents, leases and records in Iceberg tables, through whatever executor runs: for
// hosts without a disk of their own.
//
// One row a view holds its bookmark and its intent, so that one statement changes both. What is
// written under a lease is fenced: it must find the row as this holder left it, else it asks
// whether the lease is still his. So nobody who has lost it writes over his successor.
//
// Threads and lifetime: as StateStore; each call opens a session of its own. The engine is loaded
// by the first call.
#pragma once

#include "plugins/store_iceberg/access.h"
#include "plugins/store_iceberg/known_rows.h"

#include <atomic>
#include <thread>

namespace ivm::store_iceberg {

struct StateOptions {
    QString catalog;
    QString schema;
    // For so long what was read without a lease is believed: a look at many views is one statement.
    std::chrono::milliseconds believed{1000};
    // Each a bit more than a burst of refreshes leaves behind.
    Upkeep upkeep{.mostFiles = 32, .mostSnapshots = 32, .kept = std::chrono::seconds(30)};
    // Programs that live for one refresh tidy, too: one of so many. Else it is always after as many
    // writes.
    bool tidiesByLot = true;
    // The engine's clock, as SQL.
    std::function<QString()> now = [] { return QStringLiteral("current_timestamp(6)"); };
};

class IcebergState final : public StateStore {
public:
    // No I/O.
    IcebergState(const StateOptions &options, ExecutorProvider executor,
                 ProcessIdentity self = thisProcess());

    Result<QList<Bookmark>> bookmarks() override;
    Result<std::optional<Bookmark>> bookmark(const QString &view) override;
    Status saveBookmark(const Bookmark &bookmark) override;
    Status forgetBookmark(const QString &view) override;
    Status forgetView(const QString &view) override;

    Result<std::optional<Intent>> intent(const QString &view) override;
    Status saveIntent(const Intent &intent) override;
    Status forgetIntent(const QString &view) override;

    Result<QString> acquireLease(const LeaseRequest &request) override;
    Result<QString> leaseHolder(const TableName &target) override;
    Status renewLease(const QString &token, std::chrono::seconds lifetime) override;
    Status releaseLease(const QString &token) override;

    // In as few statements as they fit into.
    Status addRecords(const QList<RefreshRecord> &records) override;
    Result<QList<RefreshRecord>> records(const QString &view, int most) override;

    // Few files, few snapshots, few records: done by itself after every so many writes.
    void tidy(const std::stop_token &stop = {});

private:
    static constexpr int kWritesBetween = 48;
    static constexpr int kTidiesBetween = 16;

    static int anyOf(int count);

    // How a row is written: its statement, and what it holds then.
    struct Change {
        QString view;
        QString target;  // quoted; empty where only the view is known
        std::function<QString(const QString &token, const std::optional<Fence> &)> sql;
        std::function<void(ViewRow &)> apply;
    };

    Result<std::unique_ptr<Session>> session(const Call &call) const;
    Result<std::optional<ViewRow>> row(const QString &view);
    Result<std::optional<ViewRow>> readRow(const QString &view, const Call &call);
    Result<QHash<QString, ViewRow>> readRows(const Call &call);
    std::optional<Bookmark> bookmarkIn(const QString &view, const ViewRow &row) const;

    Status change(const Change &change);
    Status insertRecords(Session &session, const QList<RecordById> &records, const Call &call);
    Result<std::optional<KnownRows::Held>> heldFor(const Change &change, const Call &call);
    Status forget(const QString &view, const Call &call);

    Result<QList<LeaseRow>> leases(Session &session, const QString &sql, const Call &call) const;
    Result<std::optional<LeaseRow>> lease(Session &session, const QString &target,
                                          const Call &call) const;
    bool isAlive(const LeaseRow &lease) const;
    Status checkHeld(const QString &target, const QString &token, const Call &call) const;

    // Whether it is time to tidy; whoever is told so does it, and says when it is done.
    bool isDue();
    void wrote();
    void wroteAside();
    void tidyAsAllowed(const Call &call);

    const StateTables m_tables;
    const StateOptions m_options;
    const TableAccess m_access;
    const ProcessIdentity m_self;
    KnownRows m_known;
    // Since it was tidied.
    std::atomic<int> m_writes = m_options.tidiesByLot ? anyOf(kWritesBetween) : 0;
    std::atomic<int> m_tidied = m_options.tidiesByLot ? anyOf(kTidiesBetween) : 0;
    std::atomic<bool> m_isTidying = false;
    std::mutex m_mutex;  // of what follows
    std::jthread m_aside;
};

}  // namespace ivm::store_iceberg
