// The views of the histories: one of each kind that is kept.
#pragma once

#include "framework/view/graph.h"
#include "tests/e2e/history/dice.h"

namespace ivm::test {

// Some of them, with tables that begin with `prefix`, sources before those that read them.
QList<View> historyViews(const TableName &defaults, const QString &prefix, const TableName &source,
                         Dice &dice);

}  // namespace ivm::test
