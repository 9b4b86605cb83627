#include "plugins/store_iceberg/rows.h"

#include "plugins/store_iceberg/cells.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace ivm::store_iceberg {

namespace {

QList<SnapshotId> idsFrom(Cells &cells)
{
    QList<SnapshotId> ids;
    const auto array = QJsonDocument::fromJson(cells.text().toUtf8()).array();
    for (const auto &id : array)
        ids.append(id.toInteger());
    return ids;
}

MigrationStatus statusFrom(Cells &cells)
{
    const auto status = migrationStatusFromName(cells.text());
    if (!status)
        cells.complain();
    return status.value_or(MigrationStatus::Failed);
}

Result<MigrationRecord> recordFrom(Cells &cells)
{
    MigrationRecord record;
    record.version = cells.number();
    record.line = cells.text();
    record.description = cells.text();
    record.appliedAt = cells.time();
    record.status = statusFrom(cells);
    record.error = cells.text();
    record.checksum = cells.text();
    record.durationMs = cells.number();
    record.appliedBy = cells.text();
    return cells.whole(record);
}

Result<MigrationEvent> eventFrom(Cells &cells)
{
    MigrationEvent event;
    event.id = cells.text();
    event.at = cells.time();
    event.version = cells.number();
    event.line = cells.text();
    event.event = cells.text();
    event.step = cells.number();
    event.actor = cells.text();
    event.host = cells.text();
    event.toolVersion = cells.text();
    event.checksum = cells.text();
    event.detail = cells.text();
    return cells.whole(event);
}

Result<MigratedView> viewFrom(Cells &cells)
{
    MigratedView view;
    view.name = cells.text();
    view.line = cells.text();
    view.version = cells.number();
    view.definition = cells.text();
    view.earlier = cells.text();
    view.held = idsFrom(cells);
    return cells.whole(view);
}

Result<MigrationLock> lockFrom(Cells &cells)
{
    MigrationLock lock;
    lock.line = cells.text();
    lock.token = cells.text();
    lock.owner = cells.text();
    lock.process.machine = cells.text();
    lock.process.pid = cells.number();
    lock.process.started = cells.number();
    lock.doing = cells.text();
    lock.since = cells.time();
    cells.time();  // the heartbeat
    const std::chrono::seconds lifetime(cells.number());
    lock.age = std::chrono::seconds(cells.number());
    lock.isStale = lock.age > lifetime;
    return cells.whole(lock);
}

}  // namespace

Result<QList<MigrationRecord>> recordsFrom(const Rows &rows)
{
    IVM_TRY(auto records, readAll(u"migration_history", rows, recordFrom));
    std::ranges::sort(records, [](const MigrationRecord &a, const MigrationRecord &b) {
        return std::tie(a.line, a.version) < std::tie(b.line, b.version);
    });
    return records;
}

Result<QList<MigrationEvent>> eventsFrom(const Rows &rows)
{
    return readAll(u"migration_events", rows, eventFrom);
}

Result<QList<MigratedView>> viewsFrom(const Rows &rows)
{
    IVM_TRY(auto views, readAll(u"migration_views", rows, viewFrom));
    std::ranges::sort(views, {}, &MigratedView::name);
    return views;
}

Result<QList<MigrationLock>> locksFrom(const Rows &rows, const ProcessIdentity &self)
{
    IVM_TRY(auto locks, readAll(u"migration_lock", rows, lockFrom));
    for (auto &lock : locks)
        lock.isStale = lock.isStale || !mayLive(lock.process, self);
    std::ranges::sort(locks, {}, &MigrationLock::line);
    return locks;
}

qint64 numberFrom(const Rows &rows)
{
    const auto *number = rows.rows.empty() || rows.rows.front().empty()
                             ? nullptr
                             : std::get_if<qint64>(&rows.rows.front().front().data);
    return number ? *number : 0;
}

}  // namespace ivm::store_iceberg
