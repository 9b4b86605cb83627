// Another definition for a view whose table people read: switched to and back, on the engine that
// ctest names (IVM_TEST_ENGINE).
#include "framework/host/view_builder.h"
#include "framework/refresh/view_table.h"
#include "tests/e2e/rollout_scene.h"
#include "tests/support/nightly.h"

#include <QLoggingCategory>

#include <thread>

using namespace ivm;
using namespace ivm::test;

namespace {

QString told(const Result<migrate::Built> &built)
{
    return built ? built->action : built.error().text();
}

}  // namespace

class tst_Rollout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("ivm.*.info=false")); }
    void init() { m_scene = std::make_unique<RolloutScene>(); }
    void cleanup() { m_scene.reset(); }

    void switchesAndComesBack_data();
    void switchesAndComesBack();
    void readersSeeOneOrTheOther_data();
    void readersSeeOneOrTheOther();
    void doesNotComeBackToWhatIsGone();
    void doesNotComeBackToWhatTheQueryGivesNoMore();
    void makesTheFirstTable();
    void takesNoTableOfOthers();
    void tellsWhatDiffers();
    void renames();
    void renamesWhatIsNotThere();
    void drops();

private:
    std::unique_ptr<RolloutScene> m_scene;
};

void tst_Rollout::switchesAndComesBack_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("definition");
    QTest::addColumn<QString>("how");  // it switches
    QTest::newRow("same columns") << "old" << "measure" << kDiff;
    QTest::newRow("column added") << "old" << "column" << kRebuild;
    QTest::newRow("partitioned") << "old" << partitionedName() << kRebuild;
    // What the engine does is one of the above; Trino takes half a minute for each.
    if (kIsTrino && !isNightly())
        return;
    QTest::newRow("filter") << "old" << "filter" << kDiff;
    QTest::newRow("bucket") << "old" << "bucket" << kDiff;
    QTest::newRow("column taken away") << "column" << "old" << kRebuild;
    QTest::newRow("no longer partitioned") << partitionedName() << "old" << kRebuild;
}

// As a migration does it.
void tst_Rollout::switchesAndComesBack()
{
    QFETCH(QString, before);
    QFETCH(QString, definition);
    QFETCH(QString, how);
    const View old = m_scene->named(before);
    const View now = m_scene->named(definition);
    const View built = beside(now);
    migrate::TargetVersion version;
    const migrate::BeforeSwitch keep = [&](const migrate::TargetVersion &told) {
        version = told;
        return Status();
    };
    ViewBuilder builder([this] { return m_scene->services(); });
    if (before != u"old") {
        QCOMPARE(builder.drop(old, migrate::ViewBuilder::Target::Drop, {}), Status());
        QCOMPARE(m_scene->refreshed(old), kRebuild);
    }
    const TableSpec layout = m_scene->layoutOf(QStringLiteral("hourly"));
    const auto snapshot = m_scene->head(QStringLiteral("hourly")).snapshot;
    QCOMPARE(m_scene->refreshed(m_scene->daily()), kRebuild);
    QCOMPARE(told(builder.build(built, {})), kRebuild);
    QCOMPARE(builder.verify(built, {}), Status());
    m_scene->append(5);
    QCOMPARE(told(builder.switchTo(now, built, keep, {})), how);
    QCOMPARE(version.held, QList<SnapshotId>{*snapshot});
    QCOMPARE(m_scene->refreshed(now), kNone);
    QCOMPARE(told(builder.switchTo(now, built, keep, {})), kNone);
    QCOMPARE(version.held, QList<SnapshotId>{*snapshot});
    QVERIFY(!m_scene->refreshed(m_scene->daily()).contains(u' '));
    m_scene->append(6);
    QCOMPARE(m_scene->refreshed(now), kIncremental);
    QCOMPARE(builder.drop(built, migrate::ViewBuilder::Target::Drop, {}), Status());
    QCOMPARE(m_scene->rows(QStringLiteral("SHOW TABLES FROM @")),
             QStringLiteral("daily,ev,hourly").split(u','));

    QCOMPARE(builder.canRestore(old, version, {}), Result<bool>(true));
    m_scene->append(7);
    QCOMPARE(told(builder.restore(old, version, keep, {})), kIncremental);
    QVERIFY(sameLayout(m_scene->layoutOf(QStringLiteral("hourly")), layout));
    QCOMPARE(m_scene->refreshed(old), kNone);
    QVERIFY(!m_scene->refreshed(m_scene->daily()).contains(u' '));
    m_scene->append(8);
    QCOMPARE(m_scene->refreshed(old), kIncremental);
    QVERIFY(!m_scene->refreshed(m_scene->daily()).contains(u' '));
}

