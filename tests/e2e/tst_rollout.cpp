// Another definition for a view whose table people read: switched to and back, on the engine that
// the build names (IVM_TEST_ENGINE).
#include "tests/e2e/each_engine.h"

#include "framework/host/view_builder.h"
#include "framework/refresh/rollout.h"
#include "framework/refresh/view_table.h"
#include "tests/support/program.h"

#include <QLoggingCategory>

#include <thread>

using namespace ivm;
using namespace ivm::test;

namespace {

const auto kOld = QStringLiteral("SELECT k, date_trunc('hour', ts) AS h, count(*) AS n, sum(x) AS "
                                 "total FROM @.ev GROUP BY 1, 2");
const auto kMeasure = QStringLiteral("SELECT k, date_trunc('hour', ts) AS h, count(x) AS n, "
                                     "sum(x + 1) AS total FROM @.ev GROUP BY 1, 2");
const auto kFilter = QStringLiteral("SELECT k, date_trunc('hour', ts) AS h, count(*) AS n, sum(x) "
                                    "AS total FROM @.ev WHERE x > 2 GROUP BY 1, 2");
const auto kBucket = QStringLiteral("SELECT k, date_trunc('day', ts) AS h, count(*) AS n, sum(x) "
                                    "AS total FROM @.ev GROUP BY 1, 2");
const auto kColumn = QStringLiteral("SELECT k, date_trunc('hour', ts) AS h, count(*) AS n, sum(x) "
                                    "AS total, max(x) AS most FROM @.ev GROUP BY 1, 2");
const auto kDaily = QStringLiteral(
    "SELECT date_trunc('day', h) AS d, sum(n) AS n, max(total) AS most FROM @.hourly GROUP BY 1");

// What a run that is killed works with: it has a process of its own.
View viewIn(const QString &schema, const QString &name, QString query)
{
    const TableName defaults{QStringLiteral("iceberg"), schema, {}};
    View view;
    view.spec.name = name;
    view.spec.target = {defaults.catalog, schema, name};
    view.spec.query = query.replace(u'@', schema);
    view.spec.queryPlace = {QStringLiteral("views.yaml"), 3, 12};
    auto shape = shapeOf(view.spec, defaults);
    if (!shape)
        qFatal("%s", qPrintable(shape.error().text()));
    view.shape = *std::move(shape);
    return view;
}

// The same definition beside it.
View beside(View view)
{
    view.spec.target.table += QStringLiteral("__v2");
    view.spec.name += QStringLiteral("@2");
    return view;
}

View renamed(View view)
{
    view.spec.target.table = QStringLiteral("by_hour");
    view.spec.name = QStringLiteral("by_hour");
    return view;
}

View partitioned(View view)
{
    view.spec.targetPartitioning = {{Transform::Day, QStringLiteral("h"), 0}};
    view.spec.sortedBy = {QStringLiteral("k")};
    return view;
}

QString partitionedName() { return QStringLiteral("partitioned"); }

// The definition that a name of ours stands for.
View definition(const QString &schema, const QString &name)
{
    const QMap<QString, QString> queries{{QStringLiteral("old"), kOld},
                                         {QStringLiteral("measure"), kMeasure},
                                         {QStringLiteral("filter"), kFilter},
                                         {QStringLiteral("bucket"), kBucket},
                                         {QStringLiteral("column"), kColumn}};
    const View view = viewIn(schema, QStringLiteral("hourly"), queries.value(name, kOld));
    return name == partitionedName() ? partitioned(view) : view;
}

// What a run remembers for the way back, as a history does.
class Versions {
public:
    explicit Versions(const QString &folder) : m_path(folder + QStringLiteral("/version.json")) {}

    BeforeSwitch keep() const
    {
        return [this](const TargetVersion &version) -> Status {
            QFile file(m_path);
            if (!file.open(QIODevice::WriteOnly) || file.write(version.toJson()) < 0)
                return fail(unavailableError(file.errorString()));
            return {};
        };
    }

    TargetVersion kept() const
    {
        QFile file(m_path);
        if (!file.open(QIODevice::ReadOnly))
            qFatal("nothing was kept");
        const auto version = TargetVersion::fromJson(file.readAll(), u"the version");
        if (!version)
            qFatal("%s", qPrintable(version.error().text()));
        return *version;
    }

