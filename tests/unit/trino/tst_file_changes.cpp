#include "plugins/detector_trino/file_changes.h"
#include "plugins/detector_trino/live_files.h"
#include "tests/unit/trino/scripted_session.h"

#include <QTest>

using namespace ivm;
using namespace ivm::trino;

namespace {

const TableName kTable{QStringLiteral("c"), QStringLiteral("s"), QStringLiteral("t")};

TableHead head(std::optional<SnapshotId> snapshot, const char *id = "loc")
{
    return {QString::fromUtf8(id), QStringLiteral("m%1").arg(snapshot.value_or(0)), snapshot};
}

// A line of "t$snapshots"; counts as "added-data-files=1 …".
Row snapshot(qint64 id, std::optional<qint64> parent, const char *operation, const char *counts)
{
    std::vector<Value> summary;
    for (const auto &word : QString::fromUtf8(counts).split(u' ', Qt::SkipEmptyParts)) {
        summary.push_back(cell(word.section(u'=', 0, 0)));
        summary.push_back(cell(word.section(u'=', 1)));
    }
    return {cell(id), parent ? cell(*parent) : Value(), cell(operation), cell(summary)};
}

struct EntryRow {
    int status;
    qint64 snapshot;
    qint64 sequence;
    int content;
    const char *path;
    int records;
    const char *of = nullptr;  // bounds of a position delete file's paths
    const char *upTo = nullptr;
    const char *lower = nullptr;  // of the column
    const char *upper = nullptr;
};

Row entry(const EntryRow &row)
{
    const auto text = [](const char *value) { return value ? cell(value) : Value(); };
    return {cell(row.status),
            cell(row.snapshot),
            cell(row.sequence),
            cell(row.content),
            cell(row.path),
            cell(row.records),
            cell(100),
            text(row.of),
            text(row.upTo ? row.upTo : row.of),
            text(row.lower),
            text(row.upper),
            cell(row.records),
            cell(0)};
}

const QByteArray kPlan =
    R"json({"outputs":[{"name":"d","type":"date"}],"details":["d := 5:d:date"]})json";

QString shown(const Result<TableChanges> &changes)
{
    if (!changes)
        return errorKindName(changes.error().kind) + QStringLiteral(": ") + changes.error().message;
    if (changes->unmeasurable)
        return *changes->unmeasurable;
    QStringList out;
    static const QStringList roles{QStringLiteral("added"), QStringLiteral("removed"),
                                   QStringLiteral("deleted from")};
    const auto bound = [](const std::optional<qint64> &value) {
        return value ? QString::number(*value) : QStringLiteral("?");
    };
    for (const auto &file : changes->files)
        out.append(QStringLiteral("%1 %2 [%3, %4]")
                       .arg(file.path, roles[static_cast<int>(file.role)], bound(file.bounds.lower),
                            bound(file.bounds.upper)));
    return out.join(QStringLiteral("; "));
}

}  // namespace

class tst_FileChanges : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asksForNothingThatIsNotWanted();
    void tellsFilesInOrder();
    void readsOnceWhatSeveralViewsAskFor();
    void findsTheDataFileOfADelete();
    void spreadsWideDeletesOverOlderFiles_data();
    void spreadsWideDeletesOverOlderFiles();
    void completesBoundsByPartition();
    void distrustsWhatDoesNotAddUp_data();
    void distrustsWhatDoesNotAddUp();
    void saysWhyItCannotTell_data();
    void saysWhyItCannotTell();
    void comparesPathsWhereEntriesCannotBeRead_data();
    void comparesPathsWhereEntriesCannotBeRead();
    void countsRowsWhereFilesCannotBeListed();
    void skipsSnapshotsThatOnlyMoveRows();
    void countsAnEntryOnce();