void tst_Rollout::readersSeeOneOrTheOther_data()
{
    QTest::addColumn<QString>("definition");
    QTest::newRow("same columns") << "measure";
    QTest::newRow("column") << "column";
}

void tst_Rollout::readersSeeOneOrTheOther()
{
    QFETCH(QString, definition);
    const View old = m_scene->named(QStringLiteral("old"));
    const View now = m_scene->named(definition);
    const View built = beside(now);
    const QString look = QStringLiteral("SELECT * FROM %1 ORDER BY k, h");
    QCOMPARE(m_scene->refreshed(built), kRebuild);
    const QStringList possible{m_scene->rows(look.arg(old.spec.target.quoted())).join(u'\n'),
                               m_scene->rows(look.arg(built.spec.target.quoted())).join(u'\n')};
    QMap<QString, int> seen;
    {
        std::jthread reader([&](const std::stop_token &ended) {
            auto session = m_scene->host().executor().openSession({}, Call{});
            if (!session)
                qFatal("%s", qPrintable(session.error().text()));
            while (!ended.stop_requested()) {
                const auto read = query(**session, look.arg(old.spec.target.quoted()), {});
                QStringList lines;
                for (const auto &row : read ? read->rows : std::vector<Row>()) {
                    QStringList values;
                    for (const auto &value : row)
                        values.append(value.text());
                    lines.append(values.join(u'|'));
                }
                ++seen[read ? lines.join(u'\n') : read.error().text()];
            }
        });
        for (int round = 0; round < (kIsTrino ? 2 : 5); ++round) {
            const auto switched =
                m_scene->rollout().switchTo(now, built, m_scene->versions().keep(), {});
            QVERIFY2(switched && switched->action != Action::None, qPrintable(told(switched)));
            const auto restored =
                m_scene->rollout().restore(old, m_scene->versions().kept(), kNothing, {});
            QCOMPARE(told(restored), kNone);
            QCOMPARE(restored->filesRead, 0);
            if (definition == u"measure") {
                QCOMPARE(restored->rowsRead, 0);
                QCOMPARE(restored->bytesRead, 0);
            }
        }
    }
    for (const auto &[rows, times] : seen.asKeyValueRange())
        QVERIFY2(possible.contains(rows), qPrintable(rows));
    QVERIFY(seen.value(possible[0]) > 0);
    QCOMPARE(m_scene->difference(old), QString());
}

void tst_Rollout::doesNotComeBackToWhatIsGone()
{
    const View old = m_scene->named(QStringLiteral("old"));
    const View now = m_scene->named(QStringLiteral("column"));
    QCOMPARE(m_scene->refreshed(beside(now)), kRebuild);
    QVERIFY(m_scene->rollout().switchTo(now, beside(now), m_scene->versions().keep(), {}));
    const TargetVersion version = m_scene->versions().kept();
    QCOMPARE(m_scene->rollout().canRestore(old, version, {}), Result<bool>(true));
    m_scene->run(
        QStringLiteral("ALTER TABLE @.hourly EXECUTE expire_snapshots(retention_threshold => "
                       "'0s')"));
    QCOMPARE(m_scene->rollout().canRestore(old, version, {}), Result<bool>(false));
    const auto refused = m_scene->rollout().restore(old, version, kNothing, {});
    QCOMPARE(refused.error().kind, ErrorKind::NotFound);
    QCOMPARE(refused.error().text(),
             QStringLiteral("view 'hourly': its table iceberg.%1.hourly does not have the rows of "
                            "that version any more. Refresh the view: its rows are computed anew")
                 .arg(m_scene->schema()));
    QCOMPARE(m_scene->refreshed(now), kNone);

    m_scene->run(QStringLiteral("DROP TABLE @.hourly"));
    QCOMPARE(m_scene->rollout().canRestore(old, version, {}), Result<bool>(false));
    QCOMPARE(m_scene->refreshed(old), kRebuild);
    QCOMPARE(m_scene->rollout().canRestore(old, version, {}), Result<bool>(false));
}

