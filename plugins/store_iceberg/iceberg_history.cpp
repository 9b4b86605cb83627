#include "plugins/store_iceberg/iceberg_history.h"

#include "framework/base/log.h"
#include "plugins/store_iceberg/cache.h"
#include "plugins/store_iceberg/rows.h"
#include "plugins/store_iceberg/statements.h"

#include <QRegularExpression>
#include <QUuid>

#include <algorithm>
#include <condition_variable>
#include <random>

namespace ivm::store_iceberg {

namespace {

constexpr int kMostTries = 20;
// Files, and snapshots that nobody needs any more: both cost whoever opens the table.
constexpr int kMostFiles = 64;

// Those that lost against one another come back at different times.
void pause(int attempt, const Call &call)
{
    constexpr int kLongestMs = 1000;
    static thread_local std::minstd_rand random(std::random_device{}());
    const int most = std::min(kLongestMs, 20 << std::min(attempt, 6));
    const std::chrono::milliseconds time(std::uniform_int_distribution<int>(0, most)(random));
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, call.stop, call.remaining(time),
                                           [] { return false; });
}

// A place in a statement that nobody wrote says nothing.
Error withoutPlace(Error error)
{
    error.place = {};
    return error;
}

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

bool isLost(const Error &error)
{
    return error.kind == ErrorKind::Conflict || error.kind == ErrorKind::CommitUnknown;
}

Error neverEnds(const Error &error)
{
    return unavailableError(
               QStringLiteral("the history of migrations cannot be written: %1").arg(error.message))
        .withHint(u"Others write to it at the same time; try again");
}

}  // namespace

IcebergHistory::IcebergHistory(const HistoryOptions &options, ExecutorProvider executor,
                               DetectorProvider detector, ProcessIdentity self)
    : m_tables(historyTables(options.catalog, options.schema)), m_cache(options.cache),
      m_executor(std::move(executor)), m_detector(std::move(detector)), m_self(std::move(self))
{
}

