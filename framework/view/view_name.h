// What may be the name of a view.
//
// Pure; any thread.
#pragma once

#include <QString>

namespace ivm {

// Letters, digits and _, not starting with a digit.
bool isViewName(const QString &name);

}  // namespace ivm
