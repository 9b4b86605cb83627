#include "plugins/store_iceberg/iceberg_state.h"

#include "framework/api/lease_error.h"
#include "framework/base/log.h"
#include "plugins/store_iceberg/cells.h"
#include "plugins/store_iceberg/rows.h"

#include <QSet>
#include <QUuid>

#include <algorithm>

namespace ivm::store_iceberg {

namespace {

// No statement on these small tables takes as long.
Call soon() { return Call().within(std::chrono::minutes(2)); }

QString newToken() { return QUuid::createUuid().toString(QUuid::WithoutBraces); }

Result<QPair<QString, ViewRow>> viewFrom(Cells &cells)
{
    cells.text();  // the shard
    const QString view = cells.text();
    ViewRow row;
    row.target = cells.text();
    row.token = cells.text();
    row.bookmark = cells.text();
    row.intent = cells.text();
    return cells.whole(QPair(view, row));
}

Result<LeaseRow> leaseFrom(Cells &cells)
{
    LeaseRow lease;
    cells.text();  // the shard
    lease.target = cells.text();
    lease.token = cells.text();
    lease.owner = cells.text();
    lease.process.machine = cells.text();
    lease.process.pid = cells.number();
    lease.process.started = cells.number();
    lease.since = cells.time();
    lease.until = cells.time();
    lease.isOver = cells.number() == 1;
    return cells.whole(lease);
}

Result<QPair<QString, RefreshRecord>> recordFrom(Cells &cells)
{
    const QString id = cells.text();
    RefreshRecord record;
    record.view = cells.text();
    record.started = cells.time();
    record.action = cells.text();
    record.reason = cells.text();
    record.seconds = cells.real();
    record.rowsRead = cells.number();
    record.rowsWritten = cells.number();
    record.rowsDeleted = cells.number();
    record.statementId = cells.text();
    record.error = cells.text();
    return cells.whole(QPair(id, record));
}

}  // namespace

IcebergState::IcebergState(const StateOptions &options, ExecutorProvider executor,
                           ProcessIdentity self)
    : m_tables(stateTables(options.catalog, options.schema)), m_options(options),
      m_access(
          QStringLiteral("state of the views"), tableSpecs(m_tables), std::move(executor),
          {{QStringLiteral("write.metadata.delete-after-commit.enabled"), QStringLiteral("true")}}),
      m_self(std::move(self)), m_known(options.believed)
{
}

Result<std::unique_ptr<Session>> IcebergState::session(const Call &call) const
{
    SessionOptions options;
    options.purpose = QStringLiteral("state of the views");
    return m_access.session(options, call);
}

Result<QHash<QString, ViewRow>> IcebergState::readRows(const Call &call)
{
    const auto before = m_known.now();
    IVM_TRY(const auto session, this->session(call));
    IVM_TRY(const Rows rows, m_access.read(*session, viewsSql(m_tables), call));
    IVM_TRY(const auto all, readAll(u"view_state", rows, viewFrom));
    QHash<QString, ViewRow> byView;
    for (const auto &[view, row] : all)
        byView.insert(view, row);
    m_known.readAll(byView, before);
    return byView;
}

Result<std::optional<ViewRow>> IcebergState::readRow(const QString &view, const Call &call)
{
    const auto before = m_known.now();
    IVM_TRY(const auto session, this->session(call));
    IVM_TRY(const Rows rows, m_access.read(*session, viewSql(m_tables, view), call));
    IVM_TRY(const auto found, readAll(u"view_state", rows, viewFrom));
    const auto row = found.isEmpty() ? std::nullopt : std::optional(found.first().second);
    m_known.read(view, row, before);
    return row;
}

Result<std::optional<ViewRow>> IcebergState::row(const QString &view)
{
    if (const auto known = m_known.row(view))
        return *known;
    if (!m_known.holdsNothing())
        return readRow(view, soon());
    IVM_TRY(const auto rows, readRows(soon()));
    const auto found = rows.constFind(view);
    return found == rows.cend() ? std::nullopt : std::optional(*found);
}

std::optional<Bookmark> IcebergState::bookmarkIn(const QString &view, const ViewRow &row) const
{
    if (row.bookmark.isEmpty())
        return {};
    const QString what =
        QStringLiteral("table %1: bookmark of view '%2'").arg(m_tables.views.text(), view);
    auto bookmark = Bookmark::fromJson(row.bookmark.toUtf8(), what);
    if (bookmark)
        return *std::move(bookmark);
    qCWarning(logStore, "%s; the view will be diffed", qPrintable(bookmark.error().message));
    return {};
}

Result<QList<Bookmark>> IcebergState::bookmarks()
{
    IVM_TRY(const auto rows, readRows(soon()));
    QStringList views = rows.keys();
    views.sort();
    QList<Bookmark> out;
    for (const auto &view : std::as_const(views)) {
        if (auto bookmark = bookmarkIn(view, rows[view]))
            out.append(*std::move(bookmark));
    }
    return out;
}

Result<std::optional<Bookmark>> IcebergState::bookmark(const QString &view)
{
    IVM_TRY(const auto row, this->row(view));
    return row ? bookmarkIn(view, *row) : std::nullopt;
}

Result<std::optional<Intent>> IcebergState::intent(const QString &view)
{
    IVM_TRY(const auto row, this->row(view));
    if (!row || row->intent.isEmpty())
        return std::optional<Intent>();
    const QString what =
        QStringLiteral("table %1: intent of view '%2'").arg(m_tables.views.text(), view);
    auto intent = Intent::fromJson(row->intent.toUtf8(), what);
    if (!intent)
        return fail(std::move(intent).error().withHint(
            u"Whether its commit landed is not known: set the column intent of that row to NULL, "
            u"and the view is compared whole"));
    return std::optional<Intent>(*std::move(intent));
}

Status IcebergState::saveBookmark(const Bookmark &bookmark)
{
    return change({.view = bookmark.view,
                   .target = bookmark.target.quoted(),
                   .sql =
                       [&](const QString &token, const std::optional<Fence> &fence) {
                           return saveBookmarkSql(m_tables, bookmark, token, fence);
                       },
                   .apply =
                       [&](ViewRow &row) {
                           row.target = bookmark.target.quoted();
                           row.bookmark = QString::fromUtf8(bookmark.toJson());
                           row.intent.clear();
                       }});
}

Status IcebergState::saveIntent(const Intent &intent)
{
    return change({.view = intent.view,
                   .target = intent.target.quoted(),
                   .sql =
                       [&](const QString &token, const std::optional<Fence> &fence) {
                           return saveIntentSql(m_tables, intent, token, fence);
                       },
                   .apply =
                       [&](ViewRow &row) {
                           if (row.target.isEmpty())
                               row.target = intent.target.quoted();
                           row.intent = QString::fromUtf8(intent.toJson());
                       }});
}

Status IcebergState::forgetIntent(const QString &view)
{
    if (const auto known = m_known.row(view); known && (!*known || (*known)->intent.isEmpty()))
        return {};
    return change({.view = view,
                   .target = {},
                   .sql =
                       [&](const QString &token, const std::optional<Fence> &fence) {
                           return forgetIntentSql(m_tables, view, token, fence);
                       },
                   .apply = [](ViewRow &row) { row.intent.clear(); }});
}

// The lease under which the row is written, with the row as it is.
Result<std::optional<KnownRows::Held>> IcebergState::heldFor(const Change &change, const Call &call)
{
    auto held = m_known.heldFor(change.view, change.target);
    if (held && !held->row) {
        IVM_TRY(held->row, readRow(change.view, call));
        m_known.keep(held->lease, change.view, *held->row);
    }
    return held;
}

// Until it has landed, or somebody else is found to have the lease. One that was sent twice lands
// once: the second does not find what it must.
Status IcebergState::change(const Change &change)
{
    const Call call = soon();
    const QString token = newToken();
    IVM_TRY(const auto session, this->session(call));
    for (int attempt = 1; attempt <= TableAccess::kMostTries; ++attempt) {
        IVM_TRY(const auto held, heldFor(change, call));
        const bool isGone = held && (!*held->row || (*held->row)->intent.isEmpty());
        if (isGone && change.target.isEmpty())
            return {};
        const auto fence = held
                               ? std::optional(Fence{*held->row ? std::optional((**held->row).token)
                                                                : std::nullopt})
                               : std::nullopt;
        const QString sql = change.sql(token, fence);
        IVM_TRY(const Written written, change.target.isEmpty()
                                           ? m_access.remove(*session, sql, call)
                                           : m_access.write(*session, sql, call));
        if (!held) {
            m_known.forget(change.view);
            wrote();
            return {};
        }
        IVM_TRY(const auto found, written.rows > 0 ? Result<KnownRows::MaybeRow>(*held->row)
                                                   : readRow(change.view, call));
        if (written.rows > 0 || (found && found->token == token)) {
            ViewRow now = found.value_or(ViewRow());
            change.apply(now);
            now.token = token;
            m_known.keep(held->lease, change.view, now);
            ++m_writes;
            return {};
        }
        IVM_CHECK(checkHeld(held->target, held->lease, call));
        m_known.keep(held->lease, change.view, found);
    }
    return fail(m_access.neverEnds(conflictError(
        QStringLiteral("the row of view '%1' changes all the time").arg(change.view))));
}

Status IcebergState::checkHeld(const QString &target, const QString &token, const Call &call) const
{
    IVM_TRY(const auto session, this->session(call));
    IVM_TRY(const auto lease, this->lease(*session, target, call));
    if (!lease || lease->token != token)
        return fail(leaseLostError());
    return {};
}

Status IcebergState::forget(const QString &view, const Call &call)
{
    IVM_TRY(const auto session, this->session(call));
    IVM_CHECK(m_access.remove(*session, forgetViewSql(m_tables, view), call));
    m_known.forget(view);
    return {};
}

Status IcebergState::forgetBookmark(const QString &view) { return forget(view, soon()); }

Status IcebergState::forgetView(const QString &view)
{
    const Call call = soon();
    IVM_CHECK(forget(view, call));
    IVM_TRY(const auto session, this->session(call));
    IVM_CHECK(m_access.remove(*session, forgetRecordsSql(m_tables, view), call));
    m_known.forgetRecords();
    wrote();
    return {};
}

Result<QList<LeaseRow>> IcebergState::leases(Session &session, const QString &sql,
                                             const Call &call) const
{
    IVM_TRY(const Rows rows, m_access.read(session, sql, call));
    return readAll(u"view_leases", rows, leaseFrom);
}

Result<std::optional<LeaseRow>> IcebergState::lease(Session &session, const QString &target,
                                                    const Call &call) const
{
    IVM_TRY(const auto found, leases(session, leaseSql(m_tables, target, m_options.now()), call));
    return found.isEmpty() ? std::nullopt : std::optional(found.first());
}

bool IcebergState::isAlive(const LeaseRow &lease) const
{
    return !lease.isOver && mayLive(lease.process, m_self);
}

// The lease is whose token is in the row, however the statements that raced for it ended.
Result<QString> IcebergState::acquireLease(const LeaseRequest &request)
{
    const Call call = soon();
    const LeaseRow wanted{.target = request.target.quoted(),
                          .token = newToken(),
                          .owner = request.owner,
                          .process = m_self,
                          .since = {},
                          .until = {}};
    const auto taken = [&] {
        m_known.acquired(wanted.token, wanted.target);
        return wanted.token;
    };
    IVM_TRY(const auto session, this->session(call));
    QString abandoned;
    for (int attempt = 1; attempt <= TableAccess::kMostTries; ++attempt) {
        const auto tried = m_access.writeOnce(
            *session,
            acquireLeaseSql(m_tables, wanted, request.lifetime, m_options.now(), abandoned), call);
        if (tried && tried->rowsAffected > 0)
            return taken();
        if (!tried && !isLost(tried.error()))
            return fail(tried.error());
        IVM_TRY(const auto holder, lease(*session, wanted.target, call));
        if (holder && holder->token == wanted.token)
            return taken();
        if (holder && isAlive(*holder))
            return fail(
                leaseHeldError(request.target, holder->owner, holder->since, holder->until));
        abandoned = holder ? holder->token : QString();
        // Another one's row was faster, or its holder has just given it back.
        if (!tried)
            pause(attempt, call);
    }
    return fail(m_access.neverEnds(conflictError(
        QStringLiteral("the lease on %1 changes all the time").arg(request.target.text()))));
}

Result<QString> IcebergState::leaseHolder(const TableName &target)
{
    auto all = m_known.leases();
    if (!all) {
        const Call call = soon();
        const auto before = m_known.now();
        IVM_TRY(const auto session, this->session(call));
        IVM_TRY(all, leases(*session, leasesSql(m_tables, m_options.now()), call));
        m_known.readLeases(*all, before);
    }
    const auto found = std::ranges::find(*all, target.quoted(), &LeaseRow::target);
    return found != all->end() && isAlive(*found) ? found->owner : QString();
}

Status IcebergState::renewLease(const QString &token, std::chrono::seconds lifetime)
{
    const auto target = m_known.targetOf(token);
    if (!target)
        return fail(leaseLostError());
    const Call call = soon();
    IVM_TRY(const auto session, this->session(call));
    const QString sql = renewLeaseSql(m_tables, *target, token, lifetime, m_options.now());
    IVM_TRY(const Written written, m_access.remove(*session, sql, call));
    if (written.rows == 0)
        return fail(leaseLostError());
    wroteAside();
    return {};
}

Status IcebergState::releaseLease(const QString &token)
{
    const auto target = m_known.targetOf(token);
    if (!target)
        return {};
    m_known.released(token);
    const Call call = soon();
    IVM_TRY(const auto session, this->session(call));
    IVM_CHECK(m_access.remove(*session, releaseLeaseSql(m_tables, *target, token), call));
    wrote();
    return {};
}

Status IcebergState::addRecords(const QList<RefreshRecord> &records)
{
    if (records.isEmpty())
        return {};
    QList<RecordById> byId;
    for (const auto &record : records)
        byId.append({newToken(), record});
    const Call call = soon();
    IVM_TRY(const auto session, this->session(call));
    for (const auto &piece : inPieces(byId))
        IVM_CHECK(insertRecords(*session, piece, call));
    m_known.forgetRecords();
    wrote();
    return {};
}

// Where it is not known whether they are there, the table is asked: one that lands later is told by
// its id.
Status IcebergState::insertRecords(Session &session, const QList<RecordById> &records,
                                   const Call &call)
{
    for (int attempt = 1;; ++attempt) {
        const auto done = m_access.writeOnce(session, addRecordsSql(m_tables, records), call);
        if (done)
            return {};
        if (!isLost(done.error()))
            return fail(done.error());
        if (attempt == TableAccess::kMostTries)
            return fail(m_access.neverEnds(done.error()));
        pause(attempt, call);
        IVM_TRY(const Rows found,
                m_access.read(session, findRecordSql(m_tables, records.first().first), call));
        if (numberFrom(found) > 0)
            return {};
    }
}

Result<QList<RefreshRecord>> IcebergState::records(const QString &view, int most)
{
    if (most <= 0)
        return QList<RefreshRecord>();
    const auto known = m_known.lastRecords();
    if (most == 1 && known) {
        const auto found = known->constFind(view);
        return found == known->cend() ? QList<RefreshRecord>() : QList{*found};
    }
    const Call call = soon();
    const auto before = m_known.now();
    IVM_TRY(const auto session, this->session(call));
    const QString sql = most == 1 ? lastRecordsSql(m_tables)
                                  : recordsSql(m_tables, view, std::min(most, kRecordsKept));
    IVM_TRY(const Rows rows, m_access.read(*session, sql, call));
    IVM_TRY(const auto all, readAll(u"view_records", rows, recordFrom));
    QList<RefreshRecord> out;
    QSet<QString> ids;
    QHash<QString, RefreshRecord> last;
    for (const auto &[id, record] : all) {
        last.insert(record.view, record);
        if (record.view == view && !ids.contains(id))
            out.append(record);
        ids.insert(id);
    }
    if (most == 1)
        m_known.readLastRecords(last, before);
    return out;
}

}  // namespace ivm::store_iceberg
