#include "plugins/detector_trino/file_changes.h"

#include "plugins/detector_trino/file_bounds.h"
#include "plugins/detector_trino/history.h"
#include "plugins/detector_trino/visible_files.h"

#include <algorithm>

namespace ivm::trino {

namespace {

// More than this since the last look, and a diff is cheaper than reading what each did.
constexpr qsizetype kMostSnapshots = 10'000;

TableChanges unmeasurable(TableChanges changes, const QString &why)
{
    changes.unmeasurable = why;
    changes.files.clear();
    return changes;
}

class ChangeReader {
public:
    ChangeReader(Session &session, const ChangesRequest &request, ChangesRead &known,
                 const Call &call)
        : m_session(session), m_request(request), m_known(known), m_call(call)
    {
    }

    Result<TableChanges> read()
    {
        IVM_CHECK(readColumns());
        if (m_request.from.tableId != m_request.to.tableId)
            return unmeasurable(
                m_changes,
                QStringLiteral("table %1 was dropped and made again").arg(m_request.table.text()));
        if (const auto nested = nestedColumn(); nested && m_request.from != m_request.to)
            return unmeasurable(
                m_changes,
                QStringLiteral("Trino does not tell whether the fields of '%1' are still the same")
                    .arg(*nested));
        if (m_request.from.snapshot == m_request.to.snapshot)
            return m_changes;
        if (!m_request.to.snapshot)
            return unmeasurable(
                m_changes,
                QStringLiteral("table %1 has no snapshot any more").arg(m_request.table.text()));
        IVM_TRY(TableChanges read,
                m_known.changes.get(whatIsAsked(), [this] { return readFiles(); }));
        read.columns = m_changes.columns;
        read.pinnable = m_changes.pinnable;
        return read;
    }

private:
    QString whatIsAsked() const
    {
        const auto snapshot = [](const TableHead &head) {
            return head.snapshot ? QString::number(*head.snapshot) : QString();
        };
        const QStringList parts{m_request.to.token,
                                snapshot(m_request.from),
                                snapshot(m_request.to),
                                m_column ? QString::number(m_column->fieldId) : QString(),
                                m_column ? m_column->type.text() : QString(),
                                m_request.table.text()};
        return parts.join(u' ');
    }

    Result<TableChanges> readFiles()
    {
        auto measured = readSnapshots();
        if (measured || !isUnreadable(measured.error()))
            return measured;
        return withoutEntries(measured.error());
    }

    Status readColumns()
    {
        if (m_request.columns.isEmpty() && m_request.column.isEmpty())
            return {};
        IVM_TRY(const auto fields,
                m_known.fields.ofHead(m_session, m_request.table, m_request.to, m_call));
        m_changes.columns = fields.columnsOf(m_request.columns);
        if (!m_request.column.isEmpty())
            m_column = fields.find(m_request.column);
        if (m_request.to.snapshot) {
            IVM_TRY(m_changes.pinnable, hadColumns(*m_request.to.snapshot));
        }
        return {};
    }

    // Whether a snapshot was made with the columns as they are now.
    Result<bool> hadColumns(SnapshotId snapshot) const
    {
        const auto then =
            m_known.fields.ofSnapshot(m_session, m_request.table, m_request.to, snapshot, m_call);
        if (then)
            return then->columnsOf(m_request.columns) == m_changes.columns &&
                   m_changes.columns.size() == m_request.columns.size() && !nestedColumn();
        if (then.error().kind == ErrorKind::Invalid || then.error().kind == ErrorKind::NotFound)
            return false;
        return fail(then.error());
    }

    // The plan gives no ids of what is inside a column.
    std::optional<QString> nestedColumn() const
    {
        for (const auto &column : m_changes.columns) {
            if (column.type.isNested())
                return column.name;
        }
        return {};
    }

    // Where entries cannot be read, the paths of rows may tell as much.
    Result<TableChanges> withoutEntries(const Error &why)
    {
        auto files = std::optional<QList<FileChange>>();
        if (m_request.from.snapshot) {
            auto told = changedPaths(m_session, m_request.table, *m_request.from.snapshot,
                                     *m_request.to.snapshot, m_call);
            if (!told && !isUnreadable(told.error()))
                return fail(std::move(told).error());
            if (told)
                files = *std::move(told);
        }
        if (!files)
            return unmeasurable(m_changes, QStringLiteral("the metadata of %1 cannot be read: %2")
                                               .arg(m_request.table.text(), why.message));
        m_changes.files = *std::move(files);
        m_changes.complete = true;
        return m_changes;
    }