Result<std::unique_ptr<Session>> IcebergHistory::session(const QString &purpose, const Call &call)
{
    IVM_CHECK(call.check(u"opening the history of migrations"));
    IVM_TRY(Executor * executor, m_executor());
    SessionOptions options;
    options.purpose = purpose;
    return executor->openSession(options, call);
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

// Nothing where there is no such table.
Result<Rows> IcebergHistory::read(Session &session, const QString &sql, const Call &call)
{
    auto rows = query(session, sql, call);
    if (!rows && rows.error().kind == ErrorKind::NotFound)
        return Rows{};
    if (!rows)
        return fail(withoutPlace(rows.error()));
    return rows;
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
        return readAll(m_tables.all(), call);
    const auto cached = readCache(m_cache);
    IVM_TRY(const auto heads, this->heads(cached ? cached->heads : QList<TableHead>(), call));
    if (!heads)
        return readAll(m_tables.all(), call);
    QList<TableName> there;
    bool fits = cached && cached->heads.size() == heads->size();
    const auto tables = m_tables.all();
    for (qsizetype i = 0; i < heads->size(); ++i) {
        const auto &head = heads->at(i);
        if (head || head.error().kind != ErrorKind::NotFound)
            there.append(tables[i]);
        fits = fits && head && *head == cached->heads[i];
    }
    return fits ? cached->history : readAll(there, call);
}

Result<MigrationHistory> IcebergHistory::readAll(const QList<TableName> &tables, const Call &call)
{
    MigrationHistory history;
    if (tables.isEmpty())
        return history;
    IVM_TRY(const auto session, this->session(call));
    if (tables.contains(m_tables.history)) {
        IVM_TRY(const Rows rows, read(*session, recordsSql(m_tables), call));
        IVM_TRY(history.records, recordsFrom(rows));
    }
    if (tables.contains(m_tables.events)) {
        IVM_TRY(const Rows rows, read(*session, latestEventsSql(m_tables), call));
        IVM_TRY(const auto events, eventsFrom(rows));
        for (const auto &event : events) {
            QDateTime &last = history.lastEvent[event.line];
            last = last.isValid() ? std::max(last, event.at) : event.at;
        }
        history.open = openEvents(events);
    }
    if (tables.contains(m_tables.views)) {
        IVM_TRY(const Rows rows, read(*session, viewsSql(m_tables), call));
        IVM_TRY(history.views, viewsFrom(rows));
    }
    if (tables.contains(m_tables.locks)) {
        IVM_TRY(history.locks, locks(*session, {}, call));
    }
    return history;
}

Result<QList<MigrationEvent>> IcebergHistory::events(const QString &line, const Call &call)
{
    IVM_TRY(const auto session, this->session(call));
    IVM_TRY(const Rows rows, read(*session, eventsSql(m_tables, line), call));
    return eventsFrom(rows);
}

Result<QList<MigrationLock>>
IcebergHistory::locks(Session &session, const std::optional<QString> &line, const Call &call)
{
    IVM_TRY(const Rows rows, read(session, locksSql(m_tables, line), call));
    return locksFrom(rows, m_self);
}

Status IcebergHistory::makeTables(Session &session, const Call &call)
{
    for (const auto &spec : tableSpecs(m_tables))
        IVM_CHECK(makeTable(session, spec, call));
    return {};
}

// What somebody else is making at this moment may fail this in a catalog's own words.
Status IcebergHistory::makeTable(Session &session, const TableSpec &spec, const Call &call)
{
    constexpr int kMostRaces = 5;
    for (int attempt = 1;; ++attempt) {
        const auto made = session.createTable(spec, call);
        if (made || made.error().kind == ErrorKind::AlreadyExists)
            return {};
        const bool mayBeRace = made.error().kind == ErrorKind::Unavailable || isLost(made.error());
        if (!mayBeRace || attempt == kMostRaces)
            return made;
        if (session.tableInfo(spec.name, call))
            return {};
        pause(attempt, call);
    }
}

Result<StatementResult> IcebergHistory::writeOnce(Session &session, const QString &sql,
                                                  const Call &call)
{
    auto done = execute(session, sql, call);
    if (!done && done.error().kind == ErrorKind::NotFound) {
        IVM_CHECK(makeTables(session, call));
        done = execute(session, sql, call);
    }
    if (!done)
        return fail(withoutPlace(done.error()));
    return done;
}

Result<IcebergHistory::Written> IcebergHistory::write(Session &session, const QString &sql,
                                                      const Call &call)
{
    Written written;
    for (int attempt = 1;; ++attempt) {
        const auto done = writeOnce(session, sql, call);
        if (done) {
            written.rows = done->rowsAffected;
            return written;
        }
        if (!isLost(done.error()))
            return fail(done.error());
        if (attempt == kMostTries)
            return fail(neverEnds(done.error()));
        written.again = written.again || done.error().kind == ErrorKind::CommitUnknown;
        pause(attempt, call);
        IVM_CHECK(call.check(u"writing the history of migrations"));
    }
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
    for (int attempt = 1; attempt <= kMostTries; ++attempt) {
        const auto tried =
            writeOnce(*session, acquireSql(m_tables, lock, request.lifetime, abandoned), call);
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
    return fail(neverEnds(
        conflictError(QStringLiteral("the lock on '%1' changes all the time").arg(request.line))));
}

Status IcebergHistory::renew(const MigrationLock &lock, const QString &doing, const Call &call)
{
    IVM_TRY(const auto session, this->session(call));
    IVM_TRY(const Written written, write(*session, renewSql(m_tables, lock, doing), call));
    if (written.rows == 0)
        return fail(lockLostError(lock.line));
    return {};
}

Status IcebergHistory::release(const MigrationLock &lock, const Call &call)
{
    IVM_TRY(const auto session, this->session(call));
    IVM_CHECK(write(*session, releaseSql(m_tables, lock), call));
    {
        const std::scoped_lock guard(m_mutex);
        m_held.removeAll(lock.token);
    }
    tidy(*session, call);
    refreshCache(call);
    return {};
}

Status IcebergHistory::breakLock(const QString &line, const Call &call)
{
    IVM_TRY(const auto session, this->session(call));
    IVM_TRY(const Written written, write(*session, breakLockSql(m_tables, line), call));
    if (written.rows == 0 && !written.again)
        return fail(noLockError(line));
    refreshCache(call);
    return {};
}

void IcebergHistory::wroteOnce(Session &session, const Call &call)
{
    if (++m_writes % kMostFiles == 0)
        tidy(session, call);
}

// Nothing depends on it: the next one tries again.
void IcebergHistory::tidy(Session &session, const Call &call)
{
    const auto isDone = [](const auto &done) {
        if (!done)
            qCInfo(logStore, "the tables of the migration history are not tidied: %s",
                   qPrintable(done.error().message));
        return bool(done);
    };
    const auto counts = query(session, upkeepSql(m_tables), call);
    if (!isDone(counts))
        return;
    const auto tables = m_tables.all();
    const auto exceeds = [](const Value &count) {
        const auto *number = std::get_if<qint64>(&count.data);
        return number && *number > kMostFiles;
    };
    for (const auto &row : counts->rows) {
        const TableName table = tables.value(std::get<qint64>(row[0].data));
        if (exceeds(row[1]))
            isDone(execute(session, compactSql(table), call));
        if (exceeds(row[2]))
            isDone(execute(session, expireSql(table), call));
    }
}

// What was read belongs to the heads only if they are the same before and after.
void IcebergHistory::refreshCache(const Call &call)
{
    if (m_cache.isEmpty())
        return;
    const auto before = heads({}, call);
    const auto read = before && *before ? readAll(m_tables.all(), call)
                                        : fail(unavailableError(QStringLiteral("no heads")));
    const auto after = read ? heads({}, call) : before;
    if (!read || !after || !*after || !read->locks.isEmpty())
        return;
    CachedHistory cached{.heads = {}, .history = *read};
    for (qsizetype i = 0; i < (*before)->size(); ++i) {
        const auto &head = (*before)->at(i);
        if (!head || !(*after)->at(i) || *head != *(*after)->at(i))
            return;
        cached.heads.append(*head);
    }
    writeCache(m_cache, cached);
}

Status IcebergHistory::append(const QList<MigrationEvent> &events, const Call &call)
{
    if (events.isEmpty())
        return {};
    IVM_TRY(const auto session, this->session(call));
    for (const auto &piece : inPieces(events))
        IVM_CHECK(appendOnce(*session, piece, call));
    wroteOnce(*session, call);
    return {};
}

// Where it is not known whether the rows are there, the table is asked, as soon as no statement of
// ours can add them any more.
Status IcebergHistory::appendOnce(Session &session, const QList<MigrationEvent> &events,
                                  const Call &call)
{
    bool isKnown = true;
    for (int attempt = 1;; ++attempt) {
        const auto done = isKnown ? writeOnce(session, appendSql(m_tables, events), call)
                                  : settleAppend(session, events, call);
        if (done)
            return {};
        if (!isLost(done.error()))
            return fail(done.error());
        if (attempt == kMostTries)
            return fail(neverEnds(done.error()));
        isKnown = done.error().kind == ErrorKind::Conflict;
        pause(attempt, call);
        IVM_CHECK(call.check(u"writing the history of migrations"));
    }
}

// Conflict: the rows are not there and will not come. CommitUnknown: they may.
Result<StatementResult> IcebergHistory::settleAppend(Session &session,
                                                     const QList<MigrationEvent> &events,
                                                     const Call &call)
{
    IVM_TRY(const bool atWork, session.isAtWork(purpose(), call));
    if (atWork)
        return fail(commitUnknownError(QStringLiteral("a statement still runs")));
    IVM_TRY(const Rows rows, read(session, countEventsSql(m_tables, events), call));
    if (numberFrom(rows) != events.size())
        return fail(conflictError(QStringLiteral("the events are not there")));
    return StatementResult{};
}

Status IcebergHistory::save(const MigrationRecord &record, const Call &call)
{
    IVM_TRY(const auto session, this->session(call));
    IVM_CHECK(write(*session, saveSql(m_tables, record), call));
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
        const auto written = write(*session, changeViewsSql(m_tables, piece, gone), call);
        if (!written)
            return fail(ofOtherLine(written.error()).value_or(written.error()));
        gone.clear();
    }
    wroteOnce(*session, call);
    return {};
}

}  // namespace ivm::store_iceberg
