// Which steps are refused for what they would do to views, before anything runs.
#include "framework/migrate/view_set.h"
#include "tests/support/migration_files.h"

#include <QTest>

using namespace ivm;
using namespace ivm::migrate;

namespace {

const TableName &kDefaults = test::kMigrationDefaults;

OtherView otherView(const QString &name, const QString &query)
{
    ViewSpec spec;
    spec.name = name;
    spec.query = query;
    spec.target = {kDefaults.catalog, kDefaults.schema, name};
    auto shape = shapeOf(spec, kDefaults);
    return {View{spec, shape ? *std::move(shape) : ViewShape()}, QStringLiteral("views.yaml:3")};
}

// Applies the upgrade's steps one after the other; the first error's text, or nothing.
QString tryAll(const QByteArray &upgrade, const QList<OtherView> &others = {})
{
    QList<Error> problems;
    const auto migration =
        readMigration("upgrade:\n" + upgrade, QStringLiteral("0001_x.yaml"),
                      {.folder = {}, .defaults = kDefaults, .environment = {}}, problems);
    if (!problems.isEmpty())
        return QStringLiteral("not read: ") + problems.first().text();
    auto views = ViewSet::make({}, others, kDefaults);
    if (!views)
        return views.error().text();
    qint64 version = 0;
    for (const auto &step : migration.upgrade) {
        if (const auto done = views->apply(step, kDefaultLine.toString(), ++version); !done)
            return done.error().text();
    }
    return {};
}

const QByteArray kHourly =
    "- create_view: {name: hourly, query: \"SELECT date_trunc('hour', ts) AS "
    "h, count(*) AS n, sum(v) AS s FROM ev GROUP BY 1\"}\n";
const QByteArray kDaily = "- create_view: {name: daily, query: \"SELECT date_trunc('day', h) AS d, "
                          "sum(n) AS n FROM hourly GROUP BY 1\"}\n";

}  // namespace

class tst_ViewSet : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void refuses_data();
    void refuses();
    void knowsTheViewsOfOthers();
    void remembersWhatWasReplaced();
    void refusesAStoredDefinitionThatIsNone();
};

