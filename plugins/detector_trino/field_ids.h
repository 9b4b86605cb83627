// Iceberg's field ids of a table's columns, as EXPLAIN prints them: `val := 5:val:bigint`.
//
// Threads: as the session. Source: `IcebergColumnHandle.toString()` in the plan of Trino's Iceberg
// connector.
#pragma once

#include "framework/api/executor.h"
#include "framework/base/memo.h"

#include <QHash>
#include <QJsonObject>

namespace ivm::trino {

class TableFields {
public:
    // Reads the plan of `SELECT *`. Corrupt when it is not JSON.
    static Result<TableFields> fromPlan(const QByteArray &plan);

    // A column by name; case does not matter. Nothing when the table has no such column.
    std::optional<Column> find(const QString &name) const;
    // These columns, in this order; missing ones are absent.
    QList<Column> columnsOf(const QStringList &names) const;
    bool isEmpty() const { return m_fields.isEmpty(); }

private:
    struct Field {
        int id;
        QString
            nameAndType;  // "val:bigint"; either may hold colons, and names in the type are bare
        Type type;        // as the plan's outputs have it
    };
    static void collect(const QJsonObject &node, QList<Field> &fields, int depth);

    QList<Field> m_fields;
};

// One statement, which reads no data; of the table as it is, or as a snapshot with its own schema
// has it. Corrupt when the plan names no column, else as Session::run.
Result<TableFields> readFields(Session &session, const TableName &table,
                               std::optional<SnapshotId> at, const Call &call);

// What was read is kept by the state of the table that it is of, since the views of one source all
// ask for the same. A state that was left while it was read may be kept with the columns of the
// next; who reads at it looks at the head again afterwards (SourceMark::exact).
//
// Threads: any.
class FieldCache {
public:
    // Errors as readFields.
    Result<TableFields> ofHead(Session &session, const TableName &table, const TableHead &head,
                               const Call &call);
    Result<TableFields> ofSnapshot(Session &session, const TableName &table, const TableHead &head,
                                   SnapshotId snapshot, const Call &call);

private:
    Result<TableFields> fields(const QString &state, Session &session, const TableName &table,
                               std::optional<SnapshotId> at, const Call &call);

    Memo<QString, TableFields> m_known;
};

}  // namespace ivm::trino
