// What the catalog tells of a run before its first step.
#include "tests/support/migration_run.h"

#include <QTest>

using namespace ivm;
using namespace ivm::migrate;
using test::kCreateView;

class tst_Preflight : public QObject, private test::MigrationRun {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void refuses_data();
    void refuses();
    void leavesAlone_data();
    void leavesAlone();
    void aViewThatTheEngineRefuses();
    void aTypeThatAnotherViewReads_data();
    void aTypeThatAnotherViewReads();
    void asksOnceATable();

private:
    void makeTable(const QString &name, const QList<Column> &columns, const QString &comment = {})
    {
        TableInfo info;
        info.name = {QStringLiteral("iceberg"), QStringLiteral("main"), name};
        info.columns = columns;
        info.comment = comment;
        info.head.snapshot = 1;
        m_world.tables.insert(info.name, info);
    }
    static Column column(const QString &name, TypeKind kind)
    {
        return {.name = name, .type = {.kind = kind}};
    }
    // One with a column that is there and needs no step before it.
    QString refusal(const QByteArray &steps)
    {
        m_files->write(QStringLiteral("0001_a.yaml"),
                       "upgrade:\n- create_schema: {name: s}\n" + steps + "downgrade: []\n");
        const auto done = run();
        return done ? QString() : done.error().message;
    }
};

void tst_Preflight::init()
{
    reset();
    makeTable(QStringLiteral("u"), {column(QStringLiteral("a"), TypeKind::Bigint)});
    m_world.described = {column(QStringLiteral("a"), TypeKind::Bigint),
                         column(QStringLiteral("n"), TypeKind::Bigint)};
}

void tst_Preflight::refuses_data()
{
    QTest::addColumn<QByteArray>("steps");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const char *steps, const char *message) {
        QTest::newRow(name) << QByteArray(steps) << QString::fromLatin1(message);
    };
    row("a table that is there", "- create_table: {name: t, columns: [{name: a, type: bigint}]}\n",
        "there is a table iceberg.main.t already");
    row("a name that is taken", "- rename_table: {from: t, to: u}\n",
        "there is a table iceberg.main.u already");
    row("a table that is not there", "- add_column: {table: x, name: c, type: bigint}\n",
        "table iceberg.main.x is not there, and no step before this one makes it");
    row("a column that is there", "- add_column: {table: t, name: A, type: bigint}\n",
        "table iceberg.main.t has a column a already");
    row("a column that is not there", "- rename_column: {table: t, from: c, to: d}\n",
        "table iceberg.main.t has no column c, and no step before this one makes it");
    row("a type that narrows", "- alter_column: {table: t, name: a, type: integer}\n",
        "column a of iceberg.main.t is of type bigint and cannot become integer");
    row("a source that is not there",
        "- create_view: {name: v, query: \"SELECT a, count(*) AS n FROM x GROUP BY a\"}\n",
        "table iceberg.main.x is not there, and no step before this one makes it");
    row("a target that is somebody's",
        "- create_view: {name: u, query: \"SELECT a, count(*) AS n FROM t GROUP BY a\"}\n",
        "there is a table iceberg.main.u already, which is not the view's");
}

void tst_Preflight::refuses()
{
    answer(QStringLiteral("SELECT a, count(*) AS n FROM x"),
           invalidError(QStringLiteral("no table x")));
    QFETCH(const QByteArray, steps);
    QTEST(refusal(steps), "message");
    QVERIFY(!m_world.log.contains(QStringLiteral("run")));
    QCOMPARE(eventCount(), 0);
}

void tst_Preflight::leavesAlone_data()
{
    QTest::addColumn<QByteArray>("steps");
    QTest::newRow("what a step before makes")
        << QByteArray("- create_table: {name: x, columns: [{name: a, type: bigint}]}\n"
                      "- add_column: {table: x, name: c, type: bigint}\n");
    QTest::newRow("what a step before moves")
        << QByteArray("- rename_table: {from: t, to: x}\n- drop_column: {table: x, name: b}\n");
    QTest::newRow("what a statement may have made")
        << QByteArray("- sql: {statement: CREATE TABLE x (a bigint)}\n"
                      "- add_column: {table: x, name: c, type: bigint}\n");
    QTest::newRow("a type that widens")
        << QByteArray("- alter_column: {table: t, name: b, type: bigint}\n");
    QTest::newRow("a view") << kCreateView;
}

void tst_Preflight::leavesAlone()
{
    QFETCH(const QByteArray, steps);
    QCOMPARE(refusal(steps), QString());
}

void tst_Preflight::aViewThatTheEngineRefuses()
{
    answer(QStringLiteral("SELECT"), invalidError(QStringLiteral("no column a")));
    QCOMPARE(refusal(kCreateView), QStringLiteral("view 'v': no column a"));
    QVERIFY(m_builder->log.isEmpty());
}

void tst_Preflight::aTypeThatAnotherViewReads_data()
{
    QTest::addColumn<QByteArray>("also");
    QTest::addColumn<QString>("message");
    const QString refusal =
        QStringLiteral("view 'v': its column n would become double instead of bigint, and view "
                       "'w' reads it");
    QTest::newRow("alone") << QByteArray() << refusal;
    QTest::newRow("the reader as it is")
        << QByteArray("- replace_view: {name: w, query: \"SELECT a, sum(n) AS m FROM v GROUP BY "
                      "a\"}\n")
        << refusal;
    QTest::newRow("the reader anew")
        << QByteArray("- replace_view: {name: w, query: \"SELECT a, max(n) AS m FROM v GROUP BY "
                      "a\"}\n")
        << QString();
    QTest::newRow("the reader gone") << QByteArray("- drop_view: {name: w}\n") << QString();
}

void tst_Preflight::aTypeThatAnotherViewReads()
{
    QFETCH(const QByteArray, also);
    m_files->write(QStringLiteral("0001_a.yaml"),
                   "upgrade:\n" + kCreateView +
                       "- create_view: {name: w, query: \"SELECT a, sum(n) AS m FROM v GROUP BY "
                       "a\"}\n");
    QVERIFY(!run()->error);
    makeTable(QStringLiteral("v"),
              {column(QStringLiteral("a"), TypeKind::Bigint),
               column(QStringLiteral("n"), TypeKind::Bigint)},
              QStringLiteral("Kept by iceberg-ivm: view v"));
    m_world.described[1].type.kind = TypeKind::Double;
    m_files->write(QStringLiteral("0002_b.yaml"),
                   "upgrade:\n- replace_view: {name: v, query: \"SELECT a, avg(b) AS n FROM t "
                   "GROUP BY a\"}\n" +
                       also + "downgrade: []\n");
    const auto done = run();
    QTEST(done ? QString() : done.error().message, "message");
}

void tst_Preflight::asksOnceATable()
{
    QCOMPARE(refusal("- add_column: {table: t, name: c, type: bigint}\n"
                     "- create_table: {name: x, columns: [{name: a, type: bigint}]}\n"
                     "- set_properties: {table: u, properties: {format_version: 2}}\n"
                     "- set_sort_order: {table: u, sorted_by: [a]}\n"),
             QString());
    QCOMPARE(m_world.log.count(QStringLiteral("info u")), 1);
    QCOMPARE(m_world.log.count(QStringLiteral("info t")), 1);
}

QTEST_GUILESS_MAIN(tst_Preflight)
#include "tst_preflight.moc"