    EntryReader entries() const { return {m_session, m_request.table, m_column, m_call}; }

    Result<TableChanges> readSnapshots()
    {
        IVM_TRY(const auto nodes, readHistory(m_session, m_request.table, m_call));
        m_log = iceberg::SnapshotLog(nodes);
        const auto path = m_log.path(m_request.from.snapshot, *m_request.to.snapshot);
        if (!path)
            return unmeasurable(m_changes, path.error());
        if (m_request.from.snapshot && !path->ancestor)
            return unmeasurable(
                m_changes,
                QStringLiteral("table %1 was replaced: snapshots %2 and %3 share no history")
                    .arg(m_request.table.text(), QString::number(*m_request.from.snapshot),
                         QString::number(*m_request.to.snapshot)));
        m_path = *path;
        m_changes.snapshots = static_cast<int>(m_path.gained.size() + m_path.lost.size());
        if (m_changes.snapshots > kMostSnapshots)
            return unmeasurable(m_changes, QStringLiteral("%1 snapshots lie between %2 and %3")
                                               .arg(m_changes.snapshots)
                                               .arg(m_request.from.snapshot.value_or(0))
                                               .arg(*m_request.to.snapshot));
        return measure();
    }

    Result<TableChanges> measure()
    {
        QList<SnapshotId> wanted;
        for (const SnapshotId id : m_path.gained + m_path.lost) {
            if (!iceberg::onlyMovesRows(*m_log.find(id)))
                wanted.append(id);
        }
        m_changes.complete = wanted.size() == m_changes.snapshots;
        if (wanted.isEmpty())
            return m_changes;
        IVM_TRY(const auto all, entries().ofSnapshots(wanted));
        QHash<SnapshotId, QList<Entry>> bySnapshot;
        for (const auto &entry : all)
            bySnapshot[entry.snapshot].append(entry);
        for (const SnapshotId id : wanted) {
            if (const auto why = disagreement(*m_log.find(id), bySnapshot.value(id)))
                return unmeasurable(m_changes, *why);
        }
        for (const auto &entry : all)
            take(entry);
        IVM_CHECK(resolveDeletes());
        IVM_CHECK(completeBounds());
        std::sort(m_changes.files.begin(), m_changes.files.end(),
                  [](const FileChange &a, const FileChange &b) {
                      return std::tie(a.path, a.role) < std::tie(b.path, b.role);
                  });
        return m_changes;
    }

    void add(FileRole role, const Entry &entry)
    {
        m_changes.files.append({.role = role,
                                .path = entry.path,
                                .records = entry.records,
                                .bytes = entry.bytes,
                                .bounds = entry.bounds});
    }

    void take(const Entry &entry)
    {
        const bool undone = m_path.lost.contains(entry.snapshot);
        const bool added = (entry.status == EntryStatus::Added) != undone;
        if (entry.content == FileContent::Data)
            add(added ? FileRole::Added : FileRole::Removed, entry);
        else if (!entry.dataFile.isEmpty())
            m_deletedFrom.insert(entry.dataFile);
        else
            m_wideDeletes.append(entry);
    }

    Status resolveDeletes()
    {
        IVM_CHECK(resolveWideDeletes());
        if (m_deletedFrom.isEmpty())
            return {};
        IVM_TRY(const auto files, entries().ofDataFiles(m_deletedFrom));
        for (const auto &path : m_deletedFrom) {
            Entry unknown;
            unknown.path = path;
            add(FileRole::DeletedFrom, files.value(path, unknown));
        }
        return {};
    }

    // Equality deletes, and position deletes about several files, may touch every file of their
    // partition that is not newer.
    Status resolveWideDeletes()
    {
        if (m_wideDeletes.isEmpty())
            return {};
        IVM_TRY(const auto data, entries().ofData());
        IVM_TRY(const auto partitions, entries().partitions());
        const QSet<QString> gone = goneAtAncestor(data);
        for (const auto &file : data) {
            const bool touched =
                std::any_of(m_wideDeletes.begin(), m_wideDeletes.end(), [&](const Entry &deletes) {
                    return file.sequence <= deletes.sequence &&
                           sharePartition(partitions, deletes.path, file.path);
                });
            if (touched && !gone.contains(file.path))
                m_deletedFrom.insert(file.path);
        }
        return {};
    }

