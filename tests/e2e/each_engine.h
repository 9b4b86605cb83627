// What a scenario says that runs on each engine (ivm_scenario_test): which one it is now, and words
// for what a refresh did.
//
// Constants of a process.
#pragma once

#include "tests/e2e/scenario.h"

namespace ivm::test {

// As ctest says; a program that is started by hand tells it on the embedded engine.
inline const bool kIsTrino = qEnvironmentVariable("IVM_TEST_ENGINE") == u"trino";
inline const Engine kEngine = kIsTrino ? Engine::Trino : Engine::Embedded;

inline const auto kNone = QStringLiteral("none");
inline const auto kDiff = QStringLiteral("diff");
inline const auto kRebuild = QStringLiteral("rebuild");
inline const auto kIncremental = QStringLiteral("incremental");

}  // namespace ivm::test
