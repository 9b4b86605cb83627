// The little language in which the tables of functions, operators and casts state their types.
//
// A parameter is one of
//   bigint, varchar, timestamp(3) …     that type, or what converts to it by itself
//   decimal(p,s), varchar(n) …          any of that family; the letters are bound to its numbers
//   exactly timestamp(p)                the same, but nothing converts to it
//   E T D …  (parameterForms)           every parameter with one letter becomes one common type
//   one of day hour                     a string literal with one of these words
//   constant n · group k                a literal whole number, to which the letter is bound
//   array(E) · map(D,E)                 an array or map of what the letters stand for
//   zone · regex …  (parameterForms)    a string literal of that form
// and with ... behind it, any further number of the same. A result is such a type with formulas
// over the bound letters, as in decimal(min(38,p+q),s+t); formulas know + - * / min max pow10 and
// numbers. A varchar whose length depends on that of an unbounded one is unbounded. A result with a
// time zone is in the zone that was named, else in that of the first operand with one.
//
// Pure functions; any thread. The texts are the tables' own, never a user's.
#pragma once

#include "plugins/executor_duckdb/translate/formula.h"

#include <optional>
#include <span>

namespace ivm::duckdb {

struct Operand {
    Type type;
    std::optional<QString> word;        // of a string literal
    std::optional<qint64> number = {};  // of a literal whole number
};

// A fitting parameter list: what was bound, and the type that each operand converts to.
struct Match {
    Bindings bindings;
    QList<Type> types;
    QHash<qsizetype, QString> texts = {};  // what stands in place of an operand
};

enum class Coercion { None, Allowed };

std::optional<Match> match(QStringView parameters, const QList<Operand> &operands,
                           Coercion coercion);

// Nothing where the formulas leave what the type can be (a decimal of 39 digits).
std::optional<Type> resultType(QStringView result, const Bindings &bindings);

// What the words and letters of the tables' parameters stand for.
struct ParameterForm {
    QStringView word;
    QStringView text;
};
std::span<const ParameterForm> parameterForms();

// Splits at `separator` outside of parentheses, without the space around the parts.
QList<QStringView> splitOutside(QStringView text, QChar separator);

}  // namespace ivm::duckdb