    // Files that the common ancestor has no more. A file can come back, so that the last word on
    // each counts.
    QSet<QString> goneAtAncestor(const QList<Entry> &data) const
    {
        QHash<SnapshotId, int> age;  // of the ancestor and those before it, newest first
        for (auto id = m_path.ancestor; id && !age.contains(*id);) {
            age.insert(*id, int(age.size()));
            const auto *node = m_log.find(*id);
            id = node ? node->parent : std::nullopt;
        }
        QHash<QString, int> lastAdded;
        QHash<QString, int> lastRemoved;
        for (const auto &entry : data) {
            const auto found = age.constFind(entry.snapshot);
            if (found == age.cend())
                continue;
            auto &last = entry.status == EntryStatus::Deleted ? lastRemoved : lastAdded;
            last.insert(entry.path, std::min(*found, last.value(entry.path, *found)));
        }
        QSet<QString> gone;
        for (const auto &[path, removed] : lastRemoved.asKeyValueRange()) {
            if (removed < lastAdded.value(path, removed + 1))
                gone.insert(path);
        }
        return gone;
    }

    // Deletes without any partition value are global.
    static bool sharePartition(const EntryReader::Partitions &partitions, const QString &deletes,
                               const QString &file)
    {
        const Value own = partitions.values.value(deletes);
        const auto *values = std::get_if<std::vector<Value>>(&own.data);
        if (!values || std::all_of(values->begin(), values->end(),
                                   [](const Value &value) { return value.isNull(); }))
            return true;
        return partitions.specs.value(deletes) == partitions.specs.value(file) &&
               partitions.values.value(file) == own;
    }

    static bool isComplete(const FileBounds &bounds)
    {
        return bounds.nullState == NullState::Always ||
               (bounds.lower && bounds.upper && bounds.nullState != NullState::Unknown);
    }

    // Files whose metrics are silent, by their partition; rare, since engines write metrics.
    Status completeBounds()
    {
        const auto silent = [](const FileChange &file) { return !isComplete(file.bounds); };
        if (!m_column || std::none_of(m_changes.files.begin(), m_changes.files.end(), silent))
            return {};
        IVM_TRY(const auto info, m_session.tableInfo(m_request.table, m_call));
        if (info.partitioning.isEmpty())
            return {};
        IVM_TRY(const auto partitions, entries().partitions());
        for (auto &file : m_changes.files) {
            if (silent(file))
                file.bounds = completed(
                    file.bounds, boundsFromPartition(*m_column, info.partitioning, partitions.type,
                                                     partitions.values.value(file.path)));
        }
        return {};
    }

    Session &m_session;
    const ChangesRequest &m_request;
    ChangesRead &m_known;
    const Call &m_call;
    std::optional<Column> m_column;
    iceberg::SnapshotLog m_log{{}};
    iceberg::SnapshotPath m_path;
    QSet<QString> m_deletedFrom;
    QList<Entry> m_wideDeletes;
    TableChanges m_changes;
};

struct Counts {
    qint64 files = 0;
    qint64 records = 0;
};

Counts countsOf(const QList<Entry> &entries, EntryStatus status, bool data)
{
    Counts counts;
    for (const auto &entry : entries) {
        if (entry.status != status || (entry.content == FileContent::Data) != data)
            continue;
        ++counts.files;
        counts.records += entry.records;
    }
    return counts;
}

}  // namespace

std::optional<QString> disagreement(const iceberg::SnapshotNode &snapshot,
                                    const QList<Entry> &entries)
{
    const Counts added = countsOf(entries, EntryStatus::Added, true);
    const Counts removed = countsOf(entries, EntryStatus::Deleted, true);
    const std::pair<const char *, qint64> found[] = {
        {"added-data-files", added.files},
        {"added-records", added.records},
        {"deleted-data-files", removed.files},
        {"deleted-records", removed.records},
        {"added-delete-files", countsOf(entries, EntryStatus::Added, false).files},
        {"removed-delete-files", countsOf(entries, EntryStatus::Deleted, false).files},
    };
    for (const auto &[name, count] : found) {
        const auto told = snapshot.summary.constFind(QString::fromLatin1(name));
        if (told != snapshot.summary.cend() && *told != QString::number(count))
            return QStringLiteral("snapshot %1 says %2 = %3, but its manifests show %4")
                .arg(snapshot.id)
                .arg(QString::fromLatin1(name), *told, QString::number(count));
    }
    return {};
}

Result<TableChanges> readChanges(Session &session, const ChangesRequest &request,
                                 ChangesRead &known, const Call &call)
{
    return ChangeReader(session, request, known, call).read();
}

}  // namespace ivm::trino
