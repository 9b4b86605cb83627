#include "plugins/store_iceberg/iceberg_history.h"

#include "framework/base/log.h"
#include "plugins/store_iceberg/cache.h"
#include "plugins/store_iceberg/rows.h"
#include "plugins/store_iceberg/statements.h"

#include <QRegularExpression>
#include <QUuid>

#include <algorithm>

namespace ivm::store_iceberg {

namespace {

// Files, and snapshots that nobody needs any more: both cost whoever opens a table. Trino expires
// nothing younger by default (iceberg.expire-snapshots.min-retention).
constexpr int kMostFiles = 64;
const Upkeep kUpkeep{
    .mostFiles = kMostFiles, .mostSnapshots = kMostFiles, .kept = std::chrono::days(7)};

// What changeViewsSql() fails with, in our words.
std::optional<Error> ofOtherLine(const Error &error)
{
    static const QRegularExpression form(QRegularExpression::escape(kOtherLineMark) +
                                         QStringLiteral("([^=;]*)=([^=;]*);"));
    const auto match = form.match(error.message);
    if (!match.hasMatch())
        return std::nullopt;
    return otherLineError(match.captured(1), match.captured(2));
}

}  // namespace

IcebergHistory::IcebergHistory(const HistoryOptions &options, ExecutorProvider executor,
                               DetectorProvider detector, ProcessIdentity self)
    : m_tables(historyTables(options.catalog, options.schema)),
      m_access(QStringLiteral("history of migrations"), tableSpecs(m_tables), std::move(executor)),
      m_cache(options.cache), m_detector(std::move(detector)), m_self(std::move(self))
{
}

Result<std::unique_ptr<Session>> IcebergHistory::session(const QString &purpose, const Call &call)
{
    SessionOptions options;
    options.purpose = purpose;
    return m_access.session(options, call);
}

// What the holder of a lock writes counts among the statements of its run.
Result<std::unique_ptr<Session>> IcebergHistory::session(const Call &call)
{
    return session(purpose(), call);
}

QString IcebergHistory::purpose()
{
    const QString token = heldToken();
    return token.isEmpty() ? QStringLiteral("migration history") : migrationPurpose(token);
}

QString IcebergHistory::heldToken()
{
    const std::scoped_lock lock(m_mutex);
    return m_held.isEmpty() ? QString() : m_held.last();
}

Result<std::optional<QList<Result<TableHead>>>> IcebergHistory::heads(const QList<TableHead> &known,
                                                                      const Call &call)
{
    using Heads = std::optional<QList<Result<TableHead>>>;
    const auto tables = m_tables.all();
    QList<HeadRequest> requests;
    for (qsizetype i = 0; i < tables.size(); ++i)
        requests.append({.table = tables[i],
                         .known = i < known.size() ? std::optional(known[i]) : std::nullopt});
    const auto detector = m_detector();
    if (!detector)
        return Heads();
    auto heads = (*detector)->heads(requests, call);
    IVM_CHECK(call.check(u"looking at the history of migrations"));
    return heads ? Heads(*std::move(heads)) : Heads();
}

// Whoever holds a lock must know, so it asks the engine.
Result<MigrationHistory> IcebergHistory::history(const Call &call)
{
    IVM_CHECK(call.check(u"reading the history of migrations"));
    if (!heldToken().isEmpty())
        return readAll(call);
    const auto cached = readCache(m_cache);
    IVM_TRY(const auto heads, this->heads(cached ? cached->heads : QList<TableHead>(), call));
    if (!heads)
        return readAll(call);
    bool isThere = false;
    bool fits = cached && cached->heads.size() == heads->size();
    for (qsizetype i = 0; i < heads->size(); ++i) {
        const auto &head = heads->at(i);
        isThere = isThere || head || head.error().kind != ErrorKind::NotFound;
        fits = fits && head && *head == cached->heads[i];
    }
    if (!isThere)
        return MigrationHistory();
    return fits ? cached->history : readAll(call);
}

Result<MigrationHistory> IcebergHistory::readAll(const Call &call)
{
    IVM_TRY(const auto session, this->session(call));
    IVM_TRY(const auto parts, m_access.readTogether(*session, historyParts(m_tables), call));
    MigrationHistory history;
    IVM_TRY(history.records, recordsFrom(parts[0]));
    IVM_TRY(const auto events, eventsFrom(parts[1]));
    for (const auto &event : events) {
        QDateTime &last = history.lastEvent[event.line];
        last = last.isValid() ? std::max(last, event.at) : event.at;
    }
    history.open = openEvents(events);
    IVM_TRY(history.views, viewsFrom(parts[2]));
    IVM_TRY(history.locks, locksFrom(parts[3], m_self));
    return history;
}

Result<QList<MigrationEvent>> IcebergHistory::events(const QString &line, const Call &call)
{
    IVM_TRY(const auto session, this->session(call));
    IVM_TRY(const Rows rows, m_access.read(*session, eventsSql(m_tables, line), call));
    return eventsFrom(rows);
}

Result<QList<MigrationLock>> IcebergHistory::locks(Session &session, const QString &line,
                                                   const Call &call)
{
    IVM_TRY(const Rows rows, m_access.read(session, locksSql(m_tables, line), call));
    return locksFrom(rows, m_self);
}

// The lock is whose token is in the row, however the statements that raced for it ended.
Result<MigrationLock> IcebergHistory::acquire(const LockRequest &request, const Call &call)
{
    MigrationLock lock{.line = request.line,
                       .token = QUuid::createUuid().toString(QUuid::WithoutBraces),
                       .owner = request.owner,
                       .process = m_self,
                       .doing = request.doing,
                       .since = {}};
    IVM_TRY(const auto session, this->session(migrationPurpose(lock.token), call));
    std::optional<MigrationLock> abandoned;
    for (int attempt = 1; attempt <= TableAccess::kMostTries; ++attempt) {
        const auto tried = m_access.writeOnce(
            *session, acquireSql(m_tables, lock, request.lifetime, abandoned), call);
        if (!tried && !isLost(tried.error()))
            return fail(tried.error());
        IVM_TRY(const auto held, locks(*session, request.line, call));
        if (held.isEmpty()) {
            // Another line's row was faster, or its holder has just released it.
            pause(attempt, call);
            continue;
        }
        const auto &holder = held.first();
        if (holder.token == lock.token) {
            const std::scoped_lock guard(m_mutex);
            m_held.append(lock.token);
            lock.since = holder.since;
            return lock;
        }
        if (!holder.isStale)
            return fail(lockHeldError(holder));
        IVM_TRY(const bool atWork, session->isAtWork(migrationPurpose(holder.token), call));
        if (atWork)
            return fail(lockHeldError(holder));
        abandoned = holder;
    }
    return fail(m_access.neverEnds(
        conflictError(QStringLiteral("the lock on '%1' changes all the time").arg(request.line))));
}

Status IcebergHistory::renew(const MigrationLock &lock, const QString &doing, const Call &call)
{
    IVM_TRY(const auto session, this->session(call));
    IVM_TRY(const Written written, m_access.write(*session, renewSql(m_tables, lock, doing), call));
    if (written.rows == 0)
        return fail(lockLostError(lock.line));
    return {};
}

Status IcebergHistory::release(const MigrationLock &lock, const Call &call)
{
    IVM_TRY(const auto session, this->session(call));
    IVM_CHECK(m_access.write(*session, releaseSql(m_tables, lock), call));
    {
        const std::scoped_lock guard(m_mutex);
        m_held.removeAll(lock.token);
    }
    m_access.tidy(*session, kUpkeep, call);
    refreshCache(call);
    return {};
}

Status IcebergHistory::breakLock(const QString &line, const Call &call)
{
    IVM_TRY(const auto session, this->session(call));
    IVM_TRY(const Written written, m_access.write(*session, breakLockSql(m_tables, line), call));
    if (written.rows == 0 && !written.again)
        return fail(noLockError(line));
    refreshCache(call);
    return {};
}

void IcebergHistory::wroteOnce(Session &session, const Call &call)
{
    if (++m_writes % kMostFiles == 0)
        m_access.tidy(session, kUpkeep, call);
}

// The heads first: where somebody writes before the rows are read, they are never those of now
// again, and the cache fits nothing.
void IcebergHistory::refreshCache(const Call &call)
{
    if (m_cache.isEmpty())
        return;
    const auto heads = this->heads({}, call);
    if (!heads || !*heads)
        return;
    CachedHistory cached;
    for (const auto &head : **heads) {
        if (!head)
            return;
        cached.heads.append(*head);
    }
    auto read = readAll(call);
    if (!read || !read->locks.isEmpty())
        return;
    cached.history = *std::move(read);
    writeCache(m_cache, cached);
}

Status IcebergHistory::append(const QList<MigrationEvent> &events, const Call &call)
{
    if (events.isEmpty())
        return {};
    IVM_TRY(const auto session, this->session(call));
    QList<MigrationEvent> known;
    QList<MigrationEvent> unsettled;
    for (const auto &event : events)
        (takeUnsettled(event) ? unsettled : known).append(event);
    for (const auto &piece : inPieces(unsettled))
        IVM_CHECK(appendOnce(*session, piece, Earlier::Unknown, call));
    for (const auto &piece : inPieces(known))
        IVM_CHECK(appendOnce(*session, piece, Earlier::None, call));
    wroteOnce(*session, call);
    return {};
}

// Where it is not known whether the rows are there, the table is asked, as soon as no statement of
// ours can add them any more.
Status IcebergHistory::appendOnce(Session &session, const QList<MigrationEvent> &events,
                                  Earlier earlier, const Call &call)
{
    bool isKnown = earlier == Earlier::None;
    for (int attempt = 1;; ++attempt) {
        const auto done = isKnown ? m_access.writeOnce(session, appendSql(m_tables, events), call)
                                  : settleAppend(session, events, call);
        if (done)
            return {};
        const bool isDefinite = done.error().kind == ErrorKind::Conflict;
        auto ended = call.check(u"writing the history of migrations");
        if (!isLost(done.error()))
            ended = fail(done.error());
        else if (ended && attempt == TableAccess::kMostTries)
            ended = fail(m_access.neverEnds(done.error()));
        if (!ended) {
            if (!isDefinite)
                leaveUnsettled(events);
            return ended;
        }
        isKnown = isDefinite;
        pause(attempt, call);
    }
}

bool IcebergHistory::takeUnsettled(const MigrationEvent &event)
{
    const std::scoped_lock lock(m_mutex);
    return m_unsettled.remove(event.id);
}

void IcebergHistory::leaveUnsettled(const QList<MigrationEvent> &events)
{
    const std::scoped_lock lock(m_mutex);
    for (const auto &event : events)
        m_unsettled.insert(event.id);
}

// Conflict: the rows are not there and will not come. CommitUnknown: they may.
Result<StatementResult> IcebergHistory::settleAppend(Session &session,
                                                     const QList<MigrationEvent> &events,
                                                     const Call &call)
{
    IVM_TRY(const bool atWork, session.isAtWork(purpose(), call));
    if (atWork)
        return fail(commitUnknownError(QStringLiteral("a statement still runs")));
    IVM_TRY(const Rows rows, m_access.read(session, countEventsSql(m_tables, events), call));
    if (numberFrom(rows) != events.size())
        return fail(conflictError(QStringLiteral("the events are not there")));
    return StatementResult{};
}

Status IcebergHistory::save(const MigrationRecord &record, const Call &call)
{
    IVM_TRY(const auto session, this->session(call));
    IVM_CHECK(m_access.write(*session, saveSql(m_tables, record), call));
    wroteOnce(*session, call);
    return {};
}

Status IcebergHistory::changeViews(const QList<MigratedView> &saved, const QStringList &removed,
                                   const Call &call)
{
    QStringList gone = removed;
    gone.removeDuplicates();
    for (const auto &view : saved)
        gone.removeAll(view.name);
    if (saved.isEmpty() && gone.isEmpty())
        return {};
    IVM_TRY(const auto session, this->session(call));
    auto pieces = inPieces(saved);
    if (pieces.isEmpty())
        pieces.append(QList<MigratedView>());
    for (const auto &piece : std::as_const(pieces)) {
        const auto written = m_access.write(*session, changeViewsSql(m_tables, piece, gone), call);
        if (!written)
            return fail(ofOtherLine(written.error()).value_or(written.error()));
        gone.clear();
    }
    wroteOnce(*session, call);
    return {};
}

}  // namespace ivm::store_iceberg
