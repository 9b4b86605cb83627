// Changes of a table's columns: each makes a new current schema of the metadata, or fails and
// leaves the metadata as they are.
//
// Pure; any thread. Source: Iceberg table spec, "Schema Evolution"; what is refused beyond it is
// what Trino refuses. Ids are never used again, and equal schemas share an id.
#pragma once

#include "framework/iceberg/metadata.h"

namespace ivm::iceberg {

// A column, or a field inside it: {"a", "b"} is field b of the row in column a, {"a", "element"}
// what the array in column a holds. Case does not matter.
using FieldPath = QStringList;

// Where a new column goes among the others.
struct FieldPosition {
    enum class Kind { Last, First, After };
    Kind kind = Kind::Last;
    QString after = {};  // a column
};

// Every function: NotFound for a column or field that is not there; Unsupported inside of maps.

// Adds a column, or a field to the row that all but the end of `path` leads to; `column` gives its
// type, which is stored as storedType() says, and its comment. AlreadyExists; Unsupported for a
// type that no table holds, NOT NULL, a position inside a row, and the name of a partition field.
Status addField(TableMetadata &metadata, const FieldPath &path, const Column &column,
                const FieldPosition &position = {});

// Unsupported for the last column or field that is left, and for what a partition spec, the sort
// order or the row identifier uses.
Status dropField(TableMetadata &metadata, const FieldPath &path);

// AlreadyExists, also for the name it has; Unsupported for the name of a partition field.
Status renameField(TableMetadata &metadata, const FieldPath &path, const QString &to);

// Widens a type: integer to bigint, real to double, decimal to more digits of the same scale. The
// type it has is fine. Unsupported for every other change.
Status setFieldType(TableMetadata &metadata, const FieldPath &path, const Type &type);

// Invalid for a column that may be NULL already; Unsupported for a row identifier's.
Status dropNotNull(TableMetadata &metadata, const QString &column);

// An empty comment takes it away.
Status setComment(TableMetadata &metadata, const QString &column, const QString &comment);

// Whether rows that were written under one schema are right under another: a field of both has its
// type or a wider one, and nothing is NOT NULL that may be missing.
bool canReadAs(const Schema &written, const Schema &read);

}  // namespace ivm::iceberg
