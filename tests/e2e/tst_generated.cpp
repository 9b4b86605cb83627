// Migrations that are generated, applied and taken back, on the engine that ctest names
// (IVM_TEST_ENGINE): afterwards nothing differs, and on the way back everything is as it was.
#include "tests/e2e/each_engine.h"
#include "tests/e2e/wanted_state.h"
#include "tests/support/fake_history.h"

#include "framework/host/view_builder.h"
#include "framework/migrate/autogenerate.h"
#include "framework/migrate/revision.h"
#include "framework/migrate/runner.h"

#include <QLoggingCategory>

using namespace ivm;
using namespace ivm::migrate;
using namespace ivm::test;

namespace {

const auto kMessage = QStringLiteral("what differs");

QString columnText(const Column &column)
{
    return QStringLiteral("%1 %2%3 '%4'")
        .arg(column.name, column.type.text(),
             column.nullable ? QString() : QStringLiteral(" NOT NULL"), column.comment);
}

// The migrations of one warehouse.
class Generating {
public:
    explicit Generating(Scenario &scenario)
        : m_scenario(scenario), m_history(m_clock),
          m_builder([&scenario] { return Result<RefreshServices>(scenario.services()); }),
          m_defaults(QStringLiteral("iceberg"), scenario.schema(), QString())
    {
        auto session = scenario.host().executor().openSession({}, {});
        if (!session)
            qFatal("%s", qPrintable(session.error().text()));
        m_session = *std::move(session);
    }

    const TableName &defaults() const { return m_defaults; }
    Session &session() { return *m_session; }
    const QString &lastText() const { return m_text; }

    Result<Generated> generate(const QList<ViewSpec> &views, const QList<TableFile> &tables)
    {
        IVM_TRY(const auto history, m_history.history({}));
        const Call call;
        SessionTables applied(*m_session, call);
        const auto folder = read();
        return autogenerate({.folder = folder,
                             .history = history,
                             .views = views,
                             .tables = tables,
                             .others = {},
                             .defaults = m_defaults,
                             .applied = applied});
    }

    Status write(const Generated &generated)
    {
        const QByteArray text = generatedText(generated, kMessage, m_defaults);
        m_text = QString::fromUtf8(text);
        IVM_CHECK(writeRevision(read(), kMessage, text));
        return {};
    }

    Status run(Direction direction)
    {
        const auto folder = read();
        Runner runner(
            {.history = m_history,
             .executor = [this]() -> Result<Executor *> { return &m_scenario.host().executor(); },
             .builder = m_builder,
             .clock = m_clock,
             .actor = {},
             .defaults = m_defaults});
        IVM_TRY(const auto outcome,
                runner.run({.folder = folder,
                            .direction = direction,
                            .goal = direction == Direction::Upgrade ? QStringLiteral("head")
                                                                    : QStringLiteral("-1"),
                            .others = {},
                            .mayLose = true,
                            .progress = {}},
                           {}));
        if (outcome.error)
            return fail(*outcome.error);
        return {};
    }

    // What a host does meanwhile: rows come, and views follow.
    Status goOn(const QList<ViewSpec> &specs, const QList<TableFile> &tables)
    {
        for (const auto &file : tables) {
            const auto &columns = file.table.spec.columns;
            if (std::ranges::all_of(columns, &Column::nullable))
                m_scenario.run(QStringLiteral("INSERT INTO %1 (id, k, v) VALUES (%2, 'a', 1), "
                                              "(2, NULL, NULL), (NULL, 'b', 2)")
                                   .arg(file.table.spec.name.quoted(), QString::number(++m_rows)));
        }
        QList<View> views;
        for (const auto &spec : specs) {
            IVM_TRY(auto shape, shapeOf(spec, m_defaults));
            views.append({spec, std::move(shape)});
        }
        for (const qsizetype index : refreshOrder(views).order) {
            const QString told = m_scenario.refreshed(views[index]);
            if (told.contains(u' '))
                return fail(invalidError(views[index].spec.name + u": " + told));
        }
        return {};
    }

    // How the tables are, and the views. Partition fields in any order: an engine keeps the one
    // that they had.
    Result<QStringList> state(const QList<TableName> &tables)
    {
        QStringList out;
        for (const auto &name : tables) {
            const auto info = m_session->tableInfo(name, {});
            if (!info && info.error().kind != ErrorKind::NotFound)
                return fail(info.error());
            out.append(info ? tableText(*info) : QString(name.table + QStringLiteral(": none")));
        }
        IVM_TRY(const auto history, m_history.history({}));
        for (const auto &view : history.views)
            out.append(view.name + u' ' + view.definition);
        return out;
    }

private:
    MigrationFolder read() const
    {
        return readFolder({.folder = m_files.path(), .defaults = m_defaults, .environment = {}});
    }