private:
    static constexpr QStringView kOfSnapshots = u"status IN (1, 2)";

    Result<TableChanges> changes(ScriptedSession &session, std::optional<SnapshotId> from,
                                 SnapshotId to)
    {
        session.answer(QStringLiteral("EXPLAIN"),
                       Rows{.columns = {}, .rows = {rowOf(QString::fromUtf8(kPlan))}});
        ChangesRead known;
        return readChanges(session, {kTable, head(from), head(to), QStringLiteral("d"), {}}, known,
                           Call{});
    }

    static void script(ScriptedSession &session, const QString &key, const std::vector<Row> &rows)
    {
        session.answer(key, Rows{.columns = {}, .rows = rows});
    }
};

void tst_FileChanges::asksForNothingThatIsNotWanted()
{
    ScriptedSession session;
    ChangesRead known;
    const auto same = readChanges(session, {kTable, head(1), head(1), {}, {}}, known, Call{});
    QVERIFY(same && same->files.isEmpty());
    QVERIFY(session.statements().isEmpty());
}

void tst_FileChanges::tellsFilesInOrder()
{
    ScriptedSession session;
    script(session, QStringLiteral("$snapshots"),
           {snapshot(1, {}, "append", ""),
            snapshot(2, 1, "append", "added-data-files=2 added-records=5"),
            snapshot(3, 2, "overwrite",
                     "added-data-files=1 added-records=1 deleted-data-files=1 deleted-records=2")});
    script(session, kOfSnapshots.toString(),
           {entry({1, 2, 2, 0, "b", 2, nullptr, nullptr, "1970-01-01", "1970-01-03"}),
            entry({1, 2, 2, 0, "a", 3, nullptr, nullptr, "1970-01-02", "1970-01-02"}),
            entry({2, 3, 2, 0, "b", 2, nullptr, nullptr, "1970-01-01", "1970-01-03"}),
            entry({1, 3, 3, 0, "c", 1, nullptr, nullptr, "1970-01-09", "1970-01-09"})});
    const auto found = changes(session, 1, 3);
    QCOMPARE(shown(found),
             QStringLiteral("a added [1, 1]; b added [0, 2]; b removed [0, 2]; c added [8, 8]"));
    QCOMPARE(found->snapshots, 2);
    QVERIFY(session.statements().last().contains(u"snapshot_id IN (2,3)"));
}

void tst_FileChanges::readsOnceWhatSeveralViewsAskFor()
{
    ScriptedSession session;
    session.answer(QStringLiteral("EXPLAIN"),
                   Rows{.columns = {}, .rows = {rowOf(QString::fromUtf8(kPlan))}});
    script(session, QStringLiteral("$snapshots"),
           {snapshot(1, {}, "append", ""),
            snapshot(2, 1, "append", "added-data-files=1 added-records=5")});
    script(session, kOfSnapshots.toString(),
           {entry({1, 2, 2, 0, "a", 5, nullptr, nullptr, "1970-01-02", "1970-01-02"})});
    ChangesRead known;
    const auto read = [&](const QStringList &columns) {
        return readChanges(session, {kTable, head(1), head(2), QStringLiteral("d"), columns}, known,
                           Call{});
    };
    const QString added = QStringLiteral("a added [1, 1]");
    QCOMPARE(shown(read({})), added);
    const auto asked = session.statements().size();
    const auto again = read({QStringLiteral("d")});
    QCOMPARE(shown(again), added);
    QCOMPARE(again->columns.size(), 1);
    QCOMPARE(session.statements().size(), asked);
    // Another column has other bounds.
    QCOMPARE(shown(readChanges(session, {kTable, head(1), head(2), {}, {}}, known, Call{})),
             QStringLiteral("a added [?, ?]"));
    QVERIFY(session.statements().size() > asked);
}

