// A view's columns with their types: what its target table looks like, and whether the table format
// can hold it.
//
// Pure; any thread.
#pragma once

#include "framework/api/change.h"
#include "framework/view/shape.h"

namespace ivm {

// The type that an Iceberg v2 table stores for values of `type` without loss: timestamp(3) becomes
// timestamp(6), varchar(10) varchar. Unsupported for a type it would narrow or cannot hold, naming
// it. Source: Trino's documentation, "Iceberg connector", type mapping.
Result<Type> storedType(const Type &type);

// The target's columns for a view whose query was described as `described`, in the order of the
// shape's columns. A Float column that turns out to be no floating point is Exact. Unsupported,
// naming view and column, as storedType().
Result<QList<OutputColumn>> outputColumns(const ViewSpec &spec, const ViewShape &shape,
                                          const QList<Column> &described);

// The table to make for a view.
TableSpec targetSpec(const ViewSpec &spec, const QList<OutputColumn> &outputs);

// The comment of that table: the view's own, and which view it is kept for. So a table that a
// refresh of the view has made is known also where no bookmark is left that knows its rows.
QString targetComment(const ViewSpec &spec);
// Whether a table's comment says that it is kept for this view, whatever else it says.
bool tellsOf(QStringView comment, const ViewSpec &spec);
// The view that a table's comment says it is kept for; none where it says nothing of the kind.
std::optional<QString> viewToldOf(const QString &comment);

// Invalid, naming the first difference and what to do, when an existing table does not have exactly
// these columns.
Status checkTargetColumns(const ViewSpec &spec, const QList<OutputColumn> &outputs,
                          const TableInfo &target);

}  // namespace ivm
