#include "tests/conformance/executor_suite.h"

#include "tests/conformance/checks.h"

#include <QUuid>

#include <thread>

namespace ivm::test {

namespace {

const QString kThreeRows = QStringLiteral(
    "SELECT n, s, d, b FROM (VALUES (BIGINT '3', CAST('c' AS varchar), DECIMAL '1.50', true), "
    "(BIGINT '1', NULL, DECIMAL '2.25', false), (BIGINT '2', CAST('b' AS varchar), NULL, NULL)) "
    "AS v(n, s, d, b) ORDER BY n DESC");
const QString kNoRows = QStringLiteral("SELECT n, s FROM (VALUES (BIGINT '1', CAST('a' AS "
                                       "varchar))) AS v(n, s) WHERE n > 1");

Column column(const char *name, const Type &type) { return {QString::fromLatin1(name), type}; }

const Type kBigint{.kind = TypeKind::Bigint};
const Type kVarchar{.kind = TypeKind::Varchar};

Value text(const char *value) { return {QString::fromLatin1(value)}; }

Rows threeRows()
{
    return {{column("n", kBigint), column("s", kVarchar),
             column("d", {.kind = TypeKind::Decimal, .precision = 3, .scale = 2}),
             column("b", {.kind = TypeKind::Boolean})},
            {{{qint64(3)}, text("c"), text("1.50"), {true}},
             {{qint64(2)}, text("b"), {}, {}},
             {{qint64(1)}, {}, text("2.25"), {false}}}};
}

// Names and types, which are all that a query's columns have.
QStringList texts(const QList<Column> &columns)
{
    QStringList out;
    for (const auto &one : columns)
        out.append(one.name + u' ' + one.type.text());
    return out;
}

Error answered(ErrorKind kind, Place place = {})
{
    return {.kind = kind,
            .code = errorKindName(kind),
            .message = QStringLiteral("no"),
            .place = place,
            .hint = {}};
}

}  // namespace

void ExecutorSuite::init() { TAKE(m_session, executor().openSession({}, Call{})); }

void ExecutorSuite::cleanup() { m_session.reset(); }

QString ExecutorSuite::nextName()
{
    static int last = 0;
    return QStringLiteral("c%1").arg(++last);
}

TableName ExecutorSuite::named(const QString &name)
{
    TableName table = executor().defaults();
    table.table = name;
    return table;
}

Status ExecutorSuite::write(const QString &sql)
{
    willAnswer(sql, Rows{});
    IVM_CHECK(execute(*m_session, sql, Call{}));
    return {};
}

Result<TableHead> ExecutorSuite::head(const TableName &table)
{
    IVM_TRY(const auto info, m_session->tableInfo(table, Call{}));
    return info.head;
}

void ExecutorSuite::namesWhereBareNamesAreLookedUp()
{
    const auto name = executor().defaults();
    QVERIFY(!name.catalog.isEmpty());
    QVERIFY(!name.schema.isEmpty());
    QCOMPARE(name.table, QString());
}

void ExecutorSuite::runHandsRowsInOrderWithTheirTypes()
{
    willAnswer(kThreeRows, threeRows());
    int named = 0;
    QStringList columns;
    std::vector<Row> rows;
    RowSink sink{.columns = [&](const QList<Column> &all) -> Status {
                     ++named;
                     columns = texts(all);
                     return {};
                 },
                 .row = [&](Row &&row) -> Status {
                     rows.push_back(std::move(row));
                     return {};
                 }};
    TAKE(const auto result, m_session->run(kThreeRows, sink, Call{}));
    QCOMPARE(result.updateType, QString());
    QCOMPARE(result.rowsAffected, -1);
    QCOMPARE(named, 1);
    QCOMPARE(columns, texts(threeRows().columns));
    QVERIFY(rows == threeRows().rows);
}

void ExecutorSuite::runNamesTheColumnsOfNoRows()
{
    willAnswer(kNoRows, Rows{{column("n", kBigint), column("s", kVarchar)}, {}});
    TAKE(const auto rows, query(*m_session, kNoRows, Call{}));
    QCOMPARE(texts(rows.columns),
             (QStringList{QStringLiteral("n bigint"), QStringLiteral("s varchar")}));
    QVERIFY(rows.rows.empty());
}

void ExecutorSuite::runStopsWhenTheSinkFails_data()
{
    QTest::addColumn<bool>("atColumns");
    QTest::addColumn<int>("rowsTaken");
    QTest::newRow("at the columns") << true << 0;
    QTest::newRow("at the first row") << false << 1;
}

void ExecutorSuite::runStopsWhenTheSinkFails()
{
    QFETCH(bool, atColumns);
    QFETCH(int, rowsTaken);
    willAnswer(kThreeRows, threeRows());
    const Error full = unavailableError(QStringLiteral("the disk is full"));
    int taken = 0;
    RowSink sink{.columns = [&](const QList<Column> &) -> Status {
                     return atColumns ? Status(fail(full)) : Status();
                 },
                 .row = [&](Row &&) -> Status {
                     ++taken;
                     return fail(full);
                 }};
    const auto result = m_session->run(kThreeRows, sink, Call{});
    QVERIFY(!result);
    QCOMPARE(result.error(), full);
    QCOMPARE(taken, rowsTaken);
}

void ExecutorSuite::runSaysWhatIsWrong_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<Place>("place");
    QTest::newRow("a column that is not there")
        << QStringLiteral("SELECT 1,\n  nope FROM (VALUES 1) AS v(n)") << ErrorKind::Invalid
        << Place{{}, 2, 3};
    QTest::newRow("a word out of place")
        << QStringLiteral("SELECT 1\nFROM FROM") << ErrorKind::Invalid << Place{{}, 2, 6};
    QTest::newRow("a table that is not there")
        << QStringLiteral("SELECT * FROM no_such_table") << ErrorKind::NotFound << Place{{}, 1, 15};
    QTest::newRow("a schema that is not there") << QStringLiteral("SELECT * FROM no_such_schema.t")
                                                << ErrorKind::NotFound << Place{{}, 1, 15};
    QTest::newRow("what the engine does not do")
        << unsupportedStatement() << ErrorKind::Unsupported << Place{};
    if (!refusedStatement().isEmpty())
        QTest::newRow("what the user may not do")
            << refusedStatement() << ErrorKind::Invalid << Place{};
}