void tst_FileChanges::findsTheDataFileOfADelete()
{
    ScriptedSession session;
    script(session, QStringLiteral("$snapshots"),
           {snapshot(1, {}, "append", ""), snapshot(2, 1, "delete", "added-delete-files=2")});
    script(session, kOfSnapshots.toString(),
           {entry({1, 2, 2, 1, "del-1", 1, "it's"}), entry({1, 2, 2, 1, "del-2", 1, "lost"})});
    script(session, QStringLiteral("file_path IN ("),
           {entry({1, 1, 1, 0, "it's", 9, nullptr, nullptr, "1970-01-01", "1970-01-03"})});
    QCOMPARE(shown(changes(session, 1, 2)),
             QStringLiteral("it's deleted from [0, 2]; lost deleted from [?, ?]"));
    QVERIFY(session.statements().at(4).contains(u"'it''s'"));
}

void tst_FileChanges::spreadsWideDeletesOverOlderFiles_data()
{
    QTest::addColumn<int>("content");
    QTest::addColumn<bool>("partitioned");
    QTest::addColumn<QString>("files");
    QTest::newRow("equality deletes of a partition")
        << 2 << true << "new-in-p deleted from [?, ?]; old-in-p deleted from [?, ?]";
    QTest::newRow("position deletes about several files")
        << 1 << true << "new-in-p deleted from [?, ?]; old-in-p deleted from [?, ?]";
    QTest::newRow("deletes without a partition")
        << 2 << false
        << "new-in-p deleted from [?, ?]; old-in-p deleted from [?, ?]; old-in-q deleted from [?, "
           "?]";
}

// Not: files that are newer than the deletes, and files that were gone before.
void tst_FileChanges::spreadsWideDeletesOverOlderFiles()
{
    QFETCH(int, content);
    QFETCH(bool, partitioned);
    QFETCH(QString, files);
    ScriptedSession session;
    script(session, QStringLiteral("$snapshots"),
           {snapshot(1, {}, "append", ""), snapshot(2, 1, "append", ""),
            snapshot(3, 2, "delete", "added-delete-files=1")});
    script(session, kOfSnapshots.toString(), {entry({1, 3, 3, content, "deletes", 1, "a", "z"})});
    const auto value = [](const char *text) {
        return cell(std::vector<Value>{text ? cell(text) : Value()});
    };
    std::vector<Row> partitions;
    for (const auto &[path, partition] :
         std::initializer_list<std::pair<const char *, const char *>>{
             {"deletes", partitioned ? "p" : nullptr},
             {"old-in-p", "p"},
             {"new-in-p", "p"},
             {"old-in-q", "q"},
             {"gone", "p"},
             {"newer", "p"}})
        partitions.push_back({cell(path), cell(0), value(partition)});
    script(session, QStringLiteral("data_file.partition"), partitions);
    const std::vector<Row> data{
        entry({1, 1, 1, 0, "old-in-p", 1}), entry({0, 2, 3, 0, "new-in-p", 1}),
        entry({1, 1, 1, 0, "old-in-q", 1}), entry({1, 1, 1, 0, "gone", 1}),
        entry({2, 2, 1, 0, "gone", 1}),     entry({1, 9, 4, 0, "newer", 1})};
    script(session, QStringLiteral("file_path IN ("), data);
    script(session, QStringLiteral("WHERE data_file.content = 0"), data);
    QCOMPARE(shown(changes(session, 2, 3)), files);
}

void tst_FileChanges::completesBoundsByPartition()
{
    ScriptedSession session;
    TableInfo info;
    info.partitioning = {{Transform::Day, QStringLiteral("d"), 0}};
    session.setTableInfo(info);
    script(session, QStringLiteral("$snapshots"),
           {snapshot(1, {}, "append", ""), snapshot(2, 1, "append", "")});
    script(session, kOfSnapshots.toString(), {entry({1, 2, 2, 0, "a", 1})});
    session.answer(
        QStringLiteral("data_file.partition"),
        Rows{.columns = {{.name = {}, .type = {}},
                         {.name = {}, .type = {}},
                         {.name = {}, .type = parseType(u"row(d_day date)").value_or(Type())}},
             .rows = {{cell("a"), cell(0), cell(std::vector<Value>{cell("1970-01-04")})}}});
    QCOMPARE(shown(changes(session, 1, 2)), QStringLiteral("a added [3, 3]"));
}

