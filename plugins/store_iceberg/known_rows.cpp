#include "plugins/store_iceberg/known_rows.h"

namespace ivm::store_iceberg {

KnownRows::Moment KnownRows::now() const
{
    const std::scoped_lock lock(m_mutex);
    return m_now;
}

bool KnownRows::holdsNothing() const
{
    const std::scoped_lock lock(m_mutex);
    return m_held.isEmpty();
}

std::optional<KnownRows::MaybeRow> KnownRows::row(const QString &view) const
{
    const std::scoped_lock lock(m_mutex);
    for (const auto &lease : m_held) {
        if (const auto found = lease.rows.constFind(view); found != lease.rows.cend())
            return *found;
    }
    if (!m_rows || !isFresh(m_rows->at))
        return {};
    const auto found = m_rows->what.constFind(view);
    return found == m_rows->what.cend() ? MaybeRow() : MaybeRow(*found);
}

std::optional<QList<LeaseRow>> KnownRows::leases() const
{
    const std::scoped_lock lock(m_mutex);
    if (!m_leases || !isFresh(m_leases->at))
        return {};
    return m_leases->what;
}

std::optional<QHash<QString, RefreshRecord>> KnownRows::lastRecords() const
{
    const std::scoped_lock lock(m_mutex);
    if (!m_records || !isFresh(m_records->at))
        return {};
    return m_records->what;
}

// A lease that was taken while it was read may have been taken after it.
void KnownRows::read(const QString &view, const MaybeRow &row, Moment before)
{
    const std::scoped_lock lock(m_mutex);
    for (auto &lease : m_held) {
        if (row && lease.target == row->target && lease.since <= before &&
            !lease.rows.contains(view))
            lease.rows.insert(view, row);
    }
}

void KnownRows::readAll(const QHash<QString, ViewRow> &rows, Moment before)
{
    const std::scoped_lock lock(m_mutex);
    if (before == m_now)
        m_rows = {rows, std::chrono::steady_clock::now()};
}

void KnownRows::readLeases(const QList<LeaseRow> &leases, Moment before)
{
    const std::scoped_lock lock(m_mutex);
    if (before == m_now)
        m_leases = {leases, std::chrono::steady_clock::now()};
}

void KnownRows::readLastRecords(const QHash<QString, RefreshRecord> &records, Moment before)
{
    const std::scoped_lock lock(m_mutex);
    if (before == m_now)
        m_records = {records, std::chrono::steady_clock::now()};
}

std::optional<KnownRows::Held> KnownRows::heldFor(const QString &view, const QString &target) const
{
    const std::scoped_lock lock(m_mutex);
    for (const auto &[token, lease] : m_held.asKeyValueRange()) {
        const auto found = lease.rows.constFind(view);
        const bool isRead = found != lease.rows.cend();
        if (isRead || (!target.isEmpty() && lease.target == target))
            return Held{token, lease.target,
                        isRead ? std::optional<MaybeRow>(*found) : std::nullopt};
    }
    return {};
}

void KnownRows::keep(const QString &lease, const QString &view, const MaybeRow &row)
{
    const std::scoped_lock lock(m_mutex);
    if (const auto held = m_held.find(lease); held != m_held.end())
        held->rows.insert(view, row);
    ++m_now;
    forgetSeen();
}

void KnownRows::forget(const QString &view)
{
    const std::scoped_lock lock(m_mutex);
    for (auto &lease : m_held)
        lease.rows.remove(view);
    ++m_now;
    forgetSeen();
}

void KnownRows::forgetRecords()
{
    const std::scoped_lock lock(m_mutex);
    ++m_now;
    m_records.reset();
}

void KnownRows::forgetSeen()
{
    m_rows.reset();
    m_leases.reset();
}

void KnownRows::acquired(const QString &lease, const QString &target)
{
    const std::scoped_lock lock(m_mutex);
    // One that was held before, in a thread that slept past it, was lost.
    m_held.removeIf([&](const auto &entry) { return entry.value().target == target; });
    m_held.insert(lease, {target, ++m_now, {}});
    forgetSeen();
    m_records.reset();
}

std::optional<QString> KnownRows::targetOf(const QString &lease) const
{
    const std::scoped_lock lock(m_mutex);
    const auto held = m_held.constFind(lease);
    return held == m_held.cend() ? std::nullopt : std::optional(held->target);
}

void KnownRows::released(const QString &lease)
{
    const std::scoped_lock lock(m_mutex);
    m_held.remove(lease);
    ++m_now;
    forgetSeen();
}

}  // namespace ivm::store_iceberg
