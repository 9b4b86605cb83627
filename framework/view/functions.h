// What is known about Trino's functions without their types: which aggregate, which are volatile,
// which depend on order.
//
// Source: Trino's documentation, "Functions and operators". Pure; any thread. Names are lower case.
#pragma once

#include <QStringView>

namespace ivm {

enum class FunctionNature {
    Scalar,          // same arguments, same answer
    Volatile,        // differs from call to call or from session to session
    ExactAggregate,  // any order of the rows gives the same bits
    SumAggregate,  // exact on whole numbers and decimals, depends on the order of rows on floating
                   // point
    ApproximateAggregate,
    OrderDependentAggregate,
};

FunctionNature functionNature(QStringView name);
bool isAggregate(FunctionNature nature);

}  // namespace ivm
