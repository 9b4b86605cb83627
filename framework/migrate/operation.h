// What one step of a migration does.
//
// Plain data and pure functions; any thread. Names are whole: bare ones were looked up in the
// executor's defaults when the file was read.
#pragma once

#include "framework/view/view_entry.h"

#include <QJsonValue>

#include <variant>

namespace ivm::migrate {

// Views. Building and switching is the ViewBuilder's; the rest is SQL.
struct CreateView {
    ViewSpec spec;
};
// A rollout: built beside, compared with its query, switched to in one commit.
struct ReplaceView {
    ViewSpec spec;
    bool verify = true;
};
// Undoes the last replace_view: the definition and the rows that it replaced.
struct RestoreView {
    QString name;
};
struct DropView {
    QString name;
    bool dropTarget = false;
};
struct RenameView {
    QString from;
    QString to;
};
// Compares the whole view with its query and writes what differs.
struct Backfill {
    QString view;
};

struct CreateSchema {
    TableName name;  // table is empty
};
struct DropSchema {
    TableName name;
};

// A table property of the engine, as a literal; none: back to its default.
using Properties = QMap<QString, std::optional<QString>>;

struct CreateTable {
    TableSpec spec;
    Properties properties;
};
struct DropTable {
    TableName name;
};
struct RenameTable {
    TableName from;
    TableName to;
};
struct AddColumn {
    TableName table;
    Column column;
};
struct DropColumn {
    TableName table;
    QString column;
};
struct RenameColumn {
    TableName table;
    QString from;
    QString to;
};
struct AlterColumn {
    TableName table;
    QString column;
    std::optional<Type> type;        // wider than before
    std::optional<QString> comment;  // empty: none
    bool dropNotNull = false;
};
struct SetPartitioning {
    TableName table;
    QList<PartitionField> partitioning;
};
struct SetSortOrder {
    TableName table;
    QStringList sortedBy;
};
struct SetProperties {
    TableName table;
    Properties properties;
};
// A statement of the author's, and the one that undoes it.
struct Sql {
    QString statement;
    QString undo;  // empty: nothing does
};

using Operation =
    std::variant<CreateView, ReplaceView, RestoreView, DropView, RenameView, Backfill, CreateSchema,
                 DropSchema, CreateTable, DropTable, RenameTable, AddColumn, DropColumn,
                 RenameColumn, AlterColumn, SetPartitioning, SetSortOrder, SetProperties, Sql>;

// As it is written in a file: "create_view".
QString operationName(const Operation &operation);
// For people: "create_view departures_hourly".
QString operationText(const Operation &operation);

// The statements that do it, in order. Of an operation on a view those that say what it is: its
// query. Unsupported for types that no table holds.
Result<QStringList> statementsOf(const Operation &operation);

// What takes the operation back; an empty list where there is nothing to take back. None where the
// operation alone does not tell: what was there before is gone.
std::optional<QList<Operation>> inverseOf(const Operation &operation);

// Whether rows or definitions are lost by it, so that somebody should agree: a sentence about what;
// empty when nothing is.
QString lossOf(const Operation &operation);

// The table that it makes or changes; none for a view that is only named.
std::optional<TableName> changedBy(const Operation &operation);
// The name that the view of the operation has after it; none for a step on no view, or that drops
// it.
std::optional<QString> viewAfter(const Operation &operation);
// Whether it is on a view: done by the ViewBuilder, not by its statements.
bool isOnView(const Operation &operation);

// Whether a procedure of ALTER TABLE … EXECUTE is known to leave the table's rows as they are.
bool keepsRows(const QString &procedure);

}  // namespace ivm::migrate