    static QString tableText(const TableInfo &info)
    {
        QStringList columns;
        for (const auto &column : info.columns)
            columns.append(columnText(column));
        QStringList fields;
        for (const auto &field : info.partitioning)
            fields.append(field.text());
        fields.sort();
        const QString comma = QStringLiteral(", ");
        return QStringLiteral("%1: %2; by %3; sorted by %4; '%5'")
            .arg(info.name.table, columns.join(comma), fields.join(comma),
                 info.sortedBy.join(comma), info.comment);
    }

    Scenario &m_scenario;
    SystemClock m_clock;
    FakeHistory m_history;
    ivm::ViewBuilder m_builder;
    TableName m_defaults;
    QTemporaryDir m_files;
    std::unique_ptr<Session> m_session;
    QString m_text;
    int m_rows = 0;
};

// Of the work that one seed says.
class Play {
public:
    Play(Scenario &scenario, quint32 seed)
        : m_generating(scenario), m_dice(seed), m_wanted(m_generating.defaults())
    {
    }

    int refused() const { return m_refused; }
    int takenBack() const { return m_takenBack; }
    int applied() const { return m_applied; }

    // What is wrong; empty where nothing is.
    QString step()
    {
        const WantedState before = m_wanted;
        m_told = m_wanted.change(m_dice);
        const auto generated = m_generating.generate(m_wanted.views(), m_wanted.tables());
        if (!generated)
            return wrong(generated.error());
        if (!generated->problems.isEmpty()) {
            ++m_refused;
            m_wanted = before;
            const QString code = generated->problems.first().code;
            const bool isFair = code == u"has_dependants" || code == u"cycle";
            return isFair ? QString() : wrong(generated->problems.first());
        }
        if (generated->upgrade.isEmpty())
            return {};
        auto done = apply(*generated);
        m_wanted.settle();
        if (done)
            done = m_generating.goOn(m_wanted.views(), m_wanted.tables());
        return done ? QString() : wrong(done.error());
    }

private:
    QString wrong(const Error &error) const
    {
        return QStringLiteral("%1\nwanted: %2\n%3")
            .arg(error.text(), m_told.join(QStringLiteral(", ")), m_generating.lastText());
    }

    static Status differ(const QString &what, const QStringList &is, const QStringList &was)
    {
        QStringList lines;
        for (qsizetype i = 0; i < std::max(is.size(), was.size()); ++i) {
            if (is.value(i) != was.value(i))
                lines.append(is.value(i) + QStringLiteral("\ninstead of ") + was.value(i));
        }
        return fail(invalidError(what + QStringLiteral(" differs:\n") + lines.join(u'\n')));
    }

    Status apply(const Generated &generated)
    {
        m_everyTable += m_wanted.tableNames();
        IVM_TRY(const auto before, m_generating.state(m_everyTable));
        IVM_CHECK(m_generating.write(generated));
        IVM_CHECK(up());
        ++m_applied;
        if (!generated.downgrade)
            return {};
        IVM_TRY(const auto after, m_generating.state(m_everyTable));
        IVM_CHECK(m_generating.run(Direction::Downgrade));
        IVM_TRY(const auto back, m_generating.state(m_everyTable));
        if (back != before)
            return differ(QStringLiteral("what a downgrade leaves"), back, before);
        ++m_takenBack;
        IVM_CHECK(up());
        IVM_TRY(const auto again, m_generating.state(m_everyTable));
        if (again != after)
            return differ(QStringLiteral("what a second upgrade leaves"), again, after);
        return {};
    }

    Status up()
    {
        IVM_CHECK(m_generating.run(Direction::Upgrade));
        IVM_TRY(const auto generated, m_generating.generate(m_wanted.views(), m_wanted.tables()));
        if (!generated.problems.isEmpty())
            return fail(generated.problems.first());
        if (generated.upgrade.isEmpty())
            return {};
        return fail(invalidError(QStringLiteral("after the upgrade this still differs: ") +
                                 generated.upgrade.first().why));
    }

    Generating m_generating;
    Dice m_dice;
    WantedState m_wanted;
    QList<TableName> m_everyTable;
    QStringList m_told;
    int m_refused = 0;
    int m_takenBack = 0;
    int m_applied = 0;
};

}  // namespace

class tst_Generated : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("ivm.*.info=false")); }
    void everyTypeComesBack();
    void propertiesComeBack();
    void aSchemaComesAndGoes();
    void case_C054();
    void randomChanges_data();
    void randomChanges();
};

