#include "framework/host/worker_pool.h"

#include <QTest>

#include <atomic>
#include <semaphore>

using namespace ivm;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

class tst_WorkerPool : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void runsInOrderAndAtOnce()
    {
        std::counting_semaphore<> both(0);
        std::counting_semaphore<> go(0);
        std::atomic<int> busy = 0;
        std::atomic<int> most = 0;
        WorkerPool pool(2);
        for (int i = 0; i < 4; ++i) {
            pool.run([&](const std::stop_token &) {
                const int now = ++busy;
                most = std::max(most.load(), now);
                both.release();
                go.acquire();
                --busy;
            });
        }
        both.acquire();
        both.acquire();
        QVERIFY(!both.try_acquire_for(20ms));
        go.release(4);
        QVERIFY(pool.waitUntil(steady_clock::now() + 10s));
        QCOMPARE(most.load(), 2);
    }

    void asksWhatRunsToEnd()
    {
        std::atomic<bool> stopped = false;
        std::atomic<bool> second = false;
        std::counting_semaphore<> begun(0);
        WorkerPool pool(1);
        pool.run([&](const std::stop_token &stop) {
            begun.release();
            while (!stop.stop_requested())
                std::this_thread::yield();
            stopped = true;
        });
        pool.run([&](const std::stop_token &) { second = true; });
        begun.acquire();
        QVERIFY(!pool.waitUntil(steady_clock::now()));
        pool.stop();
        QVERIFY(pool.waitUntil(steady_clock::now() + 10s));
        QVERIFY(stopped);
        QVERIFY(!second);
    }
};

QTEST_APPLESS_MAIN(tst_WorkerPool)
#include "tst_worker_pool.moc"
