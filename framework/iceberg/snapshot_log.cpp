#include "framework/iceberg/snapshot_log.h"

#include <QSet>

#include <algorithm>

namespace ivm::iceberg {

// A snapshot and its ancestors, newest first, as far as they are known.
struct SnapshotLog::Chain {
    QList<SnapshotId> ids;
    QSet<SnapshotId> set;
    std::optional<SnapshotId>
        missing;  // the first ancestor that is not there; none: the chain is whole
};

SnapshotLog::SnapshotLog(const QList<SnapshotNode> &snapshots)
{
    for (const auto &snapshot : snapshots)
        m_nodes.insert(snapshot.id, snapshot);
}

const SnapshotNode *SnapshotLog::find(SnapshotId id) const
{
    const auto it = m_nodes.constFind(id);
    return it == m_nodes.cend() ? nullptr : &*it;
}

SnapshotLog::Chain SnapshotLog::chainOf(SnapshotId head) const
{
    Chain chain;
    std::optional<SnapshotId> next = head;
    // A snapshot seen before closes a circle, which no writer makes: the chain ends there.
    while (next && !chain.set.contains(*next)) {
        const SnapshotNode *node = find(*next);
        if (!node) {
            chain.missing = next;
            break;
        }
        chain.ids.append(*next);
        chain.set.insert(*next);
        next = node->parent;
    }
    return chain;
}

std::expected<SnapshotPath, QString> SnapshotLog::path(std::optional<SnapshotId> from,
                                                       SnapshotId to) const
{
    const auto why = [](SnapshotId missing, SnapshotId of) {
        return std::unexpected(
            missing == of
                ? QStringLiteral("snapshot %1 is no longer there").arg(missing)
                : QStringLiteral("snapshot %1, an ancestor of snapshot %2, is no longer there")
                      .arg(missing)
                      .arg(of));
    };
    const Chain newer = chainOf(to);
    const Chain older = from ? chainOf(*from) : Chain{};
    if (newer.ids.isEmpty())
        return why(to, to);
    const auto inOlder = [&](SnapshotId id) { return older.set.contains(id); };
    const auto meeting = std::find_if(newer.ids.begin(), newer.ids.end(), inOlder);
    SnapshotPath path;
    if (meeting != newer.ids.end())
        path.ancestor = *meeting;
    else if (newer.missing && newer.missing == older.missing)
        // Both ways lead to one snapshot that is gone itself: nothing between it and the ends is.
        path.ancestor = newer.missing;
    else if (older.missing)
        return why(*older.missing, *from);
    else if (newer.missing)
        return why(*newer.missing, to);
    path.gained = QList<SnapshotId>(newer.ids.begin(), meeting);
    std::reverse(path.gained.begin(), path.gained.end());
    const auto end = std::find(older.ids.begin(), older.ids.end(), path.ancestor.value_or(-1));
    path.lost = QList<SnapshotId>(older.ids.begin(), path.ancestor ? end : older.ids.end());
    return path;
}

namespace {

// A count of a summary; absent is none. -1 for what is no number.
qint64 countOf(const QMap<QString, QString> &summary, const char *key)
{
    const auto it = summary.constFind(QString::fromLatin1(key));
    if (it == summary.cend())
        return 0;
    bool ok = false;
    const qint64 count = it->toLongLong(&ok);
    return ok && count >= 0 ? count : -1;
}

}  // namespace

bool onlyMovesRows(const SnapshotNode &snapshot)
{
    const auto &summary = snapshot.summary;
    if (summary.value(QStringLiteral("operation")) != u"replace")
        return false;
    for (const char *key : {"added-delete-files", "added-position-deletes",
                            "added-equality-deletes", "removed-equality-deletes"}) {
        if (countOf(summary, key) != 0)
            return false;
    }
    const qint64 added = countOf(summary, "added-records");
    const qint64 deleted = countOf(summary, "deleted-records");
    // Rows that were deleted before are left out when their files are rewritten.
    const qint64 gone = countOf(summary, "removed-position-deletes");
    if (added < 0 || deleted < 0 || gone < 0 || added != deleted - gone)
        return false;
    // Files whose records or deletes are not counted prove nothing.
    const bool movesFiles =
        countOf(summary, "added-data-files") != 0 || countOf(summary, "deleted-data-files") != 0;
    const bool dropsDeletes = countOf(summary, "removed-delete-files") != 0;
    return (!movesFiles || summary.contains(QStringLiteral("deleted-records"))) &&
           (!dropsDeletes || gone > 0);
}

}  // namespace ivm::iceberg