// Autogenerate after create_table says nothing, whatever the engine spells types as.
void tst_Generated::everyTypeComesBack()
{
    Scenario scenario(kEngine);
    Generating generating(scenario);
    const QByteArray text = "name: Every\n"
                            "columns:\n"
                            "  - {name: a, type: boolean, nullable: false}\n"
                            "  - {name: B, type: int, comment: \"it's \\\"so\\\"\"}\n"
                            "  - {name: c, type: bigint}\n"
                            "  - {name: d, type: real}\n"
                            "  - {name: e, type: double precision}\n"
                            "  - {name: f, type: decimal}\n"
                            "  - {name: g, type: 'decimal(12, 2)'}\n"
                            "  - {name: h, type: varchar(10)}\n"
                            "  - {name: i, type: char(3)}\n"
                            "  - {name: j, type: varbinary}\n"
                            "  - {name: k, type: uuid}\n"
                            "  - {name: l, type: date}\n"
                            "  - {name: m, type: time}\n"
                            "  - {name: n, type: timestamp}\n"
                            "  - {name: o, type: timestamp(3) with time zone}\n"
                            "  - {name: p, type: 'row(X int, \"Y z\" row(q timestamp(9)))'}\n"
                            "  - {name: q, type: 'array(map(varchar(3), timestamp))'}\n"
                            "  - {name: r, type: smallint}\n"
                            "  - {name: \"s t\", type: date}\n"
                            "partitioning: [day(n), 'bucket(c, 16)', h, 'truncate(B, 10)', "
                            "month(\"s t\")]\n"
                            "sorted_by: [c DESC, B, 'e NULLS LAST', l ASC NULLS FIRST]\n"
                            "comment: \"what's: it\"\n";
    QList<Error> problems;
    const auto file =
        readTableFile(text, QStringLiteral("every.yaml"), generating.defaults(), problems);
    QVERIFY2(file, qPrintable(problems.isEmpty() ? QString() : problems.first().text()));
    const auto generated = generating.generate({}, {*file});
    QVERIFY2(generated, qPrintable(generated ? QString() : generated.error().text()));
    QCOMPARE(generated->problems, QList<Error>());
    QVERIFY(generating.write(*generated));
    const auto ran = generating.run(Direction::Upgrade);
    QVERIFY2(ran, qPrintable(ran ? QString() : ran.error().text()));
    const auto again = generating.generate({}, {*file});
    QVERIFY(again);
    QCOMPARE(again->problems, QList<Error>());
    QVERIFY2(again->upgrade.isEmpty(),
             qPrintable(again->upgrade.isEmpty() ? QString() : again->upgrade.first().why));
}

// Where the engine tells the properties of a table; else it is said that it does not.
void tst_Generated::propertiesComeBack()
{
    Scenario scenario(kEngine);
    Generating generating(scenario);
    scenario.run(QStringLiteral("CREATE TABLE @.t (a bigint)"));
    QList<Error> problems;
    const auto file = readTableFile("name: t\n"
                                    "columns: [{name: a, type: bigint}]\n"
                                    "properties: {max_commit_retry: 7, format_version: 2}\n",
                                    QStringLiteral("t.yaml"), generating.defaults(), problems);
    QVERIFY(file);
    const auto generated = generating.generate({}, {*file});
    QVERIFY2(generated, qPrintable(generated ? QString() : generated.error().text()));
    if (!kIsTrino) {
        QCOMPARE(generated->problems.size(), 1);
        return;
    }
    QCOMPARE(generated->problems, QList<Error>());
    QVERIFY(generating.write(*generated));
    QVERIFY(generating.run(Direction::Upgrade));
    QVERIFY(generating.generate({}, {*file})->upgrade.isEmpty());
    QVERIFY(generating.run(Direction::Downgrade));
    QVERIFY(generating.run(Direction::Upgrade));
    QVERIFY(generating.generate({}, {*file})->upgrade.isEmpty());
}

