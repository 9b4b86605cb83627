// How views hang together: a view reads another one when it reads its target table.
//
// Pure; any thread.
#pragma once

#include "framework/view/shape.h"

namespace ivm {

// A view that is understood.
struct View {
    ViewSpec spec;
    ViewShape shape;
};

struct RefreshOrder {
    QList<qsizetype>
        order;  // indexes into the views, sources before those that read them, else as given
    QList<qsizetype> inCycle;  // indexes of the views that read themselves through others: they
                               // have no place in `order`
};

RefreshOrder refreshOrder(const QList<View> &views);

// The refusal of a view in a cycle: "view 'a': it reads itself through b and c".
Error cycleError(const QList<View> &views, qsizetype index);

}  // namespace ivm
