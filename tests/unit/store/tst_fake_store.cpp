#include "tests/conformance/store_suite.h"
#include "tests/support/fake_store.h"

#include <QTest>

using namespace ivm;

class tst_FakeStore : public test::StoreSuite {
    Q_OBJECT

public:
    std::unique_ptr<StateStore> openEmpty(const Clock &clock) override
    {
        return std::make_unique<test::FakeStore>(clock);
    }

private Q_SLOTS:
    void failsOnceWhenToldTo();
};

void tst_FakeStore::failsOnceWhenToldTo()
{
    test::FakeClock clock;
    test::FakeStore store(clock);
    store.failNext(QStringLiteral("bookmark"),
                   unavailableError(QStringLiteral("the disk is full")));
    QVERIFY(!store.bookmark(QStringLiteral("hourly")));
    QVERIFY(store.bookmark(QStringLiteral("hourly")));
    QCOMPARE(store.calls(),
             (QStringList{QStringLiteral("bookmark hourly"), QStringLiteral("bookmark hourly")}));
}

QTEST_GUILESS_MAIN(tst_FakeStore)
#include "tst_fake_store.moc"
