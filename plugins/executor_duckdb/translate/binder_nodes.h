// Names what the embedded engine has nothing for: the kinds of expression without a bind function.
//
// For bind_expression.cpp alone: every other overload of Binder::node has to be known before this.
#pragma once

#include "plugins/executor_duckdb/translate/binder.h"

namespace ivm::duckdb {

inline QString kindName(const sql::Parameter &) { return QStringLiteral("a parameter '?'"); }
inline QString kindName(const sql::QuantifiedComparison &)
{
    return QStringLiteral("a comparison with ALL or ANY");
}
inline QString kindName(const sql::Lambda &) { return QStringLiteral("a lambda"); }
inline QString kindName(const sql::Grouping &) { return QStringLiteral("GROUPING"); }

template <typename Node>
Result<Bound> Binder::node(const Node &one, const Context &, sql::Span span)
{
    return unsupported(span, u"unsupported_expression",
                       kindName(one) + QStringLiteral(" is not in the embedded engine"));
}

}  // namespace ivm::duckdb