void tst_Rollout::doesNotComeBackToWhatTheQueryGivesNoMore()
{
    const View old = m_scene->named(QStringLiteral("filter"));
    const View now = viewIn(m_scene->schema(), QStringLiteral("hourly"),
                            QStringLiteral("SELECT k, date_trunc('hour', ts) AS h, count(*) AS n "
                                           "FROM @.ev GROUP BY 1, 2"));
    QCOMPARE(ViewBuilder([this] {
                 return m_scene->services();
             }).drop(old, migrate::ViewBuilder::Target::Drop, {}),
             Status());
    QCOMPARE(m_scene->refreshed(old), kRebuild);
    QCOMPARE(m_scene->refreshed(beside(now)), kRebuild);
    QVERIFY(m_scene->rollout().switchTo(now, beside(now), m_scene->versions().keep(), {}));
    const TargetVersion version = m_scene->versions().kept();
    QCOMPARE(m_scene->rollout().canRestore(old, version, {}), Result<bool>(true));

    m_scene->run(QStringLiteral("ALTER TABLE @.ev DROP COLUMN x"));
    bool isTold = false;
    const auto told = [&](const TargetVersion &) {
        isTold = true;
        return Status();
    };
    const auto refused = m_scene->rollout().restore(old, version, told, {});
    QCOMPARE(refused.error().kind, ErrorKind::Invalid);
    QVERIFY(!isTold);
    m_scene->run(QStringLiteral("ALTER TABLE @.ev ADD COLUMN x double"));
    QCOMPARE(m_scene->rollout().canRestore(old, version, {}), Result<bool>(false));
}

// And its schema.
void tst_Rollout::makesTheFirstTable()
{
    View first = m_scene->named(QStringLiteral("old"));
    first.spec.name = QStringLiteral("first");
    first.spec.target.table = QStringLiteral("first");
    const View built = beside(first);
    first.spec.target.schema += QStringLiteral("_made");
    QCOMPARE(m_scene->refreshed(built), kRebuild);
    QCOMPARE(told(m_scene->rollout().switchTo(first, built, m_scene->versions().keep(), {})),
             kRebuild);
    QCOMPARE(m_scene->refreshed(first), kNone);
    QCOMPARE(m_scene->rollout().canRestore(first, m_scene->versions().kept(), {}),
             Result<bool>(false));
    m_scene->run({QStringLiteral("DROP TABLE @_made.first"), QStringLiteral("DROP SCHEMA @_made")});
}

void tst_Rollout::takesNoTableOfOthers()
{
    View other = m_scene->named(QStringLiteral("column"));
    other.spec.name = QStringLiteral("other");
    QCOMPARE(m_scene->refreshed(beside(other)), kRebuild);
    auto services = m_scene->services();
    QVERIFY(services.store.forgetView(QStringLiteral("hourly")));
    const auto refused =
        m_scene->rollout().switchTo(other, beside(other), m_scene->versions().keep(), {});
    QCOMPARE(refused.error().code, QStringLiteral("target_in_use"));
    QVERIFY(m_scene->versions().isEmpty());
    QCOMPARE(dropView(services, other, ViewTable::Drop, {}).error().text(),
             QStringLiteral("views.yaml:3:12: view 'other': table iceberg.%1.hourly is not known "
                            "to be its own. Drop or rename the table by hand where that is meant")
                 .arg(m_scene->schema()));
    QCOMPARE(m_scene->difference(m_scene->named(QStringLiteral("old"))), QString());
}

void tst_Rollout::tellsWhatDiffers()
{
    const View old = m_scene->named(QStringLiteral("old"));
    m_scene->run(QStringLiteral("UPDATE @.hourly SET n = 9 WHERE h IS NULL AND k = 'a'"));
    ViewBuilder builder([this] { return m_scene->services(); });
    const auto differs = builder.verify(old, {});
    QCOMPARE(differs.error().code, QStringLiteral("differs"));
    QCOMPARE(differs.error().text().section(u'(', 0, 0),
             QStringLiteral("view 'hourly': table iceberg.%1.hourly is not what the query gives: 1 "
                            "rows are missing, 1 must not be there ")
                 .arg(m_scene->schema()));
    QCOMPARE(told(builder.backfill(old, {})), kDiff);
    QCOMPARE(builder.verify(old, {}), Status());
}