void tst_ViewSet::refuses_data()
{
    QTest::addColumn<QByteArray>("steps");
    QTest::addColumn<QString>("error");
    const auto row = [](const char *what, const QByteArray &steps, const char *error = "") {
        QTest::newRow(what) << steps << QString::fromUtf8(error);
    };
    row("nothing", kHourly + kDaily);
    row("a view that is read by another is dropped",
        kHourly + kDaily + "- drop_view: {name: hourly}\n",
        "0001_x.yaml:4:3: view 'hourly' is read by view 'daily', so it cannot be dropped. Drop or "
        "replace the views first, in steps before this one");
    row("in the right order", kHourly + kDaily +
                                  "- drop_view: {name: daily}\n- drop_view: {name: "
                                  "hourly}\n");
    row("a table that a view reads is dropped", kHourly + "- drop_table: {name: ev}\n",
        "0001_x.yaml:3:3: iceberg.main.ev is read by view 'hourly', so it cannot be dropped. Drop "
        "or replace the views first, in steps before this one");
    row("by a statement of the author's",
        kHourly + "- sql: {statement: drop table if exists \"EV\"}\n",
        "0001_x.yaml:3:3: iceberg.main.ev is read by view 'hourly', so it cannot be dropped. Drop "
        "or replace the views first, in steps before this one");
    row("a view's table is dropped", kHourly + "- drop_table: {name: hourly}\n",
        "0001_x.yaml:3:3: iceberg.main.hourly is the table of view 'hourly', so it cannot be "
        "dropped. Use drop_view or rename_view");
    row("a column that a view reads is dropped", kHourly + "- drop_column: {table: ev, name: V}\n",
        "0001_x.yaml:3:3: column v of iceberg.main.ev is read by view 'hourly', so it cannot be "
        "dropped. Drop or replace the views first, in steps before this one");
    row("a column that a view reads is renamed",
        kHourly + "- sql: {statement: ALTER TABLE ev RENAME COLUMN ts TO at}\n",
        "0001_x.yaml:3:3: column ts of iceberg.main.ev is read by view 'hourly', so it cannot be "
        "renamed. Drop or replace the views first, in steps before this one");
    row("a table that a view reads is replaced by a statement",
        kHourly + "- sql: {statement: CREATE OR REPLACE TABLE ev AS SELECT 1 AS v}\n",
        "0001_x.yaml:3:3: iceberg.main.ev is read by view 'hourly', so it cannot be replaced. Drop "
        "or replace the views first, in steps before this one");
    row("a view's table is replaced by a statement",
        kHourly + "- sql: {statement: CREATE OR REPLACE TABLE hourly (v bigint)}\n",
        "0001_x.yaml:3:3: iceberg.main.hourly is the table of view 'hourly', so it cannot be "
        "replaced. Use drop_view or rename_view");
    row("a schema of a view is dropped with all that is in it",
        kHourly + "- sql: {statement: DROP SCHEMA main CASCADE}\n",
        "0001_x.yaml:3:3: iceberg.main.hourly is the table of view 'hourly', so it cannot be "
        "dropped. Use drop_view or rename_view");
    row("another schema is", kHourly + "- sql: {statement: DROP SCHEMA other CASCADE}\n");
    for (const char *statement :
         {"INSERT INTO hourly SELECT 1, 1, 1", "UPDATE hourly SET n = 1", "DELETE FROM hourly",
          "TRUNCATE TABLE hourly",
          "MERGE INTO hourly t USING ev s ON t.n = s.v WHEN MATCHED THEN DELETE"})
        row(statement, kHourly + "- sql: {statement: '" + statement + "'}\n",
            "0001_x.yaml:3:3: iceberg.main.hourly is the table of view 'hourly', so no statement "
            "can write it. Write what the view reads; 'backfill' compares all of the view with its "
            "query");
    row("what a view reads is written", kHourly + "- sql: {statement: DELETE FROM ev}\n");
    row("a field of a column that a view reads is dropped",
        kHourly + "- sql: {statement: ALTER TABLE ev DROP COLUMN v.x}\n",
        "0001_x.yaml:3:3: column v of iceberg.main.ev is read by view 'hourly', so it cannot be "
        "dropped. Drop or replace the views first, in steps before this one");
    row("another column is dropped", kHourly + "- drop_column: {table: ev, name: w}\n");
    row("a column that a view reads is replaced away",
        kHourly + kDaily +
            "- replace_view: {name: hourly, query: \"SELECT date_trunc('hour', ts) AS h, sum(v) AS "
            "s FROM ev GROUP BY 1\"}\n",
        "0001_x.yaml:4:3: column n of iceberg.main.hourly is read by view 'daily', so it cannot be "
        "taken away. Drop or replace the views first, in steps before this one");
    row("a column that no view reads is replaced away",
        kHourly + kDaily +
            "- replace_view: {name: hourly, query: \"SELECT date_trunc('hour', ts) AS h, count(*) "
            "AS n FROM ev GROUP BY 1\"}\n");
    row("a target is moved",
        kHourly + "- replace_view: {name: hourly, target_table: other, query: \"SELECT v, count(*) "
                  "AS n FROM ev GROUP BY 1\"}\n",
        "0001_x.yaml:3:3: view 'hourly': its target would become iceberg.main.other; it is "
        "iceberg.main.hourly. Keep target_table; to move the rows, make a view of another name");
    row("a view is made twice", kHourly + kHourly,
        "0001_x.yaml:3:3: there is a view 'hourly' already, of migration 0001. Use replace_view to "
        "change it");
    row("two views have one target",
        kHourly + "- create_view: {name: x, target_table: hourly, query: \"SELECT v, count(*) AS n "
                  "FROM ev GROUP BY 1\"}\n",
        "0001_x.yaml:3:3: view 'x': its target iceberg.main.hourly is also that of view 'hourly' "
        "of migration 0001. Give one of them another target_table");
    row("a view that is not there is replaced",
        kHourly + "- replace_view: {name: hourli, query: \"SELECT v, count(*) AS n FROM ev GROUP "
                  "BY 1\"}\n",
        "0001_x.yaml:3:3: there is no view 'hourli' at this point. Did you mean 'hourly'?");
    row("a view that was never replaced is restored", kHourly + "- restore_view: {name: hourly}\n",
        "0001_x.yaml:3:3: view 'hourly' was never replaced, so there is nothing to restore. Write "
        "the definition out with replace_view");
    row("a view that others read by its table's name is renamed",
        kHourly + kDaily + "- rename_view: {from: hourly, to: per_hour}\n",
        "0001_x.yaml:4:3: view 'hourly' is read by view 'daily' by its table's name "
        "iceberg.main.hourly. Replace it by a definition with target_table first, which stays when "
        "the view is renamed");
    row("a view is renamed", kHourly + "- rename_view: {from: hourly, to: per_hour}\n"
                                       "- backfill: {view: per_hour}\n");
    const QByteArray replaced =
        "- replace_view: {name: hourly, query: \"SELECT "
        "date_trunc('hour', ts) AS h, count(*) AS n FROM ev GROUP BY 1\"}\n";
    const QByteArray back = "- rename_view: {from: hourly, to: per_hour}\n"
                            "- restore_view: {name: per_hour}\n";
    row("a view that was renamed comes back under its name of now",
        kHourly + replaced + back + "- backfill: {view: per_hour}\n");
    row("and its name of then is free", kHourly + replaced + back + kHourly);
    row("a view is renamed to one that is there",
        kHourly +
            "- create_view: {name: x, query: \"SELECT v, count(*) AS n FROM ev GROUP BY v\"}\n"
            "- rename_view: {from: x, to: hourly}\n",
        "0001_x.yaml:4:3: there is a view 'hourly' already, of migration 0001. Use replace_view to "
        "change it");
    row("a query that cannot be kept right",
        "- create_view: {name: v, query: \"SELECT random() AS r, count(*) AS n FROM ev GROUP BY "
        "1\"}\n",
        "0001_x.yaml:2:41: view 'v': random() gives another answer each time; a view's rows must "
        "follow from its source's");
}

