// Random walks of a view through its definitions, there and back, with all that happens to tables
// in between, on the engine that ctest names (IVM_TEST_ENGINE). A seed that fails prints the way it
// took; IVM_SEED=n replays it alone.
#include "framework/refresh/view_table.h"
#include "tests/e2e/history/dice.h"
#include "tests/e2e/rollout_scene.h"
#include "tests/support/nightly.h"

#include <QLoggingCategory>

using namespace ivm;
using namespace ivm::test;

namespace {

const int kSeeds = kIsTrino ? 1 : 8;
const int kSteps = kIsTrino ? 12 : 24;

struct Kept {
    QString definition;
    TargetVersion version;
};

class Walk {
public:
    explicit Walk(quint32 seed) : m_dice(seed) {}

    // What is wrong; empty at its end.
    QString run()
    {
        for (int i = 0; i < kSteps; ++i) {
            if (const QString wrong = step(); !wrong.isEmpty())
                return m_way.join(QStringLiteral(" → ")) + QStringLiteral(": ") + wrong;
        }
        return {};
    }

private:
    QString step()
    {
        switch (m_dice.pick(10)) {
        case 0:
        case 1: return changeSource();
        case 2: return changeTarget();
        case 3:
        case 4: return switchOver();
        case 5:
        case 6: return comeBack();
        case 7: return refreshAsAnother();
        default: return refresh();
        }
    }

    QString changeSource()
    {
        m_way.append(QStringLiteral("source"));
        const QString day = QStringLiteral("2024-01-0%1").arg(1 + m_dice.pick(4));
        const QStringList statements{
            QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '%1 11:30:00', 'a', %2), (NULL, "
                           "'b', 3)"),
            QStringLiteral("DELETE FROM @.ev WHERE date(ts) = DATE '%1' AND x % 7 = %2 % 7"),
            QStringLiteral("UPDATE @.ev SET ts = ts + INTERVAL '5' HOUR, x = x + 1 WHERE date(ts) "
                           "= DATE '%1' AND x % 5 = %2 % 5"),
            QStringLiteral("ALTER TABLE @.ev EXECUTE optimize")};
        m_scene.run(QString(m_dice.of(statements))
                        .replace(QStringLiteral("%1"), day)
                        .replace(QStringLiteral("%2"), QString::number(m_dice.pick(50))));
        return {};
    }

    QString changeTarget()
    {
        m_way.append(QStringLiteral("target"));
        const QStringList statements{QStringLiteral("DELETE FROM @.hourly WHERE n = 1 AND k = 'a'"),
                                     QStringLiteral("UPDATE @.hourly SET n = 77 WHERE k = 'b'"),
                                     QStringLiteral("ALTER TABLE @.hourly EXECUTE optimize"),
                                     QStringLiteral("ALTER TABLE @.hourly EXECUTE expire_snapshots("
                                                    "retention_threshold => '0s')")};
        m_scene.run(m_dice.of(statements));
        return {};
    }

    QString switchOver()
    {
        const QString next = m_dice.of(kDefinitions);
        m_way.append(QStringLiteral("to ") + next);
        const View view = m_scene.named(next);
        const View built = beside(view);
        if (const auto outcome = m_scene.refresh(built); outcome.error)
            return outcome.reason;
        TargetVersion version;
        const auto keep = [&](const TargetVersion &before) {
            version = before;
            return Status();
        };
        const auto done = m_scene.rollout().switchTo(view, built, keep, {});
        if (!done)
            return done.error().text();
        m_kept.append({m_now, version});
        m_now = next;
        auto services = m_scene.services();
        if (const auto dropped = dropView(services, built, ViewTable::Drop, {}); !dropped)
            return dropped.error().text();
        return m_scene.difference(view);
    }

    QString comeBack()
    {
        if (m_kept.isEmpty())
            return {};
        const Kept kept = m_dice.of(m_kept);
        m_way.append(QStringLiteral("back to ") + kept.definition);
        const View view = m_scene.named(kept.definition);
        const auto possible = m_scene.rollout().canRestore(view, kept.version, {});
        if (!possible)
            return possible.error().text();
        const auto done = m_scene.rollout().restore(view, kept.version, kNothing, {});
        if (!*possible)
            return !done && done.error().code == u"version_gone" ? QString()
                                                                 : QStringLiteral("it was gone");
        if (!done)
            return done.error().text();
        m_now = kept.definition;
        return m_scene.difference(view);
    }

    // Somebody who does not know yet that the definition is another one.
    QString refreshAsAnother()
    {
        const QString other = m_dice.of(kDefinitions);
        m_way.append(QStringLiteral("refreshed as ") + other);
        const View view = m_scene.named(other);
        const auto outcome = m_scene.refresh(view);
        if (outcome.error)
            return outcome.error->code == u"target_differs" ? QString() : outcome.reason;
        return m_scene.difference(view);
    }

    QString refresh()
    {
        m_way.append(QStringLiteral("refreshed"));
        for (const View &view : {m_scene.named(m_now), m_scene.daily()}) {
            const QString how = m_scene.refreshed(view);
            if (how.contains(u' '))
                return how;
        }
        return {};
    }

    const QStringList kDefinitions{QStringLiteral("old"),    QStringLiteral("measure"),
                                   QStringLiteral("filter"), QStringLiteral("bucket"),
                                   QStringLiteral("column"), partitionedName()};
    Dice m_dice;
    RolloutScene m_scene;
    QString m_now = QStringLiteral("old");
    QList<Kept> m_kept;
    QStringList m_way;
};

}  // namespace

class tst_RolloutWalk : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("ivm.*.info=false")); }

    void endsRight_data();
    void endsRight();
};

void tst_RolloutWalk::endsRight_data()
{
    QTest::addColumn<int>("seed");
    const int only = qEnvironmentVariableIntValue("IVM_SEED");
    const int most = isNightly() ? 20 * kSeeds : kSeeds;
    for (int seed = only > 0 ? only : 1; seed <= std::max(only, most); ++seed) {
        QTest::addRow("seed %d", seed) << seed;
        if (only > 0)
            return;
    }
}

void tst_RolloutWalk::endsRight()
{
    QFETCH(int, seed);
    const QString wrong = Walk(quint32(seed)).run();
    QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
}

QTEST_GUILESS_MAIN(tst_RolloutWalk)
#include "tst_rollout_walk.moc"