    bool isEmpty() const { return !QFile::exists(m_path); }

private:
    QString m_path;
};

const BeforeSwitch kNothing = [](const TargetVersion &) { return Status(); };

// tst_rollout_… --play WHAT SCHEMA FOLDER: one step, in a process that a fail point may end.
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

class tst_Rollout : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("ivm.*.info=false")); }
    void init();
    void cleanup() { m_scenario.reset(); }

    void switchesAndComesBack_data();
    void switchesAndComesBack();
    void readersSeeOneOrTheOther_data();
    void readersSeeOneOrTheOther();
    void goesOnWhereItWasKilled_data();
    void goesOnWhereItWasKilled();
    void comesBackWhereItWasKilled_data();
    void comesBackWhereItWasKilled();
    void doesNotComeBackToWhatIsGone();
    void makesTheFirstTable();
    void takesNoTableOfOthers();
    void tellsWhatDiffers();
    void renames();
    void drops();
    void renamesAndDropsWhereItWasKilled_data();
    void renamesAndDropsWhereItWasKilled();

private:
    View view(const QString &name) const { return definition(m_scenario->schema(), name); }
    View daily() const { return m_scenario->view(QStringLiteral("daily"), kDaily); }
    Versions versions() const { return Versions(m_scenario->folder()); }
    Rollout rollout() { return Rollout(m_scenario->services()); }
    void append(int x)
    {
        m_scenario->run(QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2024-01-02 10:00:00', "
                                       "'a', %1), (TIMESTAMP '2024-01-09 10:00:00', 'new', %1)")
                            .arg(x));
    }
    TableSpec layoutOf(const QString &table)
    {
        const auto session = m_scenario->host().executor().openSession({}, Call{});
        const auto info =
            (*session)->tableInfo({QStringLiteral("iceberg"), m_scenario->schema(), table}, Call{});
        if (!info)
            qFatal("%s", qPrintable(info.error().text()));
        return {.name = info->name,
                .columns = info->columns,
                .partitioning = info->partitioning,
                .sortedBy = info->sortedBy,
                .comment = info->comment};
    }
    // The action, or the error's text.
    static QString told(const Result<migrate::Built> &built)
    {
        return built ? built->action : built.error().text();
    }
    static QString told(const Result<RefreshOutcome> &outcome)
    {
        return outcome ? actionName(outcome->action) : outcome.error().text();
    }
    void killAt(const QString &point, const QString &what);

    std::unique_ptr<Scenario> m_scenario;
};

// Three days, and rows without a time.
void tst_Rollout::init()
{
    m_scenario = std::make_unique<Scenario>(kEngine);
    QStringList rows{QStringLiteral("(NULL, 'a', 1)"), QStringLiteral("(NULL, NULL, NULL)")};
    for (int hour = 0; hour < 60; ++hour)
        rows.append(QStringLiteral("(TIMESTAMP '%1', '%2', %3)")
                        .arg(QDateTime(QDate(2024, 1, 1), QTime(0, 0))
                                 .addSecs(hour * 3600)
                                 .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss")),
                             hour % 2 ? QStringLiteral("a") : QStringLiteral("b"),
                             QString::number(hour)));
    m_scenario->run({QStringLiteral("CREATE TABLE @.ev (ts timestamp(6), k varchar, x bigint)"),
                     QStringLiteral("INSERT INTO @.ev VALUES ") + rows.join(QStringLiteral(", "))});
    QCOMPARE(m_scenario->refreshed(view(QStringLiteral("old"))), kRebuild);
}

void tst_Rollout::killAt(const QString &point, const QString &what)
{
    Program program(QCoreApplication::applicationFilePath());
    program.set(QStringLiteral("IVM_FAIL_POINT"), point + QStringLiteral("=kill"));
    for (const char *name : {"TRINO_URL", "TRINO_USER"})
        program.set(QString::fromLatin1(name), qEnvironmentVariable(name));
    const auto ran =
        program.run({QStringLiteral("--play"), what, m_scenario->schema(), m_scenario->folder()});
    QVERIFY2(ran.died, qPrintable(ran.out + ran.err));
}

void tst_Rollout::switchesAndComesBack_data()
{
    QTest::addColumn<QString>("before");
    QTest::addColumn<QString>("definition");
    QTest::addColumn<QString>("how");  // it switches
    QTest::newRow("same columns") << "old" << "measure" << kDiff;
    QTest::newRow("filter") << "old" << "filter" << kDiff;
    QTest::newRow("bucket") << "old" << "bucket" << kDiff;
    QTest::newRow("column added") << "old" << "column" << kRebuild;
    QTest::newRow("column taken away") << "column" << "old" << kRebuild;
    QTest::newRow("partitioned") << "old" << partitionedName() << kRebuild;
    QTest::newRow("no longer partitioned") << partitionedName() << "old" << kRebuild;
}

