// Errors of an engine or a store, in terms of the view that they stand in the way of.
//
// Pure; any thread.
#pragma once

#include "framework/view/graph.h"

namespace ivm {

// Of a statement of the view: with the place in the views' file, as far as the line of the
// statement is the query's own.
Error ofView(const View &view, Error error, QStringView statement);

// Whatever failed: with the view's name and place where it has none, and no longer than one reads.
Error forPeople(const View &view, Error error);

}  // namespace ivm
