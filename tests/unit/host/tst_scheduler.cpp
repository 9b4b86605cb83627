#include "framework/host/scheduler.h"

#include "tests/support/views.h"

#include <QTest>

using namespace ivm;
using namespace ivm::test;
using namespace std::chrono_literals;

namespace {

// A view over the table or view of that name.
View reading(const QString &name, const QString &source, const QString &filter = {})
{
    return viewOf(name, QStringLiteral("SELECT k, count(*) AS n FROM %1%2 GROUP BY 1")
                            .arg(source, filter.isEmpty() ? filter : QString(u" WHERE " + filter)));
}

QList<View> chain()
{
    return {reading(QStringLiteral("a"), QStringLiteral("t")),
            reading(QStringLiteral("b"), QStringLiteral("a")),
            reading(QStringLiteral("c"), QStringLiteral("b"))};
}

constexpr Scheduler::Finished kCommitted{.committed = true};
constexpr Scheduler::Finished kNothing{};
constexpr Scheduler::Finished kFailed{.failed = true};

}  // namespace

class tst_Scheduler : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void startsWhatIsNew();
    void startsInOrderAndNoMoreThanAllowed();
    void refreshesSourcesFirst();
    void refreshesReadersAtOnceAfterACommit();
    void remembersACommitWhileTheReaderRuns();
    void isDueOnce();
    void looksAwayWhileAViewRuns();
    void waitsTwiceAsLongAfterEachFailure();
    void retriesSoonWhereSomebodyWasInTheWay();
    void aBadViewStopsNoOther();
    void startsAtOnceWhatSomebodyAsksFor();
    void keepsWhatIsKnownOfViewsThatStay();
    void forgetsWhatIsGone();
    void tellsWhyAViewWaits();
    void startsNothingThatIsHeld();
    void keepsAskedForAllOfIt();
    void letsAReaderInBetween();
    void waitsAsLongAsItIsTold();
    void triesAgainWhenTheCauseIsGone();

private:
    // What starts now.
    QStringList started(Scheduler &scheduler)
    {
        QStringList names;
        while (const auto start = scheduler.next(m_now))
            names.append(start->mode == RefreshMode::Full ? QString(start->view + u'!')
                                                          : start->view);
        return names;
    }
    // A scheduler of views that have been refreshed.
    Scheduler quiet(const QList<View> &views, int parallel = 4)
    {
        Scheduler scheduler({.parallel = parallel, .longestRetry = 60s});
        scheduler.setViews(views, m_now);
        for (int left = int(views.size()); left > 0;) {
            const QStringList names = started(scheduler);
            for (const auto &name : names)
                scheduler.finished(name, kNothing, m_now);
            left -= int(names.size());
        }
        return scheduler;
    }

    Scheduler::Time m_now{100s};
};

void tst_Scheduler::startsWhatIsNew()
{
    Scheduler scheduler({});
    QCOMPARE(started(scheduler), QStringList());
    scheduler.setViews({reading(QStringLiteral("a"), QStringLiteral("t"))}, m_now);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("a")});
    scheduler.finished(QStringLiteral("a"), kCommitted, m_now);
    QCOMPARE(started(scheduler), QStringList());
    QCOMPARE(scheduler.wakeAt(m_now), std::nullopt);
}

void tst_Scheduler::startsInOrderAndNoMoreThanAllowed()
{
    QList<View> views;
    for (const auto *name : {"a", "b", "c", "d"})
        views.append(reading(QString::fromLatin1(name), QStringLiteral("t")));
    Scheduler scheduler = quiet(views, 2);
    for (const auto *name : {"c", "a", "d", "b"})
        scheduler.setDue(QString::fromLatin1(name), m_now);
    QCOMPARE(started(scheduler), QStringList({QStringLiteral("c"), QStringLiteral("a")}));
    QCOMPARE(scheduler.queued(m_now), 2);
    // One that is always due waits its turn.
    scheduler.finished(QStringLiteral("c"), kNothing, m_now);
    scheduler.setDue(QStringLiteral("c"), m_now);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("d")});
    scheduler.finished(QStringLiteral("a"), kNothing, m_now);
    scheduler.finished(QStringLiteral("d"), kNothing, m_now);
    QCOMPARE(started(scheduler), QStringList({QStringLiteral("b"), QStringLiteral("c")}));
}

void tst_Scheduler::refreshesSourcesFirst()
{
    Scheduler scheduler({});
    scheduler.setViews(chain(), m_now);
    for (const auto *name : {"a", "b", "c"}) {
        QCOMPARE(started(scheduler), QStringList{QString::fromLatin1(name)});
        scheduler.finished(QString::fromLatin1(name), kNothing, m_now);
    }
}

void tst_Scheduler::refreshesReadersAtOnceAfterACommit()
{
    Scheduler scheduler = quiet(chain());
    scheduler.setDue(QStringLiteral("a"), m_now);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("a")});
    scheduler.finished(QStringLiteral("a"), kCommitted, m_now);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("b")});
    scheduler.finished(QStringLiteral("b"), kNothing, m_now);
    QCOMPARE(started(scheduler), QStringList());
}

