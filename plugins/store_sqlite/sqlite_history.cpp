#include "plugins/store_sqlite/sqlite_history.h"

#include "plugins/store_sqlite/schema.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QUuid>
#include <QVariant>

namespace ivm::sqlite {

namespace {

const QString kRecordColumns = QStringLiteral(
    "line, version, description, applied_at, status, error, checksum, duration_ms, applied_by");
const QString kEventColumns = QStringLiteral(
    "id, at, version, line, event, step, actor, host, tool_version, checksum, detail");
const QString kViewColumns = QStringLiteral("name, line, version, definition, earlier, held");
const QString kLockColumns =
    QStringLiteral("line, token, owner, machine, pid, started, doing, since, heartbeat, lifetime");

// An empty text, since a null QString would become SQL's NULL.
QString text(const QString &value) { return value.isNull() ? QStringLiteral("") : value; }

QDateTime timeOf(const QVariant &value)
{
    return QDateTime::fromMSecsSinceEpoch(value.toLongLong(), Qt::UTC);
}

QString heldText(const QList<SnapshotId> &held)
{
    QJsonArray array;
    for (const auto id : held)
        array.append(id);
    return QString::fromUtf8(QJsonDocument(array).toJson(QJsonDocument::Compact));
}

QList<SnapshotId> heldFrom(const QString &text)
{
    QList<SnapshotId> held;
    const auto array = QJsonDocument::fromJson(text.toUtf8()).array();
    for (const auto &id : array)
        held.append(id.toInteger());
    return held;
}

MigrationEvent eventFrom(const QSqlQuery &row)
{
    return {.id = row.value(0).toString(),
            .at = timeOf(row.value(1)),
            .version = row.value(2).toLongLong(),
            .line = row.value(3).toString(),
            .event = row.value(4).toString(),
            .step = row.value(5).toLongLong(),
            .actor = row.value(6).toString(),
            .host = row.value(7).toString(),
            .toolVersion = row.value(8).toString(),
            .checksum = row.value(9).toString(),
            .detail = row.value(10).toString()};
}

MigratedView viewFrom(const QSqlQuery &row)
{
    return {.name = row.value(0).toString(),
            .line = row.value(1).toString(),
            .version = row.value(2).toLongLong(),
            .definition = row.value(3).toString(),
            .earlier = row.value(4).toString(),
            .held = heldFrom(row.value(5).toString())};
}

// "INSERT OR REPLACE INTO t (a, b) VALUES (?, ?)".
QString insertSql(QStringView verb, QStringView table, const QString &columns)
{
    const auto count = columns.count(u',') + 1;
    return QStringLiteral("%1 INTO %2 (%3) VALUES (%4)")
        .arg(verb, table, columns, QStringList(count, QStringLiteral("?")).join(u','));
}

template <typename T, typename From>
QList<T> all(QSqlQuery &rows, From from)
{
    QList<T> out;
    while (rows.next())
        out.append(from(rows));
    return out;
}

}  // namespace

SqliteHistory::SqliteHistory(const QString &path, const Clock &clock, ExecutorProvider executor,
                             ProcessIdentity self)
    : m_database(path), m_clock(clock), m_executor(std::move(executor)), m_self(std::move(self))
{
}

// A file that is only opened would be made.
Result<bool> SqliteHistory::isMade()
{
    if (!QFileInfo::exists(m_database.path()))
        return false;
    IVM_TRY(const qint64 version, schemaVersion(m_database));
    return version >= kHistoryVersion;
}

// Nothing is done where there is no history yet.
Status SqliteHistory::read(const Call &call, const std::function<Status()> &work)
{
    IVM_CHECK(call.check(u"reading the history of migrations"));
    IVM_TRY(const bool made, isMade());
    return made ? m_database.read(work) : Status();
}

Status SqliteHistory::write(Durability durability, const Call &call,
                            const std::function<Status()> &work)
{
    IVM_CHECK(call.check(u"writing the history of migrations"));
    IVM_CHECK(bringUpToDate(m_database));
    return m_database.write(durability, work);
}

Result<MigrationHistory> SqliteHistory::history(const Call &call)
{
    MigrationHistory history;
    const auto work = [&]() -> Status {
        IVM_TRY(auto records, m_database.run(QStringLiteral("SELECT %1 FROM migration_history "
                                                            "ORDER BY line, version")
                                                 .arg(kRecordColumns)));
        while (records.next()) {
            const auto status = migrationStatusFromName(records.value(4).toString());
            if (!status)
                return fail(corruptError(m_database.about(
                    QStringLiteral("migration %1 of '%2' has the status '%3'")
                        .arg(records.value(1).toString(), records.value(0).toString(),
                             records.value(4).toString()))));
            history.records.append({.version = records.value(1).toLongLong(),
                                    .line = records.value(0).toString(),
                                    .description = records.value(2).toString(),
                                    .appliedAt = timeOf(records.value(3)),
                                    .status = *status,
                                    .error = records.value(5).toString(),
                                    .checksum = records.value(6).toString(),
                                    .durationMs = records.value(7).toLongLong(),
                                    .appliedBy = records.value(8).toString()});
        }
        // From the last event on that closed a run.
        IVM_TRY(auto events,
                m_database.run(QStringLiteral("SELECT %1 FROM migration_events AS e WHERE at >= "
                                              "coalesce((SELECT max(at) FROM migration_events AS c "
                                              "WHERE c.line = e.line AND c.event IN (?, ?, ?, ?)), "
                                              "at) ORDER BY number")
                                   .arg(kEventColumns),
                               {event::kUpgradeDone.toString(), event::kDowngradeDone.toString(),
                                event::kStamped.toString(), event::kRepaired.toString()}));
        const auto latest = all<MigrationEvent>(events, eventFrom);
        for (const auto &event : latest) {
            QDateTime &last = history.lastEvent[event.line];
            last = last.isValid() ? std::max(last, event.at) : event.at;
        }
        history.open = openEvents(latest);
        IVM_TRY(
            auto views,
            m_database.run(
                QStringLiteral("SELECT %1 FROM migration_views ORDER BY name").arg(kViewColumns)));
        history.views = all<MigratedView>(views, viewFrom);
        IVM_TRY(history.locks, locks(QStringLiteral("true"), {}));
        return {};
    };
    IVM_CHECK(read(call, work));
    return history;
}

Result<QList<MigrationEvent>> SqliteHistory::events(const QString &line, const Call &call)
{
    QList<MigrationEvent> out;
    const auto work = [&]() -> Status {
        IVM_TRY(auto rows, m_database.run(QStringLiteral("SELECT %1 FROM migration_events WHERE "
                                                         "line = ? ORDER BY at, number")
                                              .arg(kEventColumns),
                                          {text(line)}));
        out = all<MigrationEvent>(rows, eventFrom);
        return {};
    };
    IVM_CHECK(read(call, work));
    return out;
}

Result<QList<MigrationLock>> SqliteHistory::locks(const QString &condition,
                                                  const QVariantList &values)
{
    IVM_TRY(auto rows,
            m_database.run(QStringLiteral("SELECT %1 FROM migration_locks WHERE %2 ORDER BY line")
                               .arg(kLockColumns, condition),
                           values));
    const QDateTime now = m_clock.now();
    return all<MigrationLock>(rows, [&](const QSqlQuery &row) {
        MigrationLock lock{.line = row.value(0).toString(),
                           .token = row.value(1).toString(),
                           .owner = row.value(2).toString(),
                           .process = {row.value(3).toString(), row.value(4).toLongLong(),
                                       row.value(5).toLongLong()},
                           .doing = row.value(6).toString(),
                           .since = timeOf(row.value(7))};
        const std::chrono::milliseconds age(timeOf(row.value(8)).msecsTo(now));
        lock.age = std::chrono::floor<std::chrono::seconds>(age);
        lock.isStale = age > std::chrono::milliseconds(row.value(9).toLongLong()) ||
                       !mayLive(lock.process, m_self);
        return lock;
    });
}

// The engine is asked between two tries, so that nobody waits for it.
Result<MigrationLock> SqliteHistory::acquire(const LockRequest &request, const Call &call)
{
    QString ended;  // the token of an abandoned lock whose last statement has ended
    for (;;) {
        IVM_TRY(const auto tried, attempt(request, ended, call));
        if (tried.taken)
            return *tried.taken;
        IVM_TRY(const bool atWork, isAtWork(*tried.abandoned, call));
        if (atWork)
            return fail(lockHeldError(*tried.abandoned));
        ended = tried.abandoned->token;
    }
}

Result<SqliteHistory::Attempt> SqliteHistory::attempt(const LockRequest &request,
                                                      const QString &ended, const Call &call)
{
    Attempt outcome;
    const auto work = [&]() -> Status {
        IVM_TRY(const auto held, locks(QStringLiteral("line = ?"), {text(request.line)}));
        if (!held.isEmpty() && !held.first().isStale)
            return fail(lockHeldError(held.first()));
        if (!held.isEmpty() && held.first().token != ended) {
            outcome.abandoned = held.first();
            return {};
        }
        outcome.taken = {.line = request.line,
                         .token = QUuid::createUuid().toString(QUuid::WithoutBraces),
                         .owner = request.owner,
                         .process = m_self,
                         .doing = request.doing,
                         .since = m_clock.now()};
        return put(*outcome.taken, request.lifetime);
    };
    IVM_CHECK(write(Durability::Crash, call, work));
    return outcome;
}

Status SqliteHistory::put(const MigrationLock &lock, std::chrono::milliseconds lifetime)
{
    const qint64 since = lock.since.toMSecsSinceEpoch();
    IVM_CHECK(m_database.run(insertSql(u"INSERT OR REPLACE", u"migration_locks", kLockColumns),
                             {text(lock.line), lock.token, text(lock.owner), lock.process.machine,
                              lock.process.pid, lock.process.started, text(lock.doing), since,
                              since, qint64(lifetime.count())}));
    return {};
}

Result<bool> SqliteHistory::isAtWork(const MigrationLock &lock, const Call &call)
{
    IVM_TRY(Executor * executor, m_executor());
    IVM_TRY(const auto session, executor->openSession({}, call));
    return session->isAtWork(migrationPurpose(lock.token), call);
}

Status SqliteHistory::renew(const MigrationLock &lock, const QString &doing, const Call &call)
{
    return write(Durability::Crash, call, [&]() -> Status {
        IVM_TRY(const auto done,
                m_database.run(
                    QStringLiteral("UPDATE migration_locks SET doing = ?, heartbeat = ? "
                                   "WHERE line = ? AND token = ?"),
                    {text(doing), m_clock.now().toMSecsSinceEpoch(), text(lock.line), lock.token}));
        if (done.numRowsAffected() != 1)
            return fail(lockLostError(lock.line));
        return {};
    });
}

Status SqliteHistory::release(const MigrationLock &lock, const Call &call)
{
    return write(Durability::Crash, call, [&]() -> Status {
        IVM_CHECK(m_database.run(
            QStringLiteral("DELETE FROM migration_locks WHERE line = ? AND token = ?"),
            {text(lock.line), lock.token}));
        return {};
    });
}

Status SqliteHistory::breakLock(const QString &line, const Call &call)
{
    return write(Durability::Crash, call, [&]() -> Status {
        IVM_TRY(const auto done,
                m_database.run(QStringLiteral("DELETE FROM migration_locks WHERE line = ?"),
                               {text(line)}));
        if (done.numRowsAffected() != 1)
            return fail(noLockError(line));
        return {};
    });
}

Status SqliteHistory::append(const QList<MigrationEvent> &events, const Call &call)
{
    return write(Durability::PowerLoss, call, [&]() -> Status {
        for (const auto &event : events)
            IVM_CHECK(m_database.run(insertSql(u"INSERT", u"migration_events", kEventColumns),
                                     {text(event.id), event.at.toMSecsSinceEpoch(), event.version,
                                      text(event.line), text(event.event), event.step,
                                      text(event.actor), text(event.host), text(event.toolVersion),
                                      text(event.checksum), text(event.detail)}));
        return {};
    });
}

Status SqliteHistory::save(const MigrationRecord &record, const Call &call)
{
    return write(Durability::PowerLoss, call, [&]() -> Status {
        IVM_CHECK(
            m_database.run(insertSql(u"INSERT OR REPLACE", u"migration_history", kRecordColumns),
                           {text(record.line), record.version, text(record.description),
                            record.appliedAt.toMSecsSinceEpoch(),
                            migrationStatusName(record.status), text(record.error),
                            text(record.checksum), record.durationMs, text(record.appliedBy)}));
        return {};
    });
}

Status SqliteHistory::checkLine(const MigratedView &view)
{
    IVM_TRY(auto found,
            m_database.run(QStringLiteral("SELECT line FROM migration_views WHERE name = ?"),
                           {text(view.name)}));
    if (found.next() && found.value(0).toString() != view.line)
        return fail(otherLineError(view.name, found.value(0).toString()));
    return {};
}

Status SqliteHistory::changeViews(const QList<MigratedView> &saved, const QStringList &removed,
                                  const Call &call)
{
    return write(Durability::PowerLoss, call, [&]() -> Status {
        for (const auto &view : saved)
            IVM_CHECK(checkLine(view));
        for (const auto &name : removed)
            IVM_CHECK(m_database.run(QStringLiteral("DELETE FROM migration_views WHERE name = ?"),
                                     {text(name)}));
        for (const auto &view : saved)
            IVM_CHECK(
                m_database.run(insertSql(u"INSERT OR REPLACE", u"migration_views", kViewColumns),
                               {text(view.name), text(view.line), view.version,
                                text(view.definition), text(view.earlier), heldText(view.held)}));
        return {};
    });
}

}  // namespace ivm::sqlite
