// What the embedded engine takes: its functions, operators and casts, with Trino's types and
// DuckDB's text for each. This is the one place that says so; whatever has no row is refused by
// name. Every row is compared with a real Trino (tests/golden/language).
//
// Constant data; any thread. signature.h explains the types. In the DuckDB texts stand
//   {0} {1} …      the operands, converted to the parameters' types
//   {*} {join:X}   all operands, separated by ", " or by an operator X that is associative
//   {each:A#B}     all operands, each between A and B
//   {nulls}        whether any operand is NULL
//   {T} {name}     DuckDB's and Trino's name of the result type
//   {local0}       operand 0, a date or timestamp, as the clock shows it in the operand's zone
//   {equal}        operands 0 and 1 are equal: arrays, maps or rows
//   {same0}        operand 0, alike for values that are not distinct
//   {ordered0}     operand 0, an array or row, to compare by: fails where a NULL is inside
//   {zone}         the result's zone, as the first arguments of the macros of zone.h
//   {zonename}     the name of operand 0's zone
//   {=formula}     a number from the bound letters
//   {0.1:formula}  1 in that place behind the point: 0.001
//   {d}            DISTINCT where it was written
//   {f}            FILTER and OVER where they were written
//   {filter}       FILTER where it was written: no OVER is taken
//   {o}            ORDER BY inside of the call where it was written
//   {/1}           operand 1 as a divisor of operand 0: fails where it is 0, unless operand 0 is
//   NULL
//   {%1}           the same for a remainder, where -1 becomes 1: dividing by it could overflow
#pragma once

#include "framework/api/change.h"

#include <QStringView>

#include <span>

namespace ivm::duckdb {

enum class FunctionKind { Scalar, Aggregate, Window };

struct FunctionRow {
    QStringView name;
    QStringView parameters;
    QStringView result;
    QStringView sql;
    FunctionKind kind = FunctionKind::Scalar;
    ColumnClass exactness = ColumnClass::Exact;
    QStringView guard = {};  // must hold for the bound letters
};

struct FunctionFamily {
    QStringView title;
    std::span<const FunctionRow> rows;
};
// The functions in the order in which they are documented.
std::span<const FunctionFamily> functionFamilies();

// All of them. Rows of one name are tried in order: first as they are, then with conversions.
std::span<const FunctionRow> functionTable();

// Written as operators: + - * / % = <> < <= > >=, with one operand `-`.
std::span<const FunctionRow> operatorTable();

struct CastRow {
    QStringView from;
    QStringView to;
    QStringView sql;
    QStringView safe;  // of TRY_CAST; empty: refused
    QStringView guard = {};
};

// Both CAST and the conversions that happen without being asked. A cast to its own type needs no
// row.
std::span<const CastRow> castTable();

}  // namespace ivm::duckdb
