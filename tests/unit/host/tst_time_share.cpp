#include "framework/host/time_share.h"

#include <QTest>

#include <ctime>

using namespace ivm;
using namespace std::chrono_literals;

namespace {

constexpr auto kBurst = 2ms;

// Of this thread's processor time.
void work(std::chrono::nanoseconds time)
{
    const auto end = std::clock() + time.count() * CLOCKS_PER_SEC / 1'000'000'000;
    while (std::clock() < end)
        ;
}

}  // namespace

class tst_TimeShare : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void restsAfterMoreThanABurst();
    void restsOnlySoLong();
    void hasRestedInTheEnd();
};

void tst_TimeShare::restsAfterMoreThanABurst()
{
    TimeShare share(1'000, kBurst);
    QCOMPARE(share.rest(), 0ns);
    work(3 * kBurst);
    QVERIFY(share.rest() > 0ns);
}

void tst_TimeShare::restsOnlySoLong()
{
    TimeShare share(1'000, kBurst);
    work(10 * kBurst);
    QVERIFY(share.rest() <= kBurst * 1'000);
}

void tst_TimeShare::hasRestedInTheEnd()
{
    TimeShare share(2, kBurst);
    work(5 * kBurst);
    QTRY_COMPARE(share.rest(), 0ns);
}

QTEST_APPLESS_MAIN(tst_TimeShare)
#include "tst_time_share.moc"
