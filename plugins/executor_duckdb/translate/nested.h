// Arrays, maps and rows in DuckDB's text: how they are put together, taken apart and compared.
//
// A row is a STRUCT whose fields are taken by position; what has no name is called "$1", "$2" ….
// Comparisons are written out part by part, since DuckDB takes a NULL or NaN inside for equal to
// itself, and Trino does not. Pure functions; any thread.
#pragma once

#include "framework/api/types.h"

#include <QStringList>

namespace ivm::duckdb {

Type arrayOf(const Type &element);

// How DuckDB calls the field at the index, quoted.
QString fieldName(const Type &row, qsizetype index);
// The field at the index, from 0.
QString fieldText(const QString &row, qsizetype index);
// A row that is not NULL.
QString rowText(const Type &row, const QStringList &values);

// How many types the type is made of, itself included: how often a text below repeats its operand.
qsizetype partCount(const Type &type);
// How many arrays, maps and rows are inside of each other.
int depthOf(const Type &type);

// Whether `=` has an answer: of every type, but that keys of maps have to be hashed alike.
bool isEquatable(const Type &type);
// Whether DuckDB tells values apart as Trino does: it sees the order of a map's keys.
bool isComparable(const Type &type);
// Whether arrays or rows have an order: of what has one, but NaN has none inside.
bool isNestedOrder(const Type &type);

// A value that is alike for all that are not distinct: with the keys of its maps in order.
QString canonicalText(const Type &type, const QString &value);
// a = b: NULL where a NULL inside decides.
QString equalText(const Type &type, const QString &a, const QString &b);
// The value to sort and compare by; fails at run time where a NULL is inside, as Trino does when it
// comes upon it.
QString orderedText(const Type &type, const QString &value);

}  // namespace ivm::duckdb