// As a migration does it.
void tst_Rollout::switchesAndComesBack()
{
    QFETCH(QString, before);
    QFETCH(QString, definition);
    QFETCH(QString, how);
    const View old = view(before);
    const View now = view(definition);
    const View built = beside(now);
    migrate::TargetVersion version;
    const migrate::BeforeSwitch keep = [&](const migrate::TargetVersion &told) {
        version = told;
        return Status();
    };
    ViewBuilder builder(m_scenario->services());
    if (before != u"old") {
        QCOMPARE(builder.drop(old, migrate::ViewBuilder::Target::Drop, {}), Status());
        QCOMPARE(m_scenario->refreshed(old), kRebuild);
    }
    const TableSpec layout = layoutOf(QStringLiteral("hourly"));
    const auto snapshot = m_scenario->head(QStringLiteral("hourly")).snapshot;
    QCOMPARE(m_scenario->refreshed(daily()), kRebuild);
    QCOMPARE(told(builder.build(built, {})), kRebuild);
    QCOMPARE(builder.verify(built, {}), Status());
    append(5);
    QCOMPARE(told(builder.switchTo(now, built, keep, {})), how);
    QCOMPARE(version.held, QList<SnapshotId>{*snapshot});
    QCOMPARE(m_scenario->refreshed(now), kNone);
    QCOMPARE(told(builder.switchTo(now, built, keep, {})), kNone);
    QCOMPARE(version.held, QList<SnapshotId>{*snapshot});
    QVERIFY(!m_scenario->refreshed(daily()).contains(u' '));
    append(6);
    QCOMPARE(m_scenario->refreshed(now), kIncremental);
    QCOMPARE(builder.drop(built, migrate::ViewBuilder::Target::Drop, {}), Status());
    QCOMPARE(m_scenario->rows(QStringLiteral("SHOW TABLES FROM @")),
             QStringLiteral("daily,ev,hourly").split(u','));

    QCOMPARE(builder.canRestore(old, version, {}), Result<bool>(true));
    append(7);
    QCOMPARE(told(builder.restore(old, version, keep, {})), kIncremental);
    QVERIFY(sameLayout(layoutOf(QStringLiteral("hourly")), layout));
    QCOMPARE(m_scenario->refreshed(old), kNone);
    QVERIFY(!m_scenario->refreshed(daily()).contains(u' '));
    append(8);
    QCOMPARE(m_scenario->refreshed(old), kIncremental);
    QVERIFY(!m_scenario->refreshed(daily()).contains(u' '));
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
    const View old = view(QStringLiteral("old"));
    const View now = view(definition);
    const View built = beside(now);
    const QString look = QStringLiteral("SELECT * FROM %1 ORDER BY k, h");
    QCOMPARE(m_scenario->refreshed(built), kRebuild);
    const QStringList possible{m_scenario->rows(look.arg(old.spec.target.quoted())).join(u'\n'),
                               m_scenario->rows(look.arg(built.spec.target.quoted())).join(u'\n')};
    QMap<QString, int> seen;
    {
        std::jthread reader([&](const std::stop_token &ended) {
            auto session = m_scenario->host().executor().openSession({}, Call{});
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
            const auto switched = rollout().switchTo(now, built, versions().keep(), {});
            QVERIFY2(switched && switched->action != Action::None, qPrintable(told(switched)));
            const auto restored = rollout().restore(old, versions().kept(), kNothing, {});
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
    QCOMPARE(m_scenario->difference(old), QString());
}

void tst_Rollout::goesOnWhereItWasKilled_data()
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
        rows("measure", {QStringLiteral("trino.sent"), QStringLiteral("trino.merge_running")},
             {nobody});
        rows("measure", {committed}, {old});
        rows("column", {replaced}, {nobody, old});
        return;
    }
    const QStringList all{nobody, old, QStringLiteral("new")};
    const auto told = QStringLiteral("switch.told");
    const auto noted = QStringLiteral("switch.noted");
    const auto saved = QStringLiteral("switch.saved");
    rows("measure", {told, noted, QStringLiteral("refresh.intent_saved"), committed, saved}, all);
    rows("column", {told, noted, replaced, committed, saved}, all);
    rows("partitioned", {noted, committed}, all);
}

void tst_Rollout::goesOnWhereItWasKilled()
{
    QFETCH(QString, definition);
    QFETCH(QString, point);
    QFETCH(QString, meanwhile);
    const View old = view(QStringLiteral("old"));
    const View now = view(definition);
    const View built = beside(now);
    QCOMPARE(m_scenario->refreshed(built), kRebuild);
    append(5);
    killAt(point, definition);
    append(6);
    if (!meanwhile.isEmpty()) {
        const View &other = meanwhile == u"old" ? old : now;
        const auto outcome = m_scenario->refresh(other);
        // A table of other columns is nobody's but the other definition's.
        if (!outcome.error)
            QCOMPARE(m_scenario->difference(other), QString());
        else
            QCOMPARE(outcome.error->code, QStringLiteral("target_differs"));
    }
    const auto done = rollout().switchTo(now, built, versions().keep(), {});
    QVERIFY2(done, qPrintable(told(done)));
    QVERIFY(!m_scenario->refreshed(now).contains(u' '));
    append(7);
    QVERIFY(!m_scenario->refreshed(now).contains(u' '));
    const auto restored = rollout().restore(old, versions().kept(), kNothing, {});
    QVERIFY2(restored, qPrintable(told(restored)));
    QCOMPARE(m_scenario->refreshed(old), kNone);
}

void tst_Rollout::comesBackWhereItWasKilled_data()
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
    for (const char *definition : {"measure", "column", "partitioned"}) {
        for (const char *point : {"restore.told", "restore.committed", "restore.saved"}) {
            for (const char *meanwhile : {"", "old", "new"})
                row(definition, point, meanwhile);
        }
    }
}