void tst_Scheduler::remembersACommitWhileTheReaderRuns()
{
    Scheduler scheduler = quiet(chain());
    scheduler.setDue(QStringLiteral("b"), m_now);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("b")});
    scheduler.setDue(QStringLiteral("a"), m_now);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("a")});
    scheduler.finished(QStringLiteral("a"), kCommitted, m_now);
    QCOMPARE(started(scheduler), QStringList());
    scheduler.finished(QStringLiteral("b"), kNothing, m_now);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("b")});
}

void tst_Scheduler::isDueOnce()
{
    Scheduler scheduler = quiet(chain());
    for (int tick = 0; tick < 10; ++tick)
        scheduler.setDue(QStringLiteral("c"), m_now += 1s);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("c")});
    scheduler.finished(QStringLiteral("c"), kNothing, m_now);
    QCOMPARE(started(scheduler), QStringList());
}

void tst_Scheduler::looksAwayWhileAViewRuns()
{
    Scheduler scheduler = quiet(chain());
    scheduler.setDue(QStringLiteral("c"), m_now);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("c")});
    scheduler.setDue(QStringLiteral("c"), m_now);
    scheduler.finished(QStringLiteral("c"), kCommitted, m_now);
    QCOMPARE(started(scheduler), QStringList());
}

void tst_Scheduler::waitsTwiceAsLongAfterEachFailure()
{
    Scheduler scheduler = quiet(chain());
    scheduler.setDue(QStringLiteral("a"), m_now);
    for (const auto wait : {1s, 2s, 4s, 8s, 16s, 32s, 60s, 60s}) {
        QCOMPARE(started(scheduler), QStringList{QStringLiteral("a")});
        scheduler.finished(QStringLiteral("a"), kFailed, m_now);
        QVERIFY(scheduler.wakeAt(m_now) == m_now + wait);
        m_now += wait - 1ms;
        scheduler.setDue(QStringLiteral("a"), m_now);
        QCOMPARE(started(scheduler), QStringList());
        m_now += 1ms;
    }
    QCOMPARE(scheduler.progress(QStringLiteral("a"), m_now).failures, 8);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("a")});
    scheduler.finished(QStringLiteral("a"), kNothing, m_now);
    QCOMPARE(scheduler.progress(QStringLiteral("a"), m_now).failures, 0);
}

void tst_Scheduler::retriesSoonWhereSomebodyWasInTheWay()
{
    Scheduler scheduler = quiet(chain());
    scheduler.setDue(QStringLiteral("a"), m_now);
    for (int attempt = 0; attempt < 5; ++attempt) {
        QCOMPARE(started(scheduler), QStringList{QStringLiteral("a")});
        scheduler.finished(QStringLiteral("a"), {.failed = true, .transient = true}, m_now);
        m_now += 1s;
    }
    QCOMPARE(scheduler.progress(QStringLiteral("a"), m_now).failures, 0);
}

void tst_Scheduler::aBadViewStopsNoOther()
{
    Scheduler scheduler = quiet(chain());
    scheduler.setDue(QStringLiteral("a"), m_now);
    scheduler.setDue(QStringLiteral("b"), m_now);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("a")});
    scheduler.finished(QStringLiteral("a"), kFailed, m_now);
    // It reads the rows that a has.
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("b")});
}

void tst_Scheduler::startsAtOnceWhatSomebodyAsksFor()
{
    Scheduler scheduler = quiet(chain(), 1);
    scheduler.setDue(QStringLiteral("c"), m_now);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("c")});
    scheduler.finished(QStringLiteral("c"), kFailed, m_now);
    scheduler.setDue(QStringLiteral("a"), m_now);
    scheduler.ask(QStringLiteral("c"), RefreshMode::Full, m_now);
    // Not before a, which it reads through b; but b is up to date.
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("c!")});
    // While it runs, it runs again.
    scheduler.ask(QStringLiteral("c"), RefreshMode::IfChanged, m_now);
    scheduler.finished(QStringLiteral("c"), kFailed, m_now);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("c")});
    scheduler.finished(QStringLiteral("c"), kNothing, m_now);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("a")});
    scheduler.ask(QStringLiteral("unknown"), RefreshMode::Full, m_now);
}

void tst_Scheduler::keepsWhatIsKnownOfViewsThatStay()
{
    Scheduler scheduler = quiet(chain());
    scheduler.setDue(QStringLiteral("a"), m_now);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("a")});
    scheduler.finished(QStringLiteral("a"), kFailed, m_now);
    auto views = chain();
    views[1] = reading(QStringLiteral("b"), QStringLiteral("a"), QStringLiteral("n > 1"));
    views.append(reading(QStringLiteral("d"), QStringLiteral("t")));
    scheduler.setViews(views, m_now);
    QCOMPARE(started(scheduler), QStringList({QStringLiteral("b"), QStringLiteral("d")}));
    QCOMPARE(scheduler.progress(QStringLiteral("a"), m_now).failures, 1);
}

