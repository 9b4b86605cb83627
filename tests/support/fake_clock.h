// A clock that stands still until a test moves it. Thread-safe only while nobody moves it.
#pragma once

#include "framework/base/clock.h"

#include <QTimeZone>

#include <chrono>

namespace ivm::test {

class FakeClock final : public Clock {
public:
    QDateTime now() const override { return m_now; }
    void advance(std::chrono::milliseconds by) { m_now = m_now.addMSecs(by.count()); }

private:
    QDateTime m_now = QDateTime(QDate(2026, 3, 1), QTime(12, 0), Qt::UTC);
};

}  // namespace ivm::test
