// A rollout by a process that is killed on the way, on the engine that ctest names
// (IVM_TEST_ENGINE): whoever refreshes the view before it goes on makes it right by his definition,
// and it ends as if nothing had been.
#include "framework/refresh/view_table.h"
#include "tests/e2e/rollout_scene.h"
#include "tests/support/program.h"

#include <QLoggingCategory>

using namespace ivm;
using namespace ivm::test;

namespace {

// tst_rollout_kills_… --play WHAT SCHEMA FOLDER: one step, in a process that a fail point may end.
Status play(const QStringList &arguments)
{
    const QString what = arguments.at(0);
    const QString schema = arguments.at(1);
    const QString folder = arguments.at(2);
    const QString state = folder + QStringLiteral("/state.db");
    TestHost host = kIsTrino ? TestHost::trino(QStringLiteral("iceberg"), schema, state)
                             : TestHost::embedded(folder, state);
    const View old = definition(schema, QStringLiteral("old"));
    RefreshServices services = host.services();
    if (what == u"rename")
        return renameView(services, old, renamed(old), kNothing, {});
    if (what == u"drop")
        return dropView(services, old, ViewTable::Drop, {});
    const Versions versions(folder);
    if (what == u"restore") {
        IVM_CHECK(Rollout(services).restore(old, versions.kept(), kNothing, {}));
        return {};
    }
    const View view = definition(schema, what);
    IVM_CHECK(Rollout(services).switchTo(view, beside(view), versions.keep(), {}));
    return {};
}

}  // namespace

class tst_RolloutKills : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("ivm.*.info=false")); }
    void init() { m_scene = std::make_unique<RolloutScene>(); }
    void cleanup() { m_scene.reset(); }

    void goesOnWhereItWasKilled_data();
    void goesOnWhereItWasKilled();
    void tellsWhoeverKnowsNothingOfTheOneThatDied();
    void comesBackWhereItWasKilled_data();
    void comesBackWhereItWasKilled();
    void renamesAndDropsWhereItWasKilled_data();
    void renamesAndDropsWhereItWasKilled();

private:
    void killAt(const QString &point, const QString &what);
    void refreshMeanwhile(const View &other);

    std::unique_ptr<RolloutScene> m_scene;
};

void tst_RolloutKills::killAt(const QString &point, const QString &what)
{
    Program program(QCoreApplication::applicationFilePath());
    program.set(QStringLiteral("IVM_FAIL_POINT"), point + QStringLiteral("=kill"));
    for (const char *name : {"IVM_TEST_ENGINE", "TRINO_URL", "TRINO_USER"})
        program.set(QString::fromLatin1(name), qEnvironmentVariable(name));
    const auto ran =
        program.run({QStringLiteral("--play"), what, m_scene->schema(), m_scene->folder()});
    QVERIFY2(ran.died, qPrintable(ran.out + ran.err));
}

// By somebody else, as far as the table has the columns that he wants.
void tst_RolloutKills::refreshMeanwhile(const View &other)
{
    const auto outcome = m_scene->refresh(other);
    if (outcome.error)
        QCOMPARE(outcome.error->code, QStringLiteral("target_differs"));
    else
        QCOMPARE(m_scene->difference(other), QString());
}

void tst_RolloutKills::goesOnWhereItWasKilled_data()
{
    QTest::addColumn<QString>("definition");
    QTest::addColumn<QString>("point");
    QTest::addColumn<QString>("meanwhile");  // whose refresh comes in between
    const auto rows = [](const char *definition, const QStringList &points,
                         const QStringList &others) {
        for (const auto &point : points) {
            for (const auto &meanwhile : others)
                QTest::addRow("%s, %s, %s", definition, qPrintable(point), qPrintable(meanwhile))
                    << QString::fromLatin1(definition) << point << meanwhile;
        }
    };
    const QString nobody;
    const auto old = QStringLiteral("old");
    const auto committed = QStringLiteral("switch.committed");
    const auto replaced = QStringLiteral("switch.replaced");
    if (kIsTrino) {
        // The first is that of what was built beside it.
        rows("measure", {QStringLiteral("trino.sent:2"), QStringLiteral("trino.merge_running:2")},
             {nobody});
        rows("measure", {committed}, {old});
        rows("column", {replaced}, {nobody, old});
        return;
    }
    const QStringList all{nobody, old, QStringLiteral("new")};
    const auto told = QStringLiteral("switch.told");
    const auto noted = QStringLiteral("switch.noted");
    const auto saved = QStringLiteral("switch.saved");
    // The first is that of what was built beside it.
    rows("measure", {told, noted, QStringLiteral("refresh.intent_saved:2"), committed, saved}, all);
    rows("column", {told, noted}, {nobody});
    rows("column", {replaced, committed, saved}, all);
    rows("partitioned", {noted, committed}, all);
}