void tst_Scheduler::forgetsWhatIsGone()
{
    Scheduler scheduler = quiet(chain());
    scheduler.setDue(QStringLiteral("a"), m_now);
    scheduler.setDue(QStringLiteral("c"), m_now);
    QCOMPARE(started(scheduler), QStringList({QStringLiteral("a"), QStringLiteral("c")}));
    scheduler.setViews({chain().first()}, m_now);
    QCOMPARE(scheduler.running(), 2);
    scheduler.finished(QStringLiteral("c"), kCommitted, m_now);
    scheduler.finished(QStringLiteral("a"), kCommitted, m_now);
    QCOMPARE(scheduler.running(), 0);
    QCOMPARE(started(scheduler), QStringList());
    scheduler.setDue(QStringLiteral("c"), m_now);
    QCOMPARE(started(scheduler), QStringList());
}

void tst_Scheduler::tellsWhyAViewWaits()
{
    using enum Scheduler::Waiting;
    Scheduler scheduler = quiet(chain(), 1);
    const auto waiting = [&](const char *view) {
        return scheduler.progress(QString::fromLatin1(view), m_now).waiting;
    };
    QVERIFY(waiting("a") == None);
    scheduler.setDue(QStringLiteral("a"), m_now);
    scheduler.setDue(QStringLiteral("b"), m_now);
    scheduler.setDue(QStringLiteral("c"), m_now);
    QVERIFY(waiting("a") == Turn);
    QVERIFY(waiting("b") == Sources);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("a")});
    QVERIFY(waiting("a") == Running);
    scheduler.finished(QStringLiteral("a"), kFailed, m_now);
    QVERIFY(waiting("a") == Failing);
    QVERIFY(scheduler.progress(QStringLiteral("a"), m_now).nextAttempt == m_now + 1s);
    QVERIFY(waiting("b") == Turn);
    QVERIFY(waiting("c") == Sources);
    m_now += 1s;
    QVERIFY(waiting("a") == Turn);
}

void tst_Scheduler::startsNothingThatIsHeld()
{
    Scheduler scheduler = quiet(chain());
    const QString a = QStringLiteral("a");
    scheduler.hold(a);
    scheduler.ask(a, RefreshMode::Full, m_now);
    QCOMPARE(started(scheduler), QStringList());
    QCOMPARE(scheduler.progress(a, m_now).waiting, Scheduler::Waiting::Turn);
    // Others go on, and it stays held when the views change.
    scheduler.setViews(chain() + QList{reading(QStringLiteral("d"), QStringLiteral("t"))}, m_now);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("d")});
    scheduler.release(a);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("a!")});
}

void tst_Scheduler::keepsAskedForAllOfIt()
{
    Scheduler scheduler = quiet(chain());
    const QString a = QStringLiteral("a");
    scheduler.setDue(a, m_now);
    QCOMPARE(started(scheduler), QStringList{a});
    scheduler.ask(a, RefreshMode::Full, m_now);
    scheduler.ask(a, RefreshMode::IfChanged, m_now);
    scheduler.finished(a, kNothing, m_now);
    QCOMPARE(started(scheduler), QStringList{QStringLiteral("a!")});
}

// A source that changes all the time is due again as soon as it is done.
void tst_Scheduler::letsAReaderInBetween()
{
    Scheduler scheduler = quiet(chain());
    const QString a = QStringLiteral("a");
    const QString b = QStringLiteral("b");
    scheduler.setDue(a, m_now);
    QCOMPARE(started(scheduler), QStringList{a});
    scheduler.finished(a, kCommitted, m_now);
    scheduler.setDue(a, m_now);
    QCOMPARE(started(scheduler), QStringList({b, a}));
    scheduler.finished(b, kNothing, m_now);
    scheduler.finished(a, kNothing, m_now);
    // Each time anew.
    scheduler.setDue(b, m_now);
    scheduler.setDue(a, m_now);
    QCOMPARE(started(scheduler), QStringList{a});
}

void tst_Scheduler::waitsAsLongAsItIsTold()
{
    Scheduler scheduler = quiet(chain());
    const QString a = QStringLiteral("a");
    scheduler.setDue(a, m_now, 5s);
    QCOMPARE(started(scheduler), QStringList());
    QCOMPARE(scheduler.progress(a, m_now).waiting, Scheduler::Waiting::Turn);
    QCOMPARE(scheduler.wakeAt(m_now), m_now + 5s);
    m_now += 5s;
    QCOMPARE(started(scheduler), QStringList{a});
}

void tst_Scheduler::triesAgainWhenTheCauseIsGone()
{
    Scheduler scheduler = quiet(chain());
    const QString a = QStringLiteral("a");
    scheduler.setDue(a, m_now);
    for (int failures = 0; failures < 5; ++failures) {
        QCOMPARE(started(scheduler), QStringList{a});
        scheduler.finished(a, kFailed, m_now);
        scheduler.retry(a);
    }
    QCOMPARE(scheduler.progress(a, m_now).failures, 5);
}

QTEST_APPLESS_MAIN(tst_Scheduler)
#include "tst_scheduler.moc"