void tst_FileChanges::distrustsWhatDoesNotAddUp_data()
{
    QTest::addColumn<QString>("counts");
    QTest::addColumn<QString>("outcome");
    QTest::newRow("right") << "added-data-files=1 added-records=3" << "a added [0, 0]";
    QTest::newRow("not counted") << "" << "a added [0, 0]";
    QTest::newRow("a file is missing")
        << "added-data-files=2 added-records=3"
        << "snapshot 2 says added-data-files = 2, but its manifests show 1";
    QTest::newRow("rows are missing")
        << "added-data-files=1 added-records=4"
        << "snapshot 2 says added-records = 4, but its manifests show 3";
    QTest::newRow("a removal is missing")
        << "added-data-files=1 deleted-data-files=1"
        << "snapshot 2 says deleted-data-files = 1, but its manifests show 0";
    QTest::newRow("removed rows are missing")
        << "deleted-records=7" << "snapshot 2 says deleted-records = 7, but its manifests show 0";
    QTest::newRow("a delete file is missing")
        << "added-delete-files=1"
        << "snapshot 2 says added-delete-files = 1, but its manifests show 0";
    QTest::newRow("a removed delete file is missing")
        << "removed-delete-files=1"
        << "snapshot 2 says removed-delete-files = 1, but its manifests show 0";
    QTest::newRow("no number") << "added-data-files=x"
                               << "snapshot 2 says added-data-files = x, but its manifests show 1";
}

void tst_FileChanges::distrustsWhatDoesNotAddUp()
{
    QFETCH(QString, counts);
    QFETCH(QString, outcome);
    ScriptedSession session;
    script(session, QStringLiteral("$snapshots"),
           {snapshot(1, {}, "append", ""), snapshot(2, 1, "append", qPrintable(counts))});
    script(session, kOfSnapshots.toString(),
           {entry({1, 2, 2, 0, "a", 3, nullptr, nullptr, "1970-01-01", "1970-01-01"})});
    QCOMPARE(shown(changes(session, 1, 2)), outcome);
}

void tst_FileChanges::saysWhyItCannotTell_data()
{
    QTest::addColumn<Error>("error");
    QTest::addColumn<QString>("outcome");
    QTest::newRow("metadata that cannot be read")
        << corruptError(QStringLiteral("bad manifest")).withCode(u"iceberg_invalid_metadata")
        << "the metadata of c.s.t cannot be read: bad manifest";
    QTest::newRow("a file that is gone")
        << unavailableError(QStringLiteral("no such file")).withCode(u"iceberg_filesystem_error")
        << "the metadata of c.s.t cannot be read: no such file";
    QTest::newRow("no server") << unavailableError(QStringLiteral("gone")).withCode(u"not_reached")
                               << "unavailable: gone";
    QTest::newRow("no time") << timeoutError(QStringLiteral("late")) << "timeout: late";
}

void tst_FileChanges::saysWhyItCannotTell()
{
    QFETCH(Error, error);
    QFETCH(QString, outcome);
    ScriptedSession session;
    script(session, QStringLiteral("$snapshots"),
           {snapshot(1, {}, "append", ""), snapshot(2, 1, "append", "")});
    session.answer(kOfSnapshots.toString(), error);
    session.answer(QStringLiteral("$all_manifests"), error);
    QCOMPARE(shown(changes(session, 1, 2)), outcome);
}