void tst_Rollout::renames()
{
    const View old = m_scene->named(QStringLiteral("old"));
    auto services = m_scene->services();
    const auto snapshot = m_scene->head(QStringLiteral("hourly")).snapshot;
    QCOMPARE(renameView(services, old, renamed(old), m_scene->versions().keep(), {}), Status());
    QCOMPARE(m_scene->head(QStringLiteral("by_hour")).snapshot, snapshot);
    QCOMPARE(m_scene->refreshed(renamed(old)), kNone);
    QCOMPARE(services.store.records(QStringLiteral("by_hour"), 9)->size(), 1);
    QCOMPARE(services.store.bookmark(QStringLiteral("hourly"))->has_value(), false);
    m_scene->append(5);
    QCOMPARE(m_scene->refreshed(renamed(old)), kIncremental);
    QCOMPARE(renameView(services, renamed(old), old, m_scene->versions().keep(), {}), Status());
    QCOMPARE(m_scene->refreshed(old), kNone);
    const QString comment = m_scene->layoutOf(QStringLiteral("hourly")).comment;
    QCOMPARE(comment, QStringLiteral("Kept by iceberg-ivm: view hourly"));
    m_scene->run(QStringLiteral("COMMENT ON TABLE @.hourly IS 'Flights (%1)'").arg(comment));
    QCOMPARE(renameView(services, old, renamed(old), m_scene->versions().keep(), {}), Status());
    QCOMPARE(m_scene->layoutOf(QStringLiteral("by_hour")).comment,
             QStringLiteral("Flights (Kept by iceberg-ivm: view by_hour)"));
    QCOMPARE(m_scene->refreshed(renamed(old)), kNone);
    // By its comment it is known to be the view's.
    QVERIFY(services.store.forgetView(renamed(old).spec.name));
    QVERIFY(!m_scene->refreshed(renamed(old)).contains(u' '));
}

void tst_Rollout::renamesWhatIsNotThere()
{
    const View old = m_scene->named(QStringLiteral("old"));
    auto services = m_scene->services();
    const View free = renamed(old);
    m_scene->run(QStringLiteral("CREATE TABLE @.by_hour AS SELECT 1 AS a"));
    QCOMPARE(renameView(services, old, free, m_scene->versions().keep(), {}).error().text(),
             QStringLiteral("view 'hourly': its table iceberg.%1.hourly cannot be renamed: there "
                            "is a table iceberg.%1.by_hour already. Drop that table, or give the "
                            "view another target_table")
                 .arg(m_scene->schema()));
    QCOMPARE(renameView(services, free, old, m_scene->versions().keep(), {}).error().code,
             QStringLiteral("not_the_views"));
    QVERIFY(m_scene->versions().isEmpty());
    m_scene->run({QStringLiteral("DROP TABLE @.by_hour"), QStringLiteral("DROP TABLE @.hourly")});
    // Who keeps the names is told all the same.
    QCOMPARE(renameView(services, old, free, m_scene->versions().keep(), {}), Status());
    QVERIFY(!m_scene->versions().kept().exists());
    QCOMPARE(m_scene->refreshed(free), kRebuild);
}

void tst_Rollout::drops()
{
    const View old = m_scene->named(QStringLiteral("old"));
    auto services = m_scene->services();
    QCOMPARE(dropView(services, old, ViewTable::Keep, {}), Status());
    QCOMPARE(services.store.bookmark(old.spec.name)->has_value(), false);
    QCOMPARE(dropView(services, old, ViewTable::Drop, {}), Status());
    QCOMPARE(m_scene->rows(QStringLiteral("SHOW TABLES FROM @")),
             QStringList(QStringLiteral("ev")));
    QCOMPARE(dropView(services, old, ViewTable::Drop, {}), Status());
}

QTEST_GUILESS_MAIN(tst_Rollout)
#include "tst_rollout.moc"
