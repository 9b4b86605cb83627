#include "tests/conformance/detector_suite.h"

#include "tests/conformance/checks.h"

#include <thread>

namespace ivm::test {

namespace {

QString endText(std::optional<qint64> end)
{
    return end ? QString::number(*end) : QStringLiteral("?");
}

QString roleText(FileRole role)
{
    switch (role) {
    case FileRole::Added: return QStringLiteral("added");
    case FileRole::Removed: return QStringLiteral("removed");
    case FileRole::DeletedFrom: return QStringLiteral("deleted from");
    }
    Q_UNREACHABLE();
}

// The files without their paths, sorted: "added 2 rows 1..5"; or why it cannot be told.
QString shown(const Result<TableChanges> &changes)
{
    if (!changes)
        return changes.error().text();
    if (changes->unmeasurable)
        return QStringLiteral("unmeasurable");
    QStringList out;
    for (const auto &file : changes->files)
        out.append(QStringLiteral("%1 %2 rows %3..%4")
                       .arg(roleText(file.role))
                       .arg(file.records)
                       .arg(endText(file.bounds.lower), endText(file.bounds.upper)));
    out.sort();
    return out.join(QStringLiteral("; "));
}

// Whether some file's bounds hold the time; where they are not known, it may be anywhere.
bool touches(const Result<TableChanges> &changes, qint64 time)
{
    if (!changes || changes->unmeasurable)
        return false;
    for (const auto &file : changes->files) {
        if (file.bounds.lower.value_or(time) <= time && file.bounds.upper.value_or(time) >= time)
            return true;
    }
    return false;
}

}  // namespace

TableName DetectorSuite::nextTable()
{
    static int last = 0;
    return named(QStringLiteral("d%1").arg(++last));
}

Status DetectorSuite::make(const TableName &table)
{
    return writer()->createTable(
        {.name = table,
         .columns = {{QStringLiteral("id"), {.kind = TypeKind::Bigint}},
                     {QStringLiteral("ts"), {.kind = TypeKind::Timestamp, .precision = 6}}}},
        Call{});
}

Status DetectorSuite::drop(const TableName &table) { return writer()->dropTable(table, Call{}); }

Status DetectorSuite::append(const TableName &table, const QList<int> &ids)
{
    QStringList rows;
    for (const int id : ids)
        rows.append(id == 0 ? QStringLiteral("(0, NULL)")
                            : QStringLiteral("(%1, TIMESTAMP '1970-01-01 00:00:00.%2')")
                                  .arg(id)
                                  .arg(id, 6, 10, QLatin1Char('0')));
    return write(table, QStringLiteral("INSERT INTO {} VALUES ") + rows.join(u','));
}

Status DetectorSuite::addColumn(const TableName &table, const QString &name)
{
    return write(table, QStringLiteral("ALTER TABLE {} ADD COLUMN %1 bigint").arg(name));
}

// {} stands for the table.
Status DetectorSuite::write(const TableName &table, const QString &statement)
{
    IVM_CHECK(execute(*writer(), QString(statement).replace(QStringLiteral("{}"), table.quoted()),
                      Call{}));
    return {};
}

Result<TableHead> DetectorSuite::head(const TableName &table)
{
    IVM_TRY(const auto heads, detector().heads({{.table = table}}, Call{}));
    if (heads.size() != 1)
        return fail(internalError(QStringLiteral("%1 answers to one table").arg(heads.size())));
    return heads.front();
}

// From there to where it is now.
Result<TableChanges> DetectorSuite::changes(const TableName &table, const TableHead &from,
                                            const QStringList &columns)
{
    IVM_TRY(const auto to, head(table));
    return detector().changes({.table = table,
                               .from = from,
                               .to = to,
                               .column = QStringLiteral("ts"),
                               .columns = columns},
                              Call{});
}

QString DetectorSuite::after(const TableName &table, const TableHead &from)
{
    return shown(changes(table, from));
}

void DetectorSuite::headsAnswersEachTableInItsOrder()
{
    const auto first = nextTable();
    const auto second = nextTable();
    DO(make(first));
    DO(make(second));
    DO(append(second, {1}));
    TableName elsewhere = first;
    elsewhere.schema = QStringLiteral("no_such_schema");
    const auto missing = named(QStringLiteral("nope"));
    TAKE(const auto heads, detector().heads({{.table = second},
                                             {.table = missing},
                                             {.table = elsewhere},
                                             {.table = first},
                                             {.table = second}},
                                            Call{}));
    QCOMPARE(heads.size(), 5);
    REFUSED(ErrorKind::NotFound, heads[1]);
    QVERIFY2(heads[1].error().message.contains(missing.text()),
             qPrintable(heads[1].error().text()));
    REFUSED(ErrorKind::NotFound, heads[2]);
    TAKE(const auto ofFirst, head(first));
    TAKE(const auto ofSecond, head(second));
    QCOMPARE(heads[3], ofFirst);
    QCOMPARE(heads[0], ofSecond);
    QCOMPARE(heads[4], ofSecond);
    QVERIFY(ofFirst.tableId != ofSecond.tableId);
    QVERIFY(ofFirst.token != ofSecond.token);
}

void DetectorSuite::headsOfNothingAreNone()
{
    TAKE(const auto heads, detector().heads({}, Call{}));
    QVERIFY(heads.isEmpty());
}

void DetectorSuite::headsKnowsATableWithoutRows()
{
    if (!writer())
        QSKIP("this one has no engine");
    const auto table = nextTable();
    DO(make(table));
    TAKE(const auto made, head(table));
    QVERIFY(!made.tableId.isEmpty());
    QVERIFY(!made.token.isEmpty());
    TAKE(const auto info, writer()->tableInfo(table, Call{}));
    QCOMPARE(made, info.head);
}

void DetectorSuite::headsMovesWithEachCommit()
{
    const auto table = nextTable();
    DO(make(table));
    TAKE(const auto made, head(table));
    DO(append(table, {1}));
    TAKE(const auto one, head(table));
    DO(append(table, {2}));
    TAKE(const auto two, head(table));
    QCOMPARE(one.tableId, made.tableId);
    QCOMPARE(two.tableId, made.tableId);
    QVERIFY(made.token != one.token && one.token != two.token && made.token != two.token);
    QVERIFY(one.snapshot && two.snapshot && one.snapshot != two.snapshot);
    // What is known is asked about, not believed.
    TAKE(
        const auto known,
        detector().heads({{.table = table, .known = one}, {.table = table, .known = two}}, Call{}));
    QCOMPARE(known[0], two);
    QCOMPARE(known[1], two);
}

void DetectorSuite::headsMovesWithTheSchemaAlone()
{
    const auto table = nextTable();
    DO(make(table));
    DO(append(table, {1}));
    TAKE(const auto before, head(table));
    const auto added = addColumn(table, QStringLiteral("more"));
    if (!added && added.error().kind == ErrorKind::Unsupported)
        QSKIP("this engine does not add columns");
    DO(added);
    TAKE(const auto after, head(table));
    QCOMPARE(after.tableId, before.tableId);
    QCOMPARE(after.snapshot, before.snapshot);
    QVERIFY(after.token != before.token);
}

void DetectorSuite::headsTellsATableMadeAgainApart()
{
    const auto table = nextTable();
    DO(make(table));
    TAKE(const auto before, head(table));
    DO(drop(table));
    REFUSED(ErrorKind::NotFound, head(table));
    DO(make(table));
    TAKE(const auto after, head(table));
    QVERIFY(after.tableId != before.tableId);
    QVERIFY(after.token != before.token);
}

// A refresh takes heads from both.
void DetectorSuite::headsIsWhatTheEngineSays()
{
    if (!writer())
        QSKIP("this one has no engine");
    const auto table = nextTable();
    DO(make(table));
    DO(append(table, {1, 2}));
    TAKE(const auto info, writer()->tableInfo(table, Call{}));
    TAKE(const auto found, head(table));
    QCOMPARE(found, info.head);
}

void DetectorSuite::severalThreadsAskAtOnce()
{
    if (!writer())
        QSKIP("this one is of one thread");
    const auto table = nextTable();
    DO(make(table));
    DO(append(table, {1}));
    TAKE(const auto at, head(table));
    QStringList problems(4);
    {
        std::vector<std::jthread> threads;
        for (auto &problem : problems) {
            threads.emplace_back([&] {
                const auto found = head(table);
                const auto between = changes(table, at, {QStringLiteral("ts")});
                if (!found || *found != at)
                    problem = found ? found->token : found.error().text();
                else if (!between || between->columns.size() != 1)
                    problem = between ? QStringLiteral("no column") : between.error().text();
            });
        }
    }
    QCOMPARE(problems, QStringList(4));
}

void DetectorSuite::everyCallStopsWhenTold_data()
{
    QTest::addColumn<QString>("asked");
    QTest::addColumn<ErrorKind>("kind");
    for (const char *asked : {"heads", "changes", "live files"}) {
        const QString what = QString::fromLatin1(asked);
        QTest::addRow("%s, stopped", asked) << what << ErrorKind::Cancelled;
        QTest::addRow("%s, late", asked) << what << ErrorKind::Timeout;
    }
}

void DetectorSuite::everyCallStopsWhenTold()
{
    QFETCH(QString, asked);
    QFETCH(ErrorKind, kind);
    const auto table = nextTable();
    DO(make(table));
    TAKE(const auto from, head(table));
    DO(append(table, {1}));
    TAKE(const auto to, head(table));
    TAKE(const auto found, changes(table, to, {QStringLiteral("ts")}));
    std::stop_source stop;
    Call call{.stop = stop.get_token(), .deadline = {}};
    if (kind == ErrorKind::Cancelled)
        stop.request_stop();
    else
        call.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
    const ChangesRequest request{
        .table = table, .from = from, .to = to, .column = QStringLiteral("ts"), .columns = {}};
    const LiveFilesRequest live{
        .table = table, .at = to, .column = found.columns.value(0), .within = {{}}};
    if (asked == u"heads")
        REFUSED(kind, detector().heads({{.table = table}}, call));
    else if (asked == u"changes")
        REFUSED(kind, detector().changes(request, call));
    else
        REFUSED(kind, detector().liveFiles(live, call));
}

void DetectorSuite::betweenEqualEndsIsNothing()
{
    const auto table = nextTable();
    DO(make(table));
    DO(append(table, {1}));
    TAKE(const auto at, head(table));
    TAKE(const auto none, changes(table, at, {QStringLiteral("ts")}));
    QVERIFY(!none.unmeasurable);
    QVERIFY(none.files.isEmpty());
    QCOMPARE(none.columns.size(), 1);
}

void DetectorSuite::whatIsNotMeasuredHasAReason()
{
    if (measures())
        QSKIP("this one measures");
    const auto table = nextTable();
    DO(make(table));
    TAKE(const auto from, head(table));
    DO(append(table, {1}));
    TAKE(const auto found, changes(table, from, {QStringLiteral("ts")}));
    QVERIFY(!found.unmeasurable.value_or(QString()).isEmpty());
    QVERIFY(!found.pinnable);
    QCOMPARE(found.columns.size(), 1);
}

void DetectorSuite::anAppendAddsItsFile()
{
    if (!measures())
        QSKIP("this one does not measure");
    const auto table = nextTable();
    DO(make(table));
    DO(append(table, {1, 2}));
    TAKE(const auto from, head(table));
    DO(append(table, {3, 4, 9}));
    TAKE(const auto found, changes(table, from));
    QCOMPARE(shown(found), QStringLiteral("added 3 rows 3..9"));
    QVERIFY(found.files[0].bounds.nullState == NullState::Never);
    QVERIFY(found.files[0].bytes > 0);
    QVERIFY(!found.files[0].path.isEmpty());
    QCOMPARE(found.snapshots, 1);
}

void DetectorSuite::theFirstAppendToo()
{
    if (!measures())
        QSKIP("this one does not measure");
    const auto table = nextTable();
    DO(make(table));
    TAKE(const auto from, head(table));
    DO(append(table, {5}));
    QCOMPARE(after(table, from), QStringLiteral("added 1 rows 5..5"));
}

void DetectorSuite::boundsTellNulls_data()
{
    QTest::addColumn<QList<int>>("ids");
    QTest::addColumn<QString>("files");
    QTest::addColumn<int>("state");
    QTest::newRow("some") << QList<int>{0, 4} << QStringLiteral("added 2 rows 4..4")
                          << int(NullState::Some);
    QTest::newRow("always") << QList<int>{0, 0} << QStringLiteral("added 2 rows ?..?")
                            << int(NullState::Always);
}

void DetectorSuite::boundsTellNulls()
{
    if (!measures())
        QSKIP("this one does not measure");
    QFETCH(QList<int>, ids);
    QFETCH(QString, files);
    QFETCH(int, state);
    const auto table = nextTable();
    DO(make(table));
    TAKE(const auto from, head(table));
    DO(append(table, ids));
    TAKE(const auto found, changes(table, from));
    QCOMPARE(shown(found), files);
    QCOMPARE(int(found.files[0].bounds.nullState), state);
}

void DetectorSuite::aDeleteTouchesWhereItsRowsWere()
{
    if (!measures())
        QSKIP("this one does not measure");
    if (!writer())
        QSKIP("this one has no history");
    const auto table = nextTable();
    DO(make(table));
    DO(append(table, {1, 2, 3}));
    DO(append(table, {100, 200}));
    TAKE(const auto from, head(table));
    DO(write(table, QStringLiteral("DELETE FROM {} WHERE id = 3")));
    const auto found = changes(table, from);
    QVERIFY2(touches(found, 3), qPrintable(shown(found)));
    QVERIFY2(!touches(found, 150), qPrintable(shown(found)));
}

void DetectorSuite::anUpdateTouchesBothEnds()
{
    if (!measures())
        QSKIP("this one does not measure");
    if (!writer())
        QSKIP("this one has no history");
    const auto table = nextTable();
    DO(make(table));
    DO(append(table, {1, 2}));
    TAKE(const auto from, head(table));
    DO(write(table, QStringLiteral("UPDATE {} SET ts = TIMESTAMP '1970-01-01 00:00:00.000500' "
                                   "WHERE id = 2")));
    const auto found = changes(table, from);
    QVERIFY2(touches(found, 2), qPrintable(shown(found)));
    QVERIFY2(touches(found, 500), qPrintable(shown(found)));
}

void DetectorSuite::aFileThatCameAndWentIsThereTwice()
{
    if (!measures())
        QSKIP("this one does not measure");
    if (!writer())
        QSKIP("this one has no history");
    const auto table = nextTable();
    DO(make(table));
    DO(append(table, {1}));
    TAKE(const auto from, head(table));
    DO(append(table, {7, 8}));
    DO(write(table, QStringLiteral("DELETE FROM {}")));
    TAKE(const auto found, changes(table, from));
    QCOMPARE(shown(found),
             QStringLiteral("added 2 rows 7..8; removed 1 rows 1..1; removed 2 rows 7..8"));
    for (qsizetype i = 1; i < found.files.size(); ++i) {
        const auto &one = found.files[i - 1];
        const auto &next = found.files[i];
        QVERIFY(std::tie(one.path, one.role) < std::tie(next.path, next.role));
    }
}

void DetectorSuite::aRollbackTakesItsFilesAway()
{
    if (!measures())
        QSKIP("this one does not measure");
    if (!writer())
        QSKIP("this one has no history");
    const auto table = nextTable();
    DO(make(table));
    DO(append(table, {1}));
    TAKE(const auto old, head(table));
    DO(append(table, {5, 6}));
    TAKE(const auto from, head(table));
    const QString back = QStringLiteral("ALTER TABLE {} EXECUTE rollback_to_snapshot(%1)");
    DO(write(table, back.arg(*old.snapshot)));
    QCOMPARE(after(table, from), QStringLiteral("removed 2 rows 5..6"));
    DO(append(table, {9}));
    QCOMPARE(after(table, from), QStringLiteral("added 1 rows 9..9; removed 2 rows 5..6"));
    QCOMPARE(after(table, old), QStringLiteral("added 1 rows 9..9"));
}

void DetectorSuite::aCompactionIsNothing()
{
    if (!measures())
        QSKIP("this one does not measure");
    if (!writer())
        QSKIP("this one has no history");
    const auto table = nextTable();
    DO(make(table));
    DO(append(table, {1}));
    DO(append(table, {2}));
    TAKE(const auto from, head(table));
    DO(write(table, QStringLiteral("ALTER TABLE {} EXECUTE optimize")));
    TAKE(const auto to, head(table));
    QVERIFY(to.snapshot != from.snapshot);
    QCOMPARE(after(table, from), QString());
    DO(append(table, {3}));
    QCOMPARE(after(table, from), QStringLiteral("added 1 rows 3..3"));
}

void DetectorSuite::aTableMadeAgainCannotBeMeasured()
{
    const auto table = nextTable();
    DO(make(table));
    DO(append(table, {1}));
    TAKE(const auto from, head(table));
    DO(drop(table));
    DO(make(table));
    DO(append(table, {1}));
    QCOMPARE(after(table, from), QStringLiteral("unmeasurable"));
}

void DetectorSuite::expiredSnapshotsCannotBeMeasured()
{
    if (!writer())
        QSKIP("this one has no history");
    const auto table = nextTable();
    DO(make(table));
    DO(append(table, {1}));
    TAKE(const auto from, head(table));
    DO(append(table, {2}));
    DO(append(table, {3}));
    const auto expired = write(
        table,
        QStringLiteral("ALTER TABLE {} EXECUTE expire_snapshots(retention_threshold => '0s')"));
    if (!expired && expired.error().kind == ErrorKind::Unsupported)
        QSKIP("this engine does not expire snapshots");
    DO(expired);
    QCOMPARE(after(table, from), QStringLiteral("unmeasurable"));
}

}  // namespace ivm::test
