#include "tests/conformance/history_suite.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_history.h"

#include <QTest>

using namespace ivm;

class tst_FakeHistory : public test::HistorySuite {
    Q_OBJECT

public:
    std::unique_ptr<HistoryStore> openEmpty(const ProcessIdentity &self) override
    {
        m_history = std::make_unique<test::FakeHistory>(m_clock, self);
        return openAgain(self);
    }
    std::unique_ptr<HistoryStore> openAgain(const ProcessIdentity &self) override
    {
        return m_history->asProcess(self);
    }
    bool isMade() override { return m_history->isMade(); }
    void pass(std::chrono::seconds time) override { m_clock.advance(time); }
    bool setAtWork(const QString &purpose, bool atWork) override
    {
        m_history->setAtWork(purpose, atWork);
        return true;
    }

private Q_SLOTS:
    void failsOnceWhenToldTo();

private:
    test::FakeClock m_clock;
    std::unique_ptr<test::FakeHistory> m_history;
};

void tst_FakeHistory::failsOnceWhenToldTo()
{
    test::FakeHistory history(m_clock);
    history.failNext(QStringLiteral("acquire"),
                     unavailableError(QStringLiteral("the catalog is not there")));
    const LockRequest request{.line = QStringLiteral("default"), .owner = {}, .doing = {}};
    QVERIFY(!history.acquire(request, {}));
    QVERIFY(history.acquire(request, {}));
    QCOMPARE(history.calls(),
             (QStringList{QStringLiteral("acquire default"), QStringLiteral("acquire default")}));
}

QTEST_GUILESS_MAIN(tst_FakeHistory)
#include "tst_fake_history.moc"