void tst_Generated::aSchemaComesAndGoes()
{
    Scenario scenario(kEngine);
    Generating generating(scenario);
    const QString schema = scenario.schema() + QStringLiteral("_more");
    QList<Error> problems;
    const auto file = readTableFile(
        QStringLiteral("name: %1.t\ncolumns: [{name: a, type: bigint}]\n").arg(schema).toUtf8(),
        QStringLiteral("t.yaml"), generating.defaults(), problems);
    QVERIFY(file);
    const auto generated = generating.generate({}, {*file});
    QVERIFY(generated);
    QCOMPARE(generated->upgrade.size(), 2);
    QVERIFY(generating.write(*generated));
    QVERIFY(generating.run(Direction::Upgrade));
    QVERIFY(generating.generate({}, {*file})->upgrade.isEmpty());
    QVERIFY(generating.run(Direction::Downgrade));
    const Call call;
    SessionTables tables(generating.session(), call);
    const auto isThere = tables.hasSchema(file->table.spec.name);
    QVERIFY(isThere && !*isThere);
    QVERIFY(generating.run(Direction::Upgrade));
    QVERIFY(generating.generate({}, {*file})->upgrade.isEmpty());
    QVERIFY(generating.run(Direction::Downgrade));
}

// Nothing is generated of what only looks different, and every real change is, however small.
void tst_Generated::case_C054()
{
    Scenario scenario(kEngine);
    scenario.run({QStringLiteral("CREATE TABLE @.ev (k varchar, ts timestamp(6), v bigint)"),
                  QStringLiteral("INSERT INTO @.ev VALUES ('A', TIMESTAMP '2024-01-01 10:00:00', "
                                 "1), ('A', TIMESTAMP '2024-01-01 10:30:00', 1), ('A ', NULL, 2), "
                                 "(NULL, TIMESTAMP '2024-01-02 00:00:00', NULL)")});
    Generating generating(scenario);
    const auto view = [&](const QString &query) {
        return scenario.view(QStringLiteral("hourly"), query);
    };
    const auto generated = [&](const View &wanted) {
        const auto out = generating.generate({wanted.spec}, {});
        if (!out || !out->problems.isEmpty())
            qFatal("nothing is generated");
        return *out;
    };
    const auto first = QStringLiteral("SELECT k, date_trunc('hour', ts) AS h, sum(v) AS s, "
                                      "count(*) AS n FROM @.ev WHERE v > 0 GROUP BY 1, 2");
    const auto migrate = [&](const View &wanted) {
        QVERIFY(generating.write(generated(wanted)));
        const auto ran = generating.run(Direction::Upgrade);
        QVERIFY2(ran, qPrintable(ran ? QString() : ran.error().text()));
        QVERIFY(generated(wanted).upgrade.isEmpty());
        QCOMPARE(scenario.difference(wanted), QString());
    };
    migrate(view(first));
    QVERIFY(generated(view(QStringLiteral("-- per hour\nselect K,\n  date_trunc('hour', TS) as h, "
                                          "SUM(v) AS s, count( * ) AS n\nfrom @.EV where v > 0 "
                                          "GROUP BY k, date_trunc('hour', ts)")))
                .upgrade.isEmpty());
    QString query = first;
    for (const auto &[from, to] :
         {std::pair{"sum(v)", "sum(DISTINCT v)"}, std::pair{"v > 0", "v >= 1"},
          std::pair{"v >= 1", "k <> 'A '"}, std::pair{"k <> 'A '", "k <> 'A'"},
          std::pair{"sum(DISTINCT v) AS s, count(*) AS n", "count(*) AS n, sum(v) AS s"}}) {
        query.replace(QString::fromLatin1(from), QString::fromLatin1(to));
        migrate(view(query));
        if (QTest::currentTestFailed())
            return;
    }
}

void tst_Generated::randomChanges_data()
{
    QTest::addColumn<quint32>("seed");
    const bool isSeeded = qEnvironmentVariableIsSet("IVM_SEED");
    const quint32 first = isSeeded ? qEnvironmentVariable("IVM_SEED").toUInt() : 1;
    const quint32 count = isSeeded || kIsTrino ? 1 : 4;
    for (quint32 seed = first; seed < first + count; ++seed)
        QTest::addRow("seed %u", seed) << seed;
}

void tst_Generated::randomChanges()
{
    QFETCH(quint32, seed);
    const int kSteps = kIsTrino ? 4 : 10;
    Scenario scenario(kEngine);
    Play play(scenario, seed);
    for (int i = 0; i < kSteps; ++i) {
        const QString wrong = play.step();
        QVERIFY2(wrong.isEmpty(), qPrintable(QStringLiteral("step %1; replay with IVM_SEED=%2\n%3")
                                                 .arg(i)
                                                 .arg(seed)
                                                 .arg(wrong)));
    }
    qInfo("seed %u: %d migrations, %d taken back, %d changes refused", seed, play.applied(),
          play.takenBack(), play.refused());
    QVERIFY2(play.takenBack() > 0, "no migration was taken back");
    QVERIFY2(play.refused() < kSteps / 2, "most changes were refused");
}

QTEST_GUILESS_MAIN(tst_Generated)
#include "tst_generated.moc"
