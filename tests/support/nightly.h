// Whether the long forms are asked for (tests/run --nightly).
#pragma once

#include <QtGlobal>

namespace ivm::test {

inline bool isNightly() { return qEnvironmentVariableIntValue("IVM_NIGHTLY") > 0; }

}  // namespace ivm::test
