// The state store: bookmarks, intents, leases and records as members of a document.
//
// Threads: any. Lifetime: until the process ends.
#pragma once

#include "document.h"
#include "framework/api/store.h"
#include "framework/base/clock.h"
#include "framework/base/process_identity.h"

namespace example_plugin {

class ExampleStore final : public ivm::StateStore {
public:
    // Unavailable, Corrupt.
    static ivm::Result<std::unique_ptr<ExampleStore>> open(const QString &path,
                                                           const ivm::Clock &clock);

    ivm::Result<QList<ivm::Bookmark>> bookmarks() override;
    ivm::Result<std::optional<ivm::Bookmark>> bookmark(const QString &view) override;
    ivm::Status saveBookmark(const ivm::Bookmark &bookmark) override;
    ivm::Status forgetBookmark(const QString &view) override;
    ivm::Status forgetView(const QString &view) override;

    ivm::Result<std::optional<ivm::Intent>> intent(const QString &view) override;
    ivm::Status saveIntent(const ivm::Intent &intent) override;
    ivm::Status forgetIntent(const QString &view) override;

    ivm::Result<QString> acquireLease(const ivm::LeaseRequest &request) override;
    ivm::Result<QString> leaseHolder(const ivm::TableName &target) override;
    ivm::Status renewLease(const QString &token, std::chrono::seconds lifetime) override;
    ivm::Status releaseLease(const QString &token) override;

    ivm::Status addRecords(const QList<ivm::RefreshRecord> &records) override;
    ivm::Result<QList<ivm::RefreshRecord>> records(const QString &view, int most) override;

private:
    ExampleStore(QString path, const ivm::Clock &clock)
        : m_document(std::move(path)), m_clock(clock)
    {
    }

    ivm::Status forgetIn(const QStringList &tables, const QString &view);
    bool isAlive(const QJsonObject &lease) const;
    QString end(std::chrono::seconds lifetime) const;

    Document m_document;
    const ivm::Clock &m_clock;
    ivm::ProcessIdentity m_self = ivm::thisProcess();
};

}  // namespace example_plugin