void tst_FileChanges::comparesPathsWhereEntriesCannotBeRead_data()
{
    QTest::addColumn<int>("deleteManifests");
    QTest::addColumn<QString>("outcome");
    QTest::newRow("no deletes") << 0 << "a added [?, ?]; b removed [?, ?]";
    QTest::newRow("deletes") << 1 << "the metadata of c.s.t cannot be read: sortOrderId is null";
}

void tst_FileChanges::comparesPathsWhereEntriesCannotBeRead()
{
    QFETCH(int, deleteManifests);
    QFETCH(QString, outcome);
    ScriptedSession session;
    script(session, QStringLiteral("$snapshots"),
           {snapshot(1, {}, "append", ""), snapshot(2, 1, "replace", "added-records=5"),
            snapshot(3, 2, "append", "")});
    session.answer(QStringLiteral("status IN (1, 2)"),
                   unavailableError(QStringLiteral("sortOrderId is null"))
                       .withCode(u"generic_internal_error"));
    script(session, QStringLiteral("reference_snapshot_id IN (1, 3)"), {rowOf(deleteManifests)});
    script(
        session,
        QStringLiteral("SELECT path, sum(side), sum(records) FROM (SELECT \"$path\" AS path, "
                       "count(*) AS records, 1 AS side FROM \"c\".\"s\".\"t\" FOR VERSION AS OF "
                       "3 GROUP BY 1 UNION ALL SELECT \"$path\" AS path, count(*) AS records, -1 "
                       "AS side FROM \"c\".\"s\".\"t\" FOR VERSION AS OF 1 GROUP BY 1) GROUP BY "
                       "path HAVING sum(side) <> 0 ORDER BY path"),
        {rowOf("a", 1, 4), rowOf("b", -1, 2)});
    const auto found = changes(session, 1, 3);
    QCOMPARE(shown(found), outcome);
    QCOMPARE(found->snapshots, 2);
    if (deleteManifests == 0)
        QCOMPARE(found->files.front().records, 4);
}

void tst_FileChanges::countsRowsWhereFilesCannotBeListed()
{
    ScriptedSession session;
    session.answer(QStringLiteral("$files"),
                   unavailableError(QStringLiteral("Failed to decode value as UTF-8"))
                       .withCode(u"generic_internal_error"));
    script(session, QStringLiteral("SELECT count(DISTINCT \"$path\"), count(*) FROM "),
           {rowOf(2, 7)});
    const LiveFilesRequest request{.table = kTable, .at = head(1), .column = {}, .within = {{}}};
    const auto totals = readLiveFiles(session, request, Call{});
    QVERIFY(totals);
    QCOMPARE(totals->files, 2);
    QCOMPARE(totals->records, 7);
    QVERIFY(!totals->bounds.lower && totals->bounds.nullState == NullState::Unknown);
}

void tst_FileChanges::skipsSnapshotsThatOnlyMoveRows()
{
    ScriptedSession session;
    script(session, QStringLiteral("$snapshots"),
           {snapshot(1, {}, "append", ""),
            snapshot(2, 1, "replace",
                     "added-data-files=1 deleted-data-files=2 added-records=5 deleted-records=5")});
    const auto found = changes(session, 1, 2);
    QCOMPARE(shown(found), QString());
    QCOMPARE(found->snapshots, 1);
    // The columns now and then, and the history.
    QCOMPARE(session.statements().size(), 3);
}

void tst_FileChanges::countsAnEntryOnce()
{
    ScriptedSession session;
    script(session, QStringLiteral("$snapshots"),
           {snapshot(1, {}, "append", ""), snapshot(2, 1, "append", "added-data-files=1")});
    const Row same = entry({1, 2, 2, 0, "a", 3, nullptr, nullptr, "1970-01-01", "1970-01-01"});
    script(session, kOfSnapshots.toString(), {same, same});
    QCOMPARE(shown(changes(session, 1, 2)), QStringLiteral("a added [0, 0]"));
}

QTEST_GUILESS_MAIN(tst_FileChanges)
#include "tst_file_changes.moc"