void tst_ViewSet::refuses()
{
    QFETCH(QByteArray, steps);
    QTEST(tryAll(steps), "error");
}

void tst_ViewSet::knowsTheViewsOfOthers()
{
    const QString query = QStringLiteral("SELECT v, count(*) AS n FROM ev GROUP BY v");
    const QList<OtherView> others{otherView(QStringLiteral("by_v"), query)};
    const QByteArray same = "- create_view: {name: by_v, query: \"" + query.toUtf8() + "\"}\n";
    QCOMPARE(tryAll(same, others), QString());
    QCOMPARE(tryAll("- create_view: {name: by_v, query: \"SELECT v, max(ts) AS n FROM ev GROUP BY "
                    "v\"}\n",
                    others),
             QStringLiteral(
                 "0001_x.yaml:2:3: there is a view 'by_v' already, of views.yaml:3, with "
                 "another definition. Make it there what the last migration says, or take it out"));
    QCOMPARE(tryAll("- drop_view: {name: by_v}\n", others),
             QStringLiteral("0001_x.yaml:2:3: view 'by_v' is of views.yaml:3, not of a migration. "
                            "Take it over with create_view of the same definition first"));
    QCOMPARE(tryAll("- drop_table: {name: ev}\n", others),
             QStringLiteral("0001_x.yaml:2:3: iceberg.main.ev is read by view 'by_v', so it cannot "
                            "be dropped. Drop or replace the views first, in steps before this "
                            "one"));
    QCOMPARE(tryAll(same + "- drop_view: {name: by_v}\n- drop_table: {name: ev}\n", others),
             QString());
}

void tst_ViewSet::remembersWhatWasReplaced()
{
    const QString first = QStringLiteral("SELECT v, count(*) AS n FROM ev GROUP BY v");
    EarlierVersion earlier{.version = 3,
                           .spec = otherView(QStringLiteral("x"), first).view.spec,
                           .target = R"({"snapshot":"12"})",
                           .held = {12},
                           .earlier = {}};
    MigratedView row{.name = QStringLiteral("x"),
                     .line = kDefaultLine.toString(),
                     .version = 4,
                     .definition = {},
                     .earlier = earlierText(earlier, kDefaults),
                     .held = {12}};
    const auto read = readEarlier(row, kDefaults);
    QVERIFY(read);
    QCOMPARE(read->version, 3);
    QCOMPARE(read->spec.query, first);
    QCOMPARE(read->target, QByteArray(R"({"snapshot":"12"})"));
    QCOMPARE(read->held, QList<SnapshotId>{12});
    QVERIFY(read->earlier.isEmpty());

    // And what that one had replaced.
    earlier.earlier = row.earlier;
    row.earlier = earlierText(earlier, kDefaults);
    const auto nested = readEarlier(row, kDefaults);
    QVERIFY(nested);
    QVERIFY(!nested->earlier.isEmpty());
    row.earlier = nested->earlier;
    QCOMPARE(readEarlier(row, kDefaults)->version, 3);

    row.earlier = QStringLiteral("{no json");
    QCOMPARE(readEarlier(row, kDefaults).error().kind, ErrorKind::Corrupt);
}

void tst_ViewSet::refusesAStoredDefinitionThatIsNone()
{
    const MigratedView row{.name = QStringLiteral("x"),
                           .line = kDefaultLine.toString(),
                           .version = 4,
                           .definition = QStringLiteral("{\"name\":\"x\"}"),
                           .earlier = {},
                           .held = {}};
    const auto views = ViewSet::make({row}, {}, kDefaults);
    QVERIFY(!views);
    QCOMPARE(views.error().kind, ErrorKind::Corrupt);
}

QTEST_GUILESS_MAIN(tst_ViewSet)
#include "tst_view_set.moc"
