#include "plugins/store_iceberg/rows.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace ivm::store_iceberg {

namespace {

// Takes the cells of one row in their order. What is NULL is empty, 0 or no time.
class Cells {
public:
    Cells(QStringView table, const QList<Column> &columns, const Row &row)
        : m_table(table), m_columns(columns), m_row(row)
    {
    }

    QString text() { return take<QString>(); }
    qint64 number() { return take<qint64>(); }
    // "2001-01-31 12:00:00.000000 UTC"
    QDateTime time()
    {
        constexpr qsizetype kToMilliseconds = 23;
        const QString written = take<QString>();
        if (written.isEmpty())
            return {};
        auto time = QDateTime::fromString(written.left(kToMilliseconds),
                                          QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz"));
        time.setTimeSpec(Qt::UTC);
        if (!time.isValid() || !written.endsWith(QStringLiteral(" UTC")))
            complain();
        return time;
    }
    QList<SnapshotId> ids()
    {
        QList<SnapshotId> ids;
        const auto array = QJsonDocument::fromJson(text().toUtf8()).array();
        for (const auto &id : array)
            ids.append(id.toInteger());
        return ids;
    }
    MigrationStatus status()
    {
        const auto status = migrationStatusFromName(text());
        if (!status)
            complain();
        return status.value_or(MigrationStatus::Failed);
    }

    template <typename T>
    Result<T> whole(T value) const
    {
        if (m_problem.isEmpty())
            return value;
        return fail(corruptError(m_problem).withHint(
            u"Another program has changed the table; repair the row or the column by hand"));
    }

private:
    template <typename T>
    T take()
    {
        const size_t index = m_next++;
        if (index >= m_row.size() || m_row[index].isNull())
            return {};
        const auto *value = std::get_if<T>(&m_row[index].data);
        if (!value)
            complain();
        return value ? *value : T{};
    }

    void complain()
    {
        const size_t index = m_next - 1;
        if (m_problem.isEmpty())
            m_problem = QStringLiteral("table %1: column %2 holds '%3', which iceberg-ivm does not "
                                       "write")
                            .arg(m_table, m_columns.value(qsizetype(index)).name,
                                 m_row[index].text().left(60));
    }

    QStringView m_table;
    const QList<Column> &m_columns;
    const Row &m_row;
    size_t m_next = 0;
    QString m_problem;
};

template <typename T>
Result<QList<T>> readAll(QStringView table, const Rows &rows, Result<T> (*read)(Cells &cells))
{
    QList<T> out;
    for (const auto &row : rows.rows) {
        Cells cells(table, rows.columns, row);
        IVM_TRY(T one, read(cells));
        out.append(std::move(one));
    }
    return out;
}

Result<MigrationRecord> recordFrom(Cells &cells)
{
    MigrationRecord record;
    record.version = cells.number();
    record.line = cells.text();
    record.description = cells.text();
    record.appliedAt = cells.time();
    record.status = cells.status();
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
    view.held = cells.ids();
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