void ExecutorSuite::runSaysWhatIsWrong()
{
    QFETCH(QString, sql);
    QFETCH(ErrorKind, kind);
    QFETCH(Place, place);
    willAnswer(sql, fail(answered(kind, place)));
    const auto result = execute(*m_session, sql, Call{});
    REFUSED(kind, result);
    if (place.line > 0)
        QCOMPARE(result.error().place, place);
}

void ExecutorSuite::runCountsTheRowsItChanged()
{
    if (!keepsRows())
        QSKIP("this one keeps no rows");
    TAKE(const auto target, makeTarget());
    TAKE(const auto inserted,
         execute(*m_session,
                 QStringLiteral("INSERT INTO %1 VALUES ('a', 1), ('b', 2), ('c', 3)")
                     .arg(target.name.quoted()),
                 Call{}));
    QCOMPARE(inserted.updateType, QStringLiteral("INSERT"));
    QCOMPARE(inserted.rowsAffected, 3);
    TAKE(const auto deleted,
         execute(*m_session, QStringLiteral("DELETE FROM %1 WHERE n > 1").arg(target.name.quoted()),
                 Call{}));
    QCOMPARE(deleted.updateType, QStringLiteral("DELETE"));
    QCOMPARE(deleted.rowsAffected, 2);
    // Making what is there already.
    const QString again = QStringLiteral("CREATE TABLE %1 (k varchar)").arg(target.name.quoted());
    REFUSED(ErrorKind::AlreadyExists, execute(*m_session, again, Call{}));
}

void ExecutorSuite::sessionsOfTwoThreadsWorkAtOnce()
{
    willAnswer(kThreeRows, threeRows());
    QStringList problems(2);
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 2; ++i) {
            threads.emplace_back([this, problem = &problems[i]] {
                auto session = executor().openSession({}, Call{});
                const auto rows = session ? query(**session, kThreeRows, Call{})
                                          : Result<Rows>(fail(session.error()));
                if (!rows)
                    *problem = rows.error().text();
                else if (rows->rows != threeRows().rows)
                    *problem = QStringLiteral("other rows");
            });
        }
    }
    QCOMPARE(problems, QStringList(2));
}

