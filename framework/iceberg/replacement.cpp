#include "framework/iceberg/replacement.h"

#include <algorithm>

namespace ivm::iceberg {

namespace {

// Gives the fields their ids anew, those of one level before those inside them; tells which id
// became which.
class Renumbering {
public:
    explicit Renumbering(int lastId) : m_lastId(lastId) {}

    void renumber(QList<Field> &fields, const QList<Field> &known)
    {
        for (auto &field : fields) {
            const Field *same = named(known, field.name);
            const int id = same ? same->id : ++m_lastId;
            m_ids.insert(field.id, id);
            field.id = id;
        }
        for (auto &field : fields) {
            const Field *same = named(known, field.name);
            const bool isAlike = same && same->type.id == field.type.id;
            renumber(field.type.fields, isAlike ? same->type.fields : QList<Field>());
        }
    }

    int idOf(int before) const { return m_ids.value(before); }
    int lastId() const { return m_lastId; }

private:
    static const Field *named(const QList<Field> &fields, const QString &name)
    {
        const auto found = std::ranges::find(fields, name, &Field::name);
        return found == fields.end() ? nullptr : &*found;
    }

    int m_lastId;
    QHash<int, int> m_ids;
};

// Says which snapshots and files have to stay: those from before the replacement are still there.
bool guardsFiles(const QString &property)
{
    return property == u"gc.enabled" || property.startsWith(u"history.expire.");
}

}  // namespace

Result<TableMetadata> replaced(const TableMetadata &table, const NewTable &by)
{
    TableMetadata next = table;
    Schema schema = by.schema;
    Renumbering ids(table.lastColumnId);
    ids.renumber(schema.fields, table.currentSchema().fields);
    setCurrentSchema(next, std::move(schema));
    next.lastColumnId = std::max(next.lastColumnId, ids.lastId());
    PartitionSpec spec = by.spec;
    for (auto &field : spec.fields)
        field.sourceId = ids.idOf(field.sourceId);
    useSpec(next, std::move(spec));
    IVM_CHECK(checkPartitionNames(next.specs, next.currentSchema()));
    SortOrder order = by.sortOrder;
    for (auto &field : order.fields)
        field.sourceId = ids.idOf(field.sourceId);
    useSortOrder(next, std::move(order));
    next.properties.removeIf([](const auto &property) { return !guardsFiles(property.key()); });
    next.properties.insert(by.properties);
    next.currentSnapshotId.reset();
    next.refs.remove(QString::fromUtf16(kMainBranch));
    return next;
}

}  // namespace ivm::iceberg
