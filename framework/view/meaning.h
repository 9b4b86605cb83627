// What a view means, in a few lines for people.
//
// Pure; any thread.
#pragma once

#include "framework/view/graph.h"

namespace ivm {

// One line of it: "keys" and "origin, h (the hour of ts)".
struct MeaningLine {
    QString name;
    QString text;
};

// Its keys, its measures by class, how its table is laid out where that is said, and how it is
// refreshed and why.
QList<MeaningLine> meaningOf(const View &view);

}  // namespace ivm