void tst_Rollout::comesBackWhereItWasKilled()
{
    QFETCH(QString, definition);
    QFETCH(QString, point);
    QFETCH(QString, meanwhile);
    const View old = view(QStringLiteral("old"));
    const View now = view(definition);
    QCOMPARE(m_scenario->refreshed(beside(now)), kRebuild);
    QVERIFY(rollout().switchTo(now, beside(now), versions().keep(), {}));
    append(5);
    killAt(point, QStringLiteral("restore"));
    if (!meanwhile.isEmpty()) {
        const View &other = meanwhile == u"old" ? old : now;
        const auto outcome = m_scenario->refresh(other);
        if (!outcome.error)
            QCOMPARE(m_scenario->difference(other), QString());
        else
            QCOMPARE(outcome.error->code, QStringLiteral("target_differs"));
    }
    const auto restored = rollout().restore(old, versions().kept(), kNothing, {});
    QVERIFY2(restored, qPrintable(told(restored)));
    QCOMPARE(m_scenario->refreshed(old), kNone);
}

void tst_Rollout::doesNotComeBackToWhatIsGone()
{
    const View old = view(QStringLiteral("old"));
    const View now = view(QStringLiteral("column"));
    QCOMPARE(m_scenario->refreshed(beside(now)), kRebuild);
    QVERIFY(rollout().switchTo(now, beside(now), versions().keep(), {}));
    const TargetVersion version = versions().kept();
    QCOMPARE(rollout().canRestore(old, version, {}), Result<bool>(true));
    m_scenario->run(
        QStringLiteral("ALTER TABLE @.hourly EXECUTE expire_snapshots(retention_threshold => "
                       "'0s')"));
    QCOMPARE(rollout().canRestore(old, version, {}), Result<bool>(false));
    const auto refused = rollout().restore(old, version, kNothing, {});
    QCOMPARE(refused.error().kind, ErrorKind::NotFound);
    QCOMPARE(refused.error().text(),
             QStringLiteral("view 'hourly': its table iceberg.%1.hourly does not have the rows of "
                            "that version any more. Refresh the view: its rows are computed anew")
                 .arg(m_scenario->schema()));
    QCOMPARE(m_scenario->refreshed(now), kNone);

    m_scenario->run(QStringLiteral("DROP TABLE @.hourly"));
    QCOMPARE(rollout().canRestore(old, version, {}), Result<bool>(false));
    QCOMPARE(m_scenario->refreshed(old), kRebuild);
    QCOMPARE(rollout().canRestore(old, version, {}), Result<bool>(false));
}

void tst_Rollout::makesTheFirstTable()
{
    View first = view(QStringLiteral("old"));
    first.spec.name = QStringLiteral("first");
    first.spec.target.table = QStringLiteral("first");
    QCOMPARE(m_scenario->refreshed(beside(first)), kRebuild);
    QCOMPARE(told(rollout().switchTo(first, beside(first), versions().keep(), {})), kRebuild);
    QCOMPARE(m_scenario->refreshed(first), kNone);
    QCOMPARE(rollout().canRestore(first, versions().kept(), {}), Result<bool>(false));
}

