// The state store on one SQLite file, shared by `ivmd` and any number of `ivmctl`.
//
// Threads and lifetime: as StateStore; the clock outlives the store.
#pragma once

#include "framework/api/store.h"
#include "framework/base/clock.h"
#include "plugins/store_sqlite/database.h"
#include "framework/base/process_identity.h"

#include <memory>

namespace ivm::sqlite {

class SqliteStore final : public StateStore {
public:
    // Opens the file, making or upgrading it where needed; a file that is up to date is not written
    // to. Unavailable, Corrupt, Unsupported (newer version), Invalid (not a store).
    static Result<std::unique_ptr<SqliteStore>> open(const QString &path, const Clock &clock,
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

    Status addRecords(const QList<RefreshRecord> &records) override;
    Result<QList<RefreshRecord>> records(const QString &view, int most) override;

private:
    SqliteStore(const QString &path, const Clock &clock, ProcessIdentity self);

    qint64 now() const { return m_clock.now().toMSecsSinceEpoch(); }
    // None, with a warning, where the data is no bookmark.
    std::optional<Bookmark> readBookmark(const QString &view, const QString &data) const;
    Status insertRecord(const RefreshRecord &record);
    Status forgetIn(std::initializer_list<const char *> tables, const QString &view);
    struct Holder {
        QString owner;
        qint64 since = 0;  // milliseconds since the epoch
        qint64 until = 0;
    };
    Result<std::optional<Holder>> liveHolder(const TableName &target);
    Status refuseWhileHeld(const TableName &target);

    Database m_database;
    const Clock &m_clock;
    ProcessIdentity m_self;
};

}  // namespace ivm::sqlite
