// What a detector tells of live files and of columns.
#include "tests/conformance/checks.h"
#include "tests/conformance/detector_suite.h"

namespace ivm::test {

Result<FileTotals> DetectorSuite::liveFiles(const TableName &table, const QList<FileBounds> &within)
{
    IVM_TRY(const auto at, head(table));
    IVM_TRY(const auto now, changes(table, at, {QStringLiteral("ts")}));
    return detector().liveFiles(
        {.table = table, .at = at, .column = now.columns.value(0), .within = within}, Call{});
}

void DetectorSuite::liveFilesAreThoseThatMayHoldAValue_data()
{
    QTest::addColumn<QList<FileBounds>>("within");
    QTest::addColumn<int>("files");
    QTest::addColumn<int>("records");
    QTest::addColumn<int>("lower");
    QTest::addColumn<int>("upper");
    const auto between = [](std::optional<qint64> lower, std::optional<qint64> upper) {
        return FileBounds{.lower = lower, .upper = upper};
    };
    QTest::newRow("all") << QList<FileBounds>{between({}, {})} << 3 << 7 << 1 << 900;
    QTest::newRow("one") << QList<FileBounds>{between(150, 160)} << 1 << 2 << 100 << 200;
    QTest::newRow("from one on") << QList<FileBounds>{between(200, {})} << 2 << 4 << 100 << 900;
    QTest::newRow("two intervals")
        << QList<FileBounds>{between({}, 2), between(900, 950)} << 2 << 5 << 1 << 900;
    QTest::newRow("between files") << QList<FileBounds>{between(300, 400)} << 0 << 0 << -1 << -1;
    QTest::newRow("no interval") << QList<FileBounds>{} << 0 << 0 << -1 << -1;
}

void DetectorSuite::liveFilesAreThoseThatMayHoldAValue()
{
    if (!measures())
        QSKIP("this one does not measure");
    QFETCH(QList<FileBounds>, within);
    QFETCH(int, files);
    QFETCH(int, records);
    QFETCH(int, lower);
    QFETCH(int, upper);
    const auto table = nextTable();
    DO(make(table));
    DO(append(table, {1, 2, 3}));
    DO(append(table, {100, 200}));
    DO(append(table, {800, 900}));
    TAKE(const auto found, liveFiles(table, within));
    QCOMPARE(found.files, files);
    QCOMPARE(found.records, records);
    QCOMPARE(found.bytes > 0, files > 0);
    QCOMPARE(found.bounds.lower.value_or(-1), lower);
    QCOMPARE(found.bounds.upper.value_or(-1), upper);
}

void DetectorSuite::liveFilesOfAnEmptyTableAreNone()
{
    const auto table = nextTable();
    DO(make(table));
    TAKE(const auto found, liveFiles(table, {{}}));
    QCOMPARE(found, FileTotals{});
}

void DetectorSuite::columnsHaveTypesAndIds()
{
    const auto table = nextTable();
    DO(make(table));
    DO(append(table, {1}));
    TAKE(const auto at, head(table));
    TAKE(const auto found,
         changes(table, at, {QStringLiteral("ts"), QStringLiteral("nope"), QStringLiteral("id")}));
    QCOMPARE(found.columns.size(), 2);
    QCOMPARE(found.columns[0].name, QStringLiteral("ts"));
    QCOMPARE(found.columns[0].type.text(), QStringLiteral("timestamp(6)"));
    QCOMPARE(found.columns[1].name, QStringLiteral("id"));
    QCOMPARE(found.columns[1].type.text(), QStringLiteral("bigint"));
    QVERIFY(found.columns[0].fieldId > 0 && found.columns[1].fieldId > 0);
    QVERIFY(found.columns[0].fieldId != found.columns[1].fieldId);
    QVERIFY(!found.pinnable);
    if (!measures())
        return;
    TAKE(const auto all, changes(table, at, {QStringLiteral("ts"), QStringLiteral("id")}));
    QVERIFY(all.pinnable);
}

void DetectorSuite::aColumnAddedSinceMakesASnapshotUnfitForPins()
{
    if (!measures())
        QSKIP("this one does not measure");
    if (!writer())
        QSKIP("this one has no history");
    const auto table = nextTable();
    DO(make(table));
    DO(append(table, {1}));
    TAKE(const auto from, head(table));
    const auto added = addColumn(table, QStringLiteral("more"));
    if (!added && added.error().kind == ErrorKind::Unsupported)
        QSKIP("this engine does not add columns");
    DO(added);
    TAKE(const auto old, changes(table, from, {QStringLiteral("id")}));
    QVERIFY(old.files.isEmpty() && old.pinnable);
    TAKE(const auto both, changes(table, from, {QStringLiteral("id"), QStringLiteral("more")}));
    QVERIFY(both.files.isEmpty() && !both.pinnable);
    QCOMPARE(both.columns.size(), 2);
}

void DetectorSuite::aColumnAddedAgainIsAnother()
{
    if (!writer())
        QSKIP("this one has no history");
    const auto table = nextTable();
    DO(make(table));
    const auto added = addColumn(table, QStringLiteral("more"));
    if (!added && added.error().kind == ErrorKind::Unsupported)
        QSKIP("this engine does not add columns");
    DO(added);
    TAKE(const auto from, head(table));
    TAKE(const auto before, changes(table, from, {QStringLiteral("more")}));
    DO(write(table, QStringLiteral("ALTER TABLE {} DROP COLUMN more")));
    DO(addColumn(table, QStringLiteral("more")));
    TAKE(const auto again, changes(table, from, {QStringLiteral("more")}));
    QVERIFY(again.columns[0].fieldId != before.columns[0].fieldId);
}

}  // namespace ivm::test
