// Chooses among the rows of a table by the operands' types, and fills in a row's DuckDB text.
//
// Pure functions; any thread.
#pragma once

#include "framework/base/result.h"
#include "plugins/executor_duckdb/translate/function_table.h"
#include "plugins/executor_duckdb/translate/signature.h"

namespace ivm::duckdb {

struct Choice {
    const FunctionRow *row = nullptr;
    Match match;  // the types that the operands have to be converted to
    Type result;
};

// The first row that fits without conversions, else with them; nothing when none does.
std::optional<Choice> choose(std::span<const FunctionRow> rows, QStringView name,
                             const QList<Operand> &operands);

// Every name of the table, once, sorted.
QStringList namesOf(std::span<const FunctionRow> rows);
// What a function takes: "sum(bigint), sum(decimal(p,s)), …".
QString signatures(std::span<const FunctionRow> rows, QStringView name);

struct CastChoice {
    const CastRow *row = nullptr;
    Bindings bindings;
};
std::optional<CastChoice> chooseCast(const Type &from, const Type &to);

// What is put into a row's text.
struct Filling {
    QStringList operands;
    QList<Type> types;     // of the operands
    QList<bool> positive;  // operands that are literals above zero
    Type result;
    Bindings bindings;
    QString distinct = {};
    QString suffix = {};  // FILTER and OVER
    QString order = {};   // ORDER BY inside of the call
};

// Unsupported when DuckDB has no such result type, or a zone has to be known that is not.
Result<QString> fill(QStringView sql, const Filling &filling);

}  // namespace ivm::duckdb