void tst_RolloutKills::goesOnWhereItWasKilled()
{
    QFETCH(QString, definition);
    QFETCH(QString, point);
    QFETCH(QString, meanwhile);
    const View old = m_scene->named(QStringLiteral("old"));
    const View now = m_scene->named(definition);
    const View built = beside(now);
    QCOMPARE(m_scene->refreshed(built), kRebuild);
    const auto snapshot = m_scene->head(QStringLiteral("hourly")).snapshot;
    m_scene->append(5);
    killAt(point, definition);
    m_scene->append(6);
    if (!meanwhile.isEmpty())
        refreshMeanwhile(meanwhile == u"old" ? old : now);
    const auto done = m_scene->rollout().switchTo(now, built, m_scene->versions().keep(), {});
    QVERIFY2(done, qPrintable(told(done)));
    QCOMPARE(m_scene->versions().kept().head.snapshot, snapshot);
    QVERIFY(!m_scene->refreshed(now).contains(u' '));
    m_scene->append(7);
    QVERIFY(!m_scene->refreshed(now).contains(u' '));
    const auto restored = m_scene->rollout().restore(old, m_scene->versions().kept(), kNothing, {});
    QVERIFY2(restored, qPrintable(told(restored)));
    QCOMPARE(m_scene->refreshed(old), kNone);
}

// The record of the one that died was taken back.
void tst_RolloutKills::tellsWhoeverKnowsNothingOfTheOneThatDied()
{
    const View now = m_scene->named(QStringLiteral("column"));
    QCOMPARE(m_scene->refreshed(beside(now)), kRebuild);
    killAt(QStringLiteral("switch.noted"), QStringLiteral("column"));
    m_scene->versions().forget();
    m_scene->append(5);
    const View old = m_scene->named(QStringLiteral("old"));
    QVERIFY(!m_scene->refreshed(old).contains(u' '));
    const auto snapshot = m_scene->head(QStringLiteral("hourly")).snapshot;
    QVERIFY(m_scene->rollout().switchTo(now, beside(now), m_scene->versions().keep(), {}));
    QVERIFY(!m_scene->versions().isEmpty());
    QCOMPARE(m_scene->versions().kept().head.snapshot, snapshot);
}

void tst_RolloutKills::comesBackWhereItWasKilled_data()
{
    QTest::addColumn<QString>("definition");
    QTest::addColumn<QString>("point");
    QTest::addColumn<QString>("meanwhile");
    const auto row = [](const char *definition, const char *point, const char *meanwhile) {
        QTest::addRow("%s, %s, %s", definition, point, meanwhile)
            << definition << point << meanwhile;
    };
    if (kIsTrino) {
        row("measure", "restore.committed", "new");
        row("column", "restore.committed", "old");
        return;
    }
    for (const char *meanwhile : {"", "old", "new"}) {
        for (const char *point : {"restore.told", "restore.committed", "restore.saved"}) {
            row("measure", point, meanwhile);
            row("column", point, meanwhile);
        }
        row("partitioned", "restore.committed", meanwhile);
    }
}

void tst_RolloutKills::comesBackWhereItWasKilled()
{
    QFETCH(QString, definition);
    QFETCH(QString, point);
    QFETCH(QString, meanwhile);
    const View old = m_scene->named(QStringLiteral("old"));
    const View now = m_scene->named(definition);
    QCOMPARE(m_scene->refreshed(beside(now)), kRebuild);
    QVERIFY(m_scene->rollout().switchTo(now, beside(now), m_scene->versions().keep(), {}));
    m_scene->append(5);
    killAt(point, QStringLiteral("restore"));
    if (!meanwhile.isEmpty())
        refreshMeanwhile(meanwhile == u"old" ? old : now);
    const auto restored = m_scene->rollout().restore(old, m_scene->versions().kept(), kNothing, {});
    QVERIFY2(restored, qPrintable(told(restored)));
    QCOMPARE(m_scene->refreshed(old), kNone);
}

void tst_RolloutKills::renamesAndDropsWhereItWasKilled_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("point");
    for (const char *point : {"rename.before", "rename.renamed", "rename.told", "rename.saved"})
        QTest::newRow(point) << "rename" << point;
    QTest::newRow("drop.dropped") << "drop" << "drop.dropped";
}

void tst_RolloutKills::renamesAndDropsWhereItWasKilled()
{
    QFETCH(QString, what);
    QFETCH(QString, point);
    const View old = m_scene->named(QStringLiteral("old"));
    auto services = m_scene->services();
    killAt(point, what);
    if (what == u"rename") {
        QCOMPARE(renameView(services, old, renamed(old), kNothing, {}), Status());
        QCOMPARE(m_scene->refreshed(renamed(old)), kNone);
        QCOMPARE(services.store.records(QStringLiteral("by_hour"), 9)->size(), 1);
    } else {
        QCOMPARE(dropView(services, old, ViewTable::Drop, {}), Status());
    }
    QCOMPARE(services.store.bookmark(old.spec.name)->has_value(), false);
}

int main(int argc, char **argv)
{
    QCoreApplication app(argc, argv);
    const QStringList arguments = QCoreApplication::arguments();
    if (arguments.value(1) == u"--play") {
        const auto played = play(arguments.sliced(2));
        if (!played)
            qCritical("%s", qPrintable(played.error().text()));
        return played ? 0 : 1;
    }
    tst_RolloutKills test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_rollout_kills.moc"
