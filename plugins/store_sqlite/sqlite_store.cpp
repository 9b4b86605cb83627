#include "plugins/store_sqlite/sqlite_store.h"

#include "framework/api/lease_error.h"
#include "framework/base/log.h"
#include "plugins/store_sqlite/schema.h"

#include <QUuid>
#include <QVariant>

namespace ivm::sqlite {

namespace {

// A target's name as the key of its lease: quoted, so that no two names give one key.
QString leaseKey(const TableName &target) { return target.quoted(); }

// An empty text, since a null QString would become SQL's NULL.
QString text(const QString &value) { return value.isNull() ? QStringLiteral("") : value; }

RefreshRecord recordFrom(const QSqlQuery &row, const QString &view)
{
    return {.view = view,
            .action = row.value(0).toString(),
            .reason = row.value(1).toString(),
            .started = QDateTime::fromMSecsSinceEpoch(row.value(2).toLongLong(), Qt::UTC),
            .seconds = row.value(3).toDouble(),
            .rowsRead = row.value(4).toLongLong(),
            .rowsWritten = row.value(5).toLongLong(),
            .rowsDeleted = row.value(6).toLongLong(),
            .statementId = row.value(7).toString(),
            .error = row.value(8).toString()};
}

}  // namespace

SqliteStore::SqliteStore(const QString &path, const Clock &clock, ProcessIdentity self)
    : m_database(path), m_clock(clock), m_self(std::move(self))
{
}

Result<std::unique_ptr<SqliteStore>> SqliteStore::open(const QString &path, const Clock &clock,
                                                       ProcessIdentity self)
{
    std::unique_ptr<SqliteStore> store(new SqliteStore(path, clock, std::move(self)));
    IVM_CHECK(bringUpToDate(store->m_database));
    return store;
}

Result<QList<Bookmark>> SqliteStore::bookmarks()
{
    IVM_TRY(auto rows,
            m_database.run(QStringLiteral("SELECT view, data FROM bookmarks ORDER BY view")));
    QList<Bookmark> out;
    while (rows.next()) {
        if (auto read = readBookmark(rows.value(0).toString(), rows.value(1).toString()))
            out.append(*std::move(read));
    }
    return out;
}

Result<std::optional<Bookmark>> SqliteStore::bookmark(const QString &view)
{
    IVM_TRY(auto rows, m_database.run(QStringLiteral("SELECT data FROM bookmarks WHERE view = ?"),
                                      {text(view)}));
    if (!rows.next())
        return std::optional<Bookmark>();
    return readBookmark(view, rows.value(0).toString());
}

std::optional<Bookmark> SqliteStore::readBookmark(const QString &view, const QString &data) const
{
    const QString what = m_database.about(QStringLiteral("bookmark of view '%1'").arg(view));
    auto bookmark = Bookmark::fromJson(data.toUtf8(), what);
    if (bookmark)
        return *std::move(bookmark);
    qCWarning(logStore, "%s; the view will be diffed", qPrintable(bookmark.error().message));
    return {};
}

Status SqliteStore::saveBookmark(const Bookmark &bookmark)
{
    return m_database.write(Durability::PowerLoss, [&]() -> Status {
        IVM_CHECK(
            m_database.run(QStringLiteral("INSERT INTO bookmarks (view, data) VALUES (?, ?) "
                                          "ON CONFLICT (view) DO UPDATE SET data = excluded.data"),
                           {text(bookmark.view), QString::fromUtf8(bookmark.toJson())}));
        IVM_CHECK(m_database.run(QStringLiteral("DELETE FROM intents WHERE view = ?"),
                                 {text(bookmark.view)}));
        return {};
    });
}

Status SqliteStore::forgetBookmark(const QString &view)
{
    return forgetIn({"bookmarks", "intents"}, view);
}

Status SqliteStore::forgetView(const QString &view)
{
    return forgetIn({"bookmarks", "intents", "records"}, view);
}

Status SqliteStore::forgetIn(std::initializer_list<const char *> tables, const QString &view)
{
    return m_database.write(Durability::PowerLoss, [&]() -> Status {
        for (const auto *table : tables)
            IVM_CHECK(m_database.run(
                QStringLiteral("DELETE FROM %1 WHERE view = ?").arg(QLatin1StringView(table)),
                {text(view)}));
        return {};
    });
}

Result<std::optional<Intent>> SqliteStore::intent(const QString &view)
{
    IVM_TRY(auto rows, m_database.run(QStringLiteral("SELECT data FROM intents WHERE view = ?"),
                                      {text(view)}));
    if (!rows.next())
        return std::optional<Intent>();
    const QString what = m_database.about(QStringLiteral("intent of view '%1'").arg(view));
    auto intent = Intent::fromJson(rows.value(0).toString().toUtf8(), what);
    if (!intent)
        return fail(std::move(intent).error().withHint(
            u"Whether its commit landed is not known: delete its row of the table intents, and the "
            u"view is compared whole"));
    return std::optional<Intent>(*std::move(intent));
}

Status SqliteStore::saveIntent(const Intent &intent)
{
    return m_database.write(Durability::PowerLoss, [&]() -> Status {
        IVM_CHECK(
            m_database.run(QStringLiteral("INSERT INTO intents (view, data) VALUES (?, ?) "
                                          "ON CONFLICT (view) DO UPDATE SET data = excluded.data"),
                           {text(intent.view), QString::fromUtf8(intent.toJson())}));
        return {};
    });
}

Status SqliteStore::forgetIntent(const QString &view) { return forgetIn({"intents"}, view); }

// A lease that stands: neither run out, nor of a process that is certainly gone.
Result<std::optional<SqliteStore::Holder>> SqliteStore::liveHolder(const TableName &target)
{
    IVM_TRY(auto rows,
            m_database.run(
                QStringLiteral("SELECT owner, machine, pid, started, since, until FROM leases "
                               "WHERE target = ?"),
                {leaseKey(target)}));
    if (!rows.next())
        return std::nullopt;
    const ProcessIdentity process{rows.value(1).toString(), rows.value(2).toLongLong(),
                                  rows.value(3).toLongLong()};
    const qint64 until = rows.value(5).toLongLong();
    if (until <= now() || !mayLive(process, m_self))
        return std::nullopt;
    return Holder{rows.value(0).toString(), rows.value(4).toLongLong(), until};
}

Result<QString> SqliteStore::leaseHolder(const TableName &target)
{
    IVM_TRY(const auto holder, liveHolder(target));
    return holder ? holder->owner : QString();
}

Status SqliteStore::refuseWhileHeld(const TableName &target)
{
    IVM_TRY(const auto holder, liveHolder(target));
    if (!holder)
        return {};
    const auto time = [](qint64 millis) { return QDateTime::fromMSecsSinceEpoch(millis, Qt::UTC); };
    return fail(leaseHeldError(target, holder->owner, time(holder->since), time(holder->until)));
}

Result<QString> SqliteStore::acquireLease(const LeaseRequest &request)
{
    const QString token = QUuid::createUuid().toString(QUuid::WithoutBraces);
    const qint64 since = now();
    const qint64 until = since + std::chrono::milliseconds(request.lifetime).count();
    const Status taken = m_database.write(Durability::Crash, [&]() -> Status {
        IVM_CHECK(refuseWhileHeld(request.target));
        IVM_CHECK(m_database.run(QStringLiteral("INSERT OR REPLACE INTO leases (target, token, "
                                                "owner, machine, pid, started, since, "
                                                "until) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
                                 {leaseKey(request.target), token, text(request.owner),
                                  m_self.machine, m_self.pid, m_self.started, since, until}));
        return {};
    });
    IVM_CHECK(taken);
    return token;
}

Status SqliteStore::renewLease(const QString &token, std::chrono::seconds lifetime)
{
    const qint64 until = now() + std::chrono::milliseconds(lifetime).count();
    return m_database.write(Durability::Crash, [&]() -> Status {
        IVM_TRY(const auto done,
                m_database.run(QStringLiteral("UPDATE leases SET until = ? WHERE token = ?"),
                               {until, token}));
        if (done.numRowsAffected() == 1)
            return {};
        return fail(leaseLostError());
    });
}

Status SqliteStore::releaseLease(const QString &token)
{
    return m_database.write(Durability::Crash, [&]() -> Status {
        IVM_CHECK(m_database.run(QStringLiteral("DELETE FROM leases WHERE token = ?"), {token}));
        return {};
    });
}

Status SqliteStore::addRecords(const QList<RefreshRecord> &records)
{
    return m_database.write(Durability::Crash, [&]() -> Status {
        for (const auto &record : records)
            IVM_CHECK(insertRecord(record));
        return {};
    });
}

Status SqliteStore::insertRecord(const RefreshRecord &record)
{
    IVM_CHECK(m_database.run(
        QStringLiteral("INSERT INTO records (view, action, reason, started, seconds, rows_read, "
                       "rows_written, rows_deleted, statement_id, error) "
                       "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
        {text(record.view), text(record.action), text(record.reason),
         record.started.toMSecsSinceEpoch(), record.seconds, record.rowsRead, record.rowsWritten,
         record.rowsDeleted, text(record.statementId), text(record.error)}));
    IVM_CHECK(m_database.run(
        QStringLiteral("DELETE FROM records WHERE view = ? AND id <= (SELECT id FROM records "
                       "WHERE view = ? ORDER BY id DESC LIMIT 1 OFFSET ?)"),
        {text(record.view), text(record.view), kRecordsKept}));
    return {};
}

Result<QList<RefreshRecord>> SqliteStore::records(const QString &view, int most)
{
    IVM_TRY(auto rows,
            m_database.run(
                QStringLiteral("SELECT action, reason, started, seconds, rows_read, rows_written, "
                               "rows_deleted, statement_id, error FROM records WHERE view = ? "
                               "ORDER BY id DESC LIMIT ?"),
                {text(view), std::max(most, 0)}));
    QList<RefreshRecord> out;
    while (rows.next())
        out.append(recordFrom(rows, view));
    return out;
}

}  // namespace ivm::sqlite
