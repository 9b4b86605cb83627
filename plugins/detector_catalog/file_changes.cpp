#include "plugins/detector_catalog/file_changes.h"

#include "framework/iceberg/snapshot_log.h"
#include "plugins/detector_catalog/touched_files.h"

#include <algorithm>

namespace ivm::catalog {

using namespace iceberg;

namespace {

enum class Side {
    Gained,  // the snapshot's changes were made on the way
    Lost,    // they were undone
};

class ChangesReader {
public:
    ChangesReader(FileIO &io, const TableMetadata &metadata, const ChangesRequest &request,
                  const Call &call)
        : m_metadata(metadata), m_request(request), m_cache(io, metadata, call)
    {
        const Field *column = metadata.currentSchema().column(request.column);
        m_fieldId = column ? column->id : 0;
    }

    Result<TableChanges> read()
    {
        lookUpColumns();
        const auto &from = m_request.from;
        const auto &to = m_request.to;
        if (from.tableId != to.tableId)
            return unmeasurable(QStringLiteral("the table was dropped and made again"));
        if (const auto nested = changedInside())
            return unmeasurable(QStringLiteral("the fields of column '%1' changed").arg(*nested));
        if (from.snapshot == to.snapshot)
            return m_out;
        if (!to.snapshot)
            return unmeasurable(QStringLiteral("the table has no snapshot any more"));
        auto walked =
            from.snapshot ? walk(*from.snapshot, *to.snapshot) : addEverything(*to.snapshot);
        if (!walked && isUnreadable(walked.error()))
            return unmeasurable(walked.error().message);
        IVM_CHECK(std::move(walked));
        sort();
        return m_out;
    }

private:
    void lookUpColumns()
    {
        const auto &schema = m_metadata.currentSchema();
        const auto columns = columnsOf(schema);
        for (const auto &name : m_request.columns) {
            const Field *field = schema.column(name);
            if (!field)
                continue;
            Column column = columns[field - schema.fields.constData()];
            column.name = name;
            m_out.columns.append(column);
        }
        m_out.pinnable = isPinnable();
    }

    const Schema *schemaOf(std::optional<SnapshotId> id) const
    {
        const Snapshot *snapshot = id ? m_metadata.snapshot(*id) : nullptr;
        return snapshot && snapshot->schemaId ? m_metadata.schema(*snapshot->schemaId) : nullptr;
    }

    // Whether a schema has the column as it is now, with all that is inside.
    bool hadColumn(const Schema &then, const QString &name) const
    {
        const Field *now = m_metadata.currentSchema().column(name);
        const Field *before = then.column(name);
        return now && before && now->id == before->id && now->type == before->type;
    }

    // Whether the head's snapshot was made with the columns as they are now.
    bool isPinnable() const
    {
        const Schema *then = schemaOf(m_request.to.snapshot);
        return then && std::ranges::all_of(m_request.columns, [&](const QString &name) {
                   return hadColumn(*then, name);
               });
    }

    // A nested column that is not as it was at `from`: Column tells its own id only.
    std::optional<QString> changedInside() const
    {
        if (m_request.from == m_request.to)
            return {};
        const Schema *then = schemaOf(m_request.from.snapshot);
        for (const auto &column : m_out.columns) {
            if (column.type.isNested() && (!then || !hadColumn(*then, column.name)))
                return column.name;
        }
        return {};
    }

    TableChanges unmeasurable(const QString &why)
    {
        m_out.unmeasurable = why;
        m_out.files.clear();
        return m_out;
    }

    // Manifests that are gone or damaged: the engine may still be able to read the rows.
    static bool isUnreadable(const Error &error)
    {
        return error.kind == ErrorKind::NotFound || error.kind == ErrorKind::Corrupt;
    }

    Status addEverything(SnapshotId to)
    {
        const Snapshot *snapshot = m_metadata.snapshot(to);
        if (!snapshot)
            return fail(notFoundError(QStringLiteral("snapshot %1 is no longer there").arg(to)));
        IVM_TRY(const auto live, m_cache.liveData(*snapshot));
        for (const auto &file : live)
            add(FileRole::Added, file.file);
        const auto path = log().path({}, to);
        m_out.snapshots = path ? int(path->gained.size()) : 1;
        return {};
    }

    SnapshotLog log() const
    {
        QList<SnapshotNode> nodes;
        for (const auto &snapshot : m_metadata.snapshots)
            nodes.append(
                {.id = snapshot.id, .parent = snapshot.parent, .summary = snapshot.summary});
        return SnapshotLog(nodes);
    }

    Status walk(SnapshotId from, SnapshotId to)
    {
        const auto known = log();
        const auto path = known.path(from, to);
        if (!path)
            return fail(notFoundError(path.error()));
        m_out.snapshots = int(path->gained.size() + path->lost.size());
        for (const auto id : path->lost)
            IVM_CHECK(addSnapshot(*known.find(id), Side::Lost));
        for (const auto id : path->gained)
            IVM_CHECK(addSnapshot(*known.find(id), Side::Gained));
        return {};
    }

    Status addSnapshot(const SnapshotNode &node, Side side)
    {
        if (onlyMovesRows(node)) {
            m_out.complete = false;
            return {};
        }
        const Snapshot &snapshot = *m_metadata.snapshot(node.id);
        IVM_TRY(const auto entries, m_cache.entriesOf(snapshot));
        if (const auto why = disagreement(snapshot, entries))
            return fail(corruptError(*why));
        for (const auto &entry : entries.data) {
            const bool isHere = (entry.status == EntryStatus::Added) == (side == Side::Gained);
            add(isHere ? FileRole::Added : FileRole::Removed, entry.file);
        }
        if (entries.deletes.empty())
            return {};
        IVM_TRY(const auto live, m_cache.liveData(snapshot));
        m_touched.insert(touchedFiles(entries, live, m_metadata));
        return {};
    }

    void add(FileRole role, const DataFile &file)
    {
        FileChange change{.role = role,
                          .path = file.path,
                          .records = file.recordCount,
                          .bytes = file.sizeInBytes,
                          .bounds = {}};
        if (m_fieldId != 0)
            change.bounds = fileBounds(file, m_fieldId, m_metadata);
        m_out.files.append(change);
    }

    void sort()
    {
        for (const auto &file : std::as_const(m_touched))
            add(FileRole::DeletedFrom, file);
        std::sort(m_out.files.begin(), m_out.files.end(), [](const auto &left, const auto &right) {
            return std::tie(left.path, left.role) < std::tie(right.path, right.role);
        });
    }

    const TableMetadata &m_metadata;
    const ChangesRequest &m_request;
    ManifestCache m_cache;
    int m_fieldId = 0;
    QMap<QString, DataFile> m_touched;
    TableChanges m_out;
};

}  // namespace

Result<TableChanges> fileChanges(FileIO &io, const TableMetadata &metadata,
                                 const ChangesRequest &request, const Call &call)
{
    return ChangesReader(io, metadata, request, call).read();
}

}  // namespace ivm::catalog