void tst_Rollout::takesNoTableOfOthers()
{
    View other = view(QStringLiteral("column"));
    other.spec.name = QStringLiteral("other");
    QCOMPARE(m_scenario->refreshed(beside(other)), kRebuild);
    auto services = m_scenario->services();
    QVERIFY(services.store.forgetView(QStringLiteral("hourly")));
    const auto refused = rollout().switchTo(other, beside(other), versions().keep(), {});
    QCOMPARE(refused.error().code, QStringLiteral("target_in_use"));
    QVERIFY(versions().isEmpty());
    QCOMPARE(dropView(services, other, ViewTable::Drop, {}).error().text(),
             QStringLiteral("views.yaml:3:12: view 'other': table iceberg.%1.hourly is not known "
                            "to be its own. Drop the table by hand where that is meant")
                 .arg(m_scenario->schema()));
    QCOMPARE(m_scenario->difference(view(QStringLiteral("old"))), QString());
}

void tst_Rollout::tellsWhatDiffers()
{
    const View old = view(QStringLiteral("old"));
    m_scenario->run(QStringLiteral("UPDATE @.hourly SET n = 9 WHERE h IS NULL AND k = 'a'"));
    ViewBuilder builder(m_scenario->services());
    const auto differs = builder.verify(old, {});
    QCOMPARE(differs.error().code, QStringLiteral("differs"));
    QCOMPARE(differs.error().text().section(u'(', 0, 0),
             QStringLiteral("view 'hourly': table iceberg.%1.hourly is not what the query gives: 1 "
                            "rows are missing, 1 must not be there ")
                 .arg(m_scenario->schema()));
    QCOMPARE(told(builder.backfill(old, {})), kDiff);
    QCOMPARE(builder.verify(old, {}), Status());
}

void tst_Rollout::renames()
{
    const View old = view(QStringLiteral("old"));
    auto services = m_scenario->services();
    const auto snapshot = m_scenario->head(QStringLiteral("hourly")).snapshot;
    QCOMPARE(renameView(services, old, renamed(old), versions().keep(), {}), Status());
    QCOMPARE(m_scenario->head(QStringLiteral("by_hour")).snapshot, snapshot);
    QCOMPARE(m_scenario->refreshed(renamed(old)), kNone);
    QCOMPARE(services.store.records(QStringLiteral("by_hour"), 9)->size(), 1);
    QCOMPARE(services.store.bookmark(QStringLiteral("hourly"))->has_value(), false);
    append(5);
    QCOMPARE(m_scenario->refreshed(renamed(old)), kIncremental);
    QCOMPARE(renameView(services, renamed(old), old, versions().keep(), {}), Status());
    QCOMPARE(m_scenario->refreshed(old), kNone);
    const QString comment = layoutOf(QStringLiteral("hourly")).comment;
    QCOMPARE(comment, QStringLiteral("Kept by iceberg-ivm: view hourly"));
    m_scenario->run(QStringLiteral("COMMENT ON TABLE @.hourly IS 'Flights (%1)'").arg(comment));
    QCOMPARE(renameView(services, old, renamed(old), versions().keep(), {}), Status());
    QCOMPARE(layoutOf(QStringLiteral("by_hour")).comment,
             QStringLiteral("Flights (Kept by iceberg-ivm: view by_hour)"));
    QCOMPARE(m_scenario->refreshed(renamed(old)), kNone);
    // By its comment it is known to be the view's.
    QVERIFY(services.store.forgetView(renamed(old).spec.name));
    QVERIFY(!m_scenario->refreshed(renamed(old)).contains(u' '));
}

void tst_Rollout::drops()
{
    const View old = view(QStringLiteral("old"));
    auto services = m_scenario->services();
    QCOMPARE(dropView(services, old, ViewTable::Keep, {}), Status());
    QCOMPARE(services.store.bookmark(old.spec.name)->has_value(), false);
    QCOMPARE(dropView(services, old, ViewTable::Drop, {}), Status());
    QCOMPARE(m_scenario->rows(QStringLiteral("SHOW TABLES FROM @")),
             QStringList(QStringLiteral("ev")));
    QCOMPARE(dropView(services, old, ViewTable::Drop, {}), Status());
}

void tst_Rollout::renamesAndDropsWhereItWasKilled_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("point");
    for (const char *point : {"rename.before", "rename.renamed", "rename.told", "rename.saved"})
        QTest::newRow(point) << "rename" << point;
    QTest::newRow("drop.dropped") << "drop" << "drop.dropped";
}

void tst_Rollout::renamesAndDropsWhereItWasKilled()
{
    QFETCH(QString, what);
    QFETCH(QString, point);
    const View old = view(QStringLiteral("old"));
    auto services = m_scenario->services();
    killAt(point, what);
    if (what == u"rename") {
        QCOMPARE(renameView(services, old, renamed(old), kNothing, {}), Status());
        QCOMPARE(m_scenario->refreshed(renamed(old)), kNone);
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
    tst_Rollout test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_rollout.moc"
