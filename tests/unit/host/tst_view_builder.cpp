#include "framework/host/view_builder.h"

#include "tests/support/fake_clock.h"
#include "tests/support/fake_engine.h"
#include "tests/support/fake_store.h"

#include <QTest>

using namespace ivm;
using namespace ivm::test;

class tst_ViewBuilder : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_store = std::make_unique<FakeStore>(m_clock);
        m_waitedFor.clear();
    }

    void waitsForWhoIsAtWork();
    void waitsNoLongerThanItMay();
    void endsWhenItIsStopped();

private:
    void hold()
    {
        const auto held = m_store->acquireLease(
            {.target = tableNamed(QStringLiteral("v")), .owner = QStringLiteral("ivmd")});
        QVERIFY2(held, held ? "" : qPrintable(held.error().text()));
    }
    RefreshServices services()
    {
        return {.executor = [this]() -> Result<Executor *> { return &m_executor; },
                .detector = m_detector,
                .store = *m_store,
                .clock = m_clock,
                .owner = QStringLiteral("a test")};
    }
    Status drop(const Call &call)
    {
        const View view = viewOf(QStringLiteral("v"),
                                 QStringLiteral("SELECT k, count(*) AS n FROM t GROUP BY 1"));
        return ViewBuilder([this] { return services(); },
                           [this](const QString &holder) { m_waitedFor.append(holder); })
            .drop(view, migrate::ViewBuilder::Target::Keep, call);
    }

    QStringList m_waitedFor;
    FakeWorld m_world;
    FakeClock m_clock;
    std::unique_ptr<FakeStore> m_store;
    FakeExecutor m_executor{m_world};
    FakeDetector m_detector{m_world};
};

void tst_ViewBuilder::waitsForWhoIsAtWork()
{
    m_store->failNext(QStringLiteral("acquireLease"),
                      conflictError(QStringLiteral("ivmd is at work")).withCode(u"lease_held"));
    const auto dropped = drop({});
    QVERIFY2(dropped, dropped ? "" : qPrintable(dropped.error().text()));
    QCOMPARE(m_store->calls().count(QStringLiteral("acquireLease iceberg.main.v")), 2);
    QCOMPARE(m_waitedFor, QStringList{QStringLiteral("ivmd is at work")});
}

void tst_ViewBuilder::waitsNoLongerThanItMay()
{
    hold();
    const auto refused = drop(Call().within(std::chrono::milliseconds(1)));
    QCOMPARE(refused.error().code, QStringLiteral("lease_held"));
}

void tst_ViewBuilder::endsWhenItIsStopped()
{
    hold();
    std::stop_source stop;
    stop.request_stop();
    QCOMPARE(drop({.stop = stop.get_token(), .deadline = {}}).error().kind, ErrorKind::Cancelled);
}

QTEST_GUILESS_MAIN(tst_ViewBuilder)
#include "tst_view_builder.moc"