void ExecutorSuite::nothingIsAtWorkForAPurposeThatNobodyHas()
{
    // Nor is the look itself.
    for (const auto &purpose : {QStringLiteral("nobody's"), QStringLiteral("a\n'b' %_\\")}) {
        TAKE(const auto session,
             executor().openSession({.purpose = purpose, .properties = {}, .statementTimeout = {}},
                                    Call{}));
        TAKE(const bool atWork, session->isAtWork(purpose, Call{}));
        QVERIFY(!atWork);
    }
}

void ExecutorSuite::aStatementIsAtWorkForItsPurposeUntilItEnds()
{
    if (endlessStatement().isEmpty())
        QSKIP("here statements end with their process");
    const QString purpose = QStringLiteral("it's %1").arg(QUuid::createUuid().toString());
    std::jthread worker([&](const std::stop_token &stop) {
        const auto session = executor().openSession(
            {.purpose = purpose, .properties = {}, .statementTimeout = {}}, Call{});
        (void)execute(**session, endlessStatement(), Call{stop, {}});
    });
    const auto atWork = [&](const QString &asked) {
        const auto answer = m_session->isAtWork(asked, Call{});
        if (!answer)
            qWarning("%s", qPrintable(answer.error().text()));
        return answer && *answer;
    };
    QTRY_VERIFY_WITH_TIMEOUT(atWork(purpose), 60'000);
    QVERIFY(!atWork(purpose + u'x'));
    QVERIFY(!atWork(purpose.chopped(1)));
    worker.request_stop();
    QTRY_VERIFY_WITH_TIMEOUT(!atWork(purpose), 60'000);
}

// Of a table that the session has made itself; and where there is none yet, whether it may be made.
void ExecutorSuite::noPrivilegeIsMissingForWhatItMayDo()
{
    TAKE(const auto target, makeTarget());
    const TableName other = named(nextName());
    for (const auto &name : {target.name, other}) {
        const QString rows = QStringLiteral("SELECT k, n FROM %1").arg(target.name.quoted());
        willAnswer(rows, Rows{});
        auto view = replaceAll(name, QStringLiteral("('a', 1)")).replacement;
        view.query = rows;
        TAKE(const auto missing, m_session->missingPrivileges(view, {target.name}, Call{}));
        QVERIFY2(missing.isEmpty(), qPrintable(missing.value(0).text()));
    }
    TAKE(const auto after, head(target.name));
    QCOMPARE(after, target.head);
    REFUSED(ErrorKind::NotFound, m_session->tableInfo(other, Call{}));
}

void ExecutorSuite::describeTellsWhatRunWouldGive()
{
    willAnswer(kThreeRows, threeRows());
    TAKE(const auto columns, m_session->describe(kThreeRows, Call{}));
    QCOMPARE(texts(columns), texts(threeRows().columns));
}

void ExecutorSuite::describeRunsNothing()
{
    if (!keepsRows())
        QSKIP("this one runs nothing");
    TAKE(const auto target, makeTarget());
    DO(write(QStringLiteral("INSERT INTO %1 VALUES ('a', 0)").arg(target.name.quoted())));
    const QString sql =
        QStringLiteral("SELECT k, 1 / n AS inverse FROM %1").arg(target.name.quoted());
    TAKE(const auto columns, m_session->describe(sql, Call{}));
    QCOMPARE(texts(columns),
             (QStringList{QStringLiteral("k varchar"), QStringLiteral("inverse bigint")}));
    REFUSED(ErrorKind::Invalid, query(*m_session, sql, Call{}));
}

void ExecutorSuite::describeSaysWhatIsWrong_data()
{
    QTest::addColumn<QString>("sql");
    QTest::addColumn<ErrorKind>("kind");
    QTest::addColumn<Place>("place");
    QTest::newRow("a column that is not there")
        << QStringLiteral("SELECT 1,\n  nope FROM (VALUES 1) AS v(n)") << ErrorKind::Invalid
        << Place{{}, 2, 3};
    QTest::newRow("a table that is not there")
        << QStringLiteral("SELECT * FROM no_such_table") << ErrorKind::NotFound << Place{};
}

void ExecutorSuite::describeSaysWhatIsWrong()
{
    QFETCH(QString, sql);
    QFETCH(ErrorKind, kind);
    QFETCH(Place, place);
    willAnswer(sql, fail(answered(kind, place)));
    const auto result = m_session->describe(sql, Call{});
    REFUSED(kind, result);
    if (place.line > 1)
        QCOMPARE(result.error().place, place);
}

void ExecutorSuite::createTableMakesAnEmptyTable()
{
    const TableSpec spec{
        .name = named(nextName()),
        .columns = {{.name = QStringLiteral("k"), .type = kVarchar, .nullable = false},
                    column("h", {.kind = TypeKind::Timestamp, .precision = 6}),
                    column("n", kBigint)},
        .partitioning = {{Transform::Day, QStringLiteral("h"), 0}},
        .sortedBy = {QStringLiteral("k")}};
    DO(m_session->createTable(spec, Call{}));
    TAKE(const auto info, m_session->tableInfo(spec.name, Call{}));
    QCOMPARE(info.name, spec.name);
    QCOMPARE(texts(info.columns), texts(spec.columns));
    QCOMPARE(info.columns[0].nullable, false);
    QCOMPARE(info.columns[1].nullable, true);
    QCOMPARE(info.partitioning, spec.partitioning);
    QVERIFY(!info.head.tableId.isEmpty());
    QVERIFY(!info.head.token.isEmpty());
    if (keepsRows())
        QCOMPARE(rowsOf(spec.name), QStringList());
}

void ExecutorSuite::createTableMakesTheSchemaToo()
{
    TableSpec spec{.name = named(nextName()), .columns = {column("k", kVarchar)}};
    spec.name.schema += QStringLiteral("_made_") + spec.name.table;
    DO(m_session->createTable(spec, Call{}));
    TAKE(const auto head, head(spec.name));
    QVERIFY(!head.token.isEmpty());
    DO(m_session->dropTable(spec.name, Call{}));
    DO(write(QStringLiteral("DROP SCHEMA %1.%2")
                 .arg(quotedIdentifier(spec.name.catalog), quotedIdentifier(spec.name.schema))));
}

void ExecutorSuite::createTableRefusesATableThatIsThere()
{
    TAKE(const auto target, makeTarget());
    const TableSpec spec{.name = target.name, .columns = {column("other", kBigint)}};
    REFUSED(ErrorKind::AlreadyExists, m_session->createTable(spec, Call{}));
    TAKE(const auto info, m_session->tableInfo(target.name, Call{}));
    QCOMPARE(info.head, target.head);
    QCOMPARE(texts(info.columns),
             (QStringList{QStringLiteral("k varchar"), QStringLiteral("n bigint")}));
}

void ExecutorSuite::createTableRefusesWhatCannotBe()
{
    if (!keepsRows())
        QSKIP("this one takes any table");
    const TableSpec spec{.name = named(nextName()),
                         .columns = {column("k", kVarchar)},
                         .partitioning = {{Transform::Identity, QStringLiteral("nope"), 0}}};
    REFUSED(ErrorKind::Invalid, m_session->createTable(spec, Call{}));
    REFUSED(ErrorKind::NotFound, m_session->tableInfo(spec.name, Call{}));
}

void ExecutorSuite::dropTableTakesItAway()
{
    TAKE(const auto target, makeTarget());
    DO(m_session->dropTable(target.name, Call{}));
    REFUSED(ErrorKind::NotFound, m_session->tableInfo(target.name, Call{}));
    REFUSED(ErrorKind::NotFound, m_session->dropTable(target.name, Call{}));
}

void ExecutorSuite::tableInfoKnowsNoOtherTable()
{
    REFUSED(ErrorKind::NotFound, m_session->tableInfo(named(QStringLiteral("nope")), Call{}));
    TableName elsewhere = named(QStringLiteral("nope"));
    elsewhere.schema = QStringLiteral("no_such_schema");
    REFUSED(ErrorKind::NotFound, m_session->tableInfo(elsewhere, Call{}));
}

void ExecutorSuite::theHeadMovesWithRowsAndComesBackNever()
{
    TAKE(const auto target, makeTarget());
    TAKE(const auto same, head(target.name));
    QCOMPARE(same, target.head);
    TAKE(const auto done, commit(replaceAll(target.name, QStringLiteral("('a', 1)")), same));
    TAKE(const auto moved, head(target.name));
    QCOMPARE(done.target, moved);
    QCOMPARE(moved.tableId, same.tableId);
    QVERIFY(moved.token != same.token);
    QVERIFY(moved.snapshot && moved.snapshot != same.snapshot);
    DO(m_session->dropTable(target.name, Call{}));
    DO(m_session->createTable({.name = target.name, .columns = {column("k", kVarchar)}}, Call{}));
    TAKE(const auto again, head(target.name));
    QVERIFY(again.tableId != same.tableId);
    QVERIFY(again.token != same.token && again.token != moved.token);
}

void ExecutorSuite::theTokenMovesWithTheSchemaAlone()
{
    if (!keepsRows())
        QSKIP("this one knows no statements");
    TAKE(const auto target, makeTarget());
    const auto altered = execute(
        *m_session,
        QStringLiteral("ALTER TABLE %1 ADD COLUMN more bigint").arg(target.name.quoted()), Call{});
    if (!altered && altered.error().kind == ErrorKind::Unsupported)
        QSKIP("this one does not alter tables");
    DO(altered);
    TAKE(const auto info, m_session->tableInfo(target.name, Call{}));
    QCOMPARE(info.head.tableId, target.head.tableId);
    QCOMPARE(info.head.snapshot, target.head.snapshot);
    QVERIFY(info.head.token != target.head.token);
    QCOMPARE(info.columns.last().name, QStringLiteral("more"));
}

void ExecutorSuite::everyCallStopsWhenTold_data()
{
    QTest::addColumn<QString>("what");
    QTest::addColumn<ErrorKind>("kind");
    for (const char *what : {"openSession", "run", "describe", "tableInfo", "createTable",
                             "dropTable", "commit", "settle", "isAtWork", "missingPrivileges"}) {
        QTest::addRow("%s, stopped", what) << QString::fromLatin1(what) << ErrorKind::Cancelled;
        QTest::addRow("%s, late", what) << QString::fromLatin1(what) << ErrorKind::Timeout;
    }
}

void ExecutorSuite::everyCallStopsWhenTold()
{
    QFETCH(QString, what);
    QFETCH(ErrorKind, kind);
    TAKE(const auto target, makeTarget());
    std::stop_source stop;
    Call call{.stop = stop.get_token(), .deadline = {}};
    if (kind == ErrorKind::Cancelled)
        stop.request_stop();
    else
        call.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
    willAnswer(kThreeRows, threeRows());
    const TableName other = named(nextName());
    m_intent = {.id = QStringLiteral("i"),
                .view = QStringLiteral("v"),
                .target = target.name,
                .targetHead = target.head,
                // Of a coordinator that nobody knows: asking for it takes a statement.
                .statementId = QStringLiteral("20260101_000000_00001_other"),
                .summary = {}};
    const auto attempt = [&]() -> QString {
        if (what == u"openSession") {
            // Where opening asks nobody, the session's first call stops.
            const auto opened = executor().openSession({}, call);
            return opened ? outcomeOf(query(**opened, kThreeRows, call)) : outcomeOf(opened);
        }
        if (what == u"run")
            return outcomeOf(query(*m_session, kThreeRows, call));
        if (what == u"describe")
            return outcomeOf(m_session->describe(kThreeRows, call));
        if (what == u"tableInfo")
            return outcomeOf(m_session->tableInfo(target.name, call));
        if (what == u"createTable")
            return outcomeOf(
                m_session->createTable({.name = other, .columns = {column("k", kVarchar)}}, call));
        if (what == u"dropTable")
            return outcomeOf(m_session->dropTable(target.name, call));
        if (what == u"commit")
            return outcomeOf(m_session->commit(
                replaceAll(target.name, QStringLiteral("('a', 1)")), m_intent,
                [](const QString &) -> Status { return {}; }, call));
        if (what == u"isAtWork")
            return outcomeOf(m_session->isAtWork(QStringLiteral("a view"), call));
        if (what == u"missingPrivileges")
            return outcomeOf(m_session->missingPrivileges(
                replaceAll(target.name, QStringLiteral("('a', 1)")).replacement, {target.name},
                call));
        return outcomeOf(m_session->settle(m_intent, call));
    };
    QCOMPARE(attempt(), errorKindName(kind));
    TAKE(const auto after, head(target.name));
    QCOMPARE(after, target.head);
    REFUSED(ErrorKind::NotFound, m_session->tableInfo(other, Call{}));
}

}  // namespace ivm::test
