// What the suites check results with.
//
// For test programs; one thread.
#pragma once

#include "framework/base/result.h"

#include <QTest>

// The value, or the test fails here with what it was given instead.
#define TAKE(declaration, ...)                                                                     \
    auto IVM_CONCAT(taken_, __LINE__) = (__VA_ARGS__);                                             \
    if (!IVM_CONCAT(taken_, __LINE__))                                                             \
        QFAIL(qPrintable(IVM_CONCAT(taken_, __LINE__).error().text()));                            \
    declaration = *std::move(IVM_CONCAT(taken_, __LINE__))

#define DO(...)                                                                                    \
    do {                                                                                           \
        if (const auto status = (__VA_ARGS__); !status)                                            \
            QFAIL(qPrintable(status.error().text()));                                              \
    } while (false)

// A failure of that kind.
#define REFUSED(kind, ...) QCOMPARE(ivm::test::outcomeOf(__VA_ARGS__), ivm::errorKindName(kind))

namespace ivm::test {

// "ok", or the name of the error's kind.
template <typename T>
QString outcomeOf(const Result<T> &result)
{
    return result ? QStringLiteral("ok") : errorKindName(result.error().kind);
}

}  // namespace ivm::test
