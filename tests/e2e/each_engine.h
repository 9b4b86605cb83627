// What a scenario says that is built once for each engine (ivm_scenario_test): which engine it is,
// and words for what a refresh did.
//
// Constants.
#pragma once

#include "tests/e2e/scenario.h"

namespace ivm::test {

constexpr Engine kEngine = Engine::IVM_TEST_ENGINE;
constexpr bool kIsTrino = kEngine == Engine::Trino;

inline const auto kNone = QStringLiteral("none");
inline const auto kDiff = QStringLiteral("diff");
inline const auto kRebuild = QStringLiteral("rebuild");
inline const auto kIncremental = QStringLiteral("incremental");

}  // namespace ivm::test
