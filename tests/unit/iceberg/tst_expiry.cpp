#include "framework/iceberg/expiry.h"
#include "tests/unit/iceberg/warehouse.h"

using namespace ivm;
using namespace ivm::test;

// A table whose snapshots were made at the seconds 1, 2, 3 …, which is what they are called here.
class tst_Expiry : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsTheHeadAndWhatIsYoung_data();
    void keepsTheHeadAndWhatIsYoung();
    void keepsWhatTheTableAsksFor();
    void keepsBranchesAndTags();
    void keepsWhatIsHeldAndAllAfterIt_data();
    void keepsWhatIsHeldAndAllAfterIt();
    void keepsTheWayFromAnAbandonedSnapshot();
    void namesTheFilesThatNobodyNeeds();
    void leavesFilesElsewhereAlone();
    void forgetsHistoryBeforeAGap();
    void forgetsStatisticsOfExpiredSnapshots();
    void expiresNothingWhereFilesMustStay();
    void lettingGoOfTheBaseIsAConflict();

private:
    Table grow(Table table, int snapshots);
    DataFile fileOf(const Table &table, const QString &name) const;
    QString expired(const Table &table, int olderThan, const QList<SnapshotId> &held = {});
    ExpiryPlan plan(const Table &table, const ExpiryRequest &request);
    QString numbers(const Table &table, const QSet<SnapshotId> &ids) const;

    TestWarehouse m_warehouse;
    qint64 m_start = 0;
};

// Appends one file a second.
Table tst_Expiry::grow(Table table, int snapshots)
{
    m_start = table.metadata.lastUpdatedMs;
    for (int i = 1; i <= snapshots; ++i)
        table = m_warehouse.commit(table, {.added = {fileOf(table, QString::number(i))}});
    return table;
}

DataFile tst_Expiry::fileOf(const Table &table, const QString &name) const
{
    auto file = dataFile(name, 1);
    file.path = table.metadata.location + QStringLiteral("/data/") + name;
    return file;
}

QString tst_Expiry::numbers(const Table &table, const QSet<SnapshotId> &ids) const
{
    QStringList texts;
    for (const auto &snapshot : table.metadata.snapshots) {
        if (ids.contains(snapshot.id))
            texts.append(QString::number((snapshot.timestampMs - m_start) / 1000));
    }
    return texts.join(u' ');
}

ExpiryPlan tst_Expiry::plan(const Table &table, const ExpiryRequest &request)
{
    return valueOf(planExpiry(m_warehouse.io, table.metadata, request, {}));
}

QString tst_Expiry::expired(const Table &table, int olderThan, const QList<SnapshotId> &held)
{
    const qint64 now = table.metadata.lastUpdatedMs;
    return numbers(
        table, plan(table, {.nowMs = now, .olderThanMs = m_start + olderThan * 1000, .held = held})
                   .expired);
}

void tst_Expiry::keepsTheHeadAndWhatIsYoung_data()
{
    QTest::addColumn<int>("olderThan");
    QTest::addColumn<QString>("gone");
    QTest::newRow("nothing is old") << 1 << QString();
    QTest::newRow("one is") << 2 << QStringLiteral("1");
    QTest::newRow("some are") << 4 << QStringLiteral("1 2 3");
    QTest::newRow("all are") << 100 << QStringLiteral("1 2 3");
}

void tst_Expiry::keepsTheHeadAndWhatIsYoung()
{
    QFETCH(int, olderThan);
    QFETCH(QString, gone);
    const auto table = grow(m_warehouse.table(QString::fromUtf8(QTest::currentDataTag())), 4);
    QCOMPARE(expired(table, olderThan), gone);
}

void tst_Expiry::keepsWhatTheTableAsksFor()
{
    auto table = grow(m_warehouse.table(QStringLiteral("asks")), 4);
    table.metadata.properties.insert(QStringLiteral("history.expire.min-snapshots-to-keep"),
                                     QStringLiteral("3"));
    QCOMPARE(expired(table, 100), QStringLiteral("1"));
    auto &main = table.metadata.refs[QStringLiteral("main")];
    main.other.insert(QStringLiteral("min-snapshots-to-keep"), 1);
    main.other.insert(QStringLiteral("max-snapshot-age-ms"), 2000);
    QCOMPARE(expired(table, 100), QStringLiteral("1"));
    main.other.insert(QStringLiteral("max-snapshot-age-ms"), 1000);
    QCOMPARE(expired(table, 100), QStringLiteral("1 2"));
}

void tst_Expiry::keepsBranchesAndTags()
{
    auto table = grow(m_warehouse.table(QStringLiteral("refs")), 5);
    const auto &snapshots = table.metadata.snapshots;
    table.metadata.refs.insert(QStringLiteral("tag"), {.snapshot = snapshots[1].id, .isTag = true});
    table.metadata.refs.insert(QStringLiteral("branch"), {.snapshot = snapshots[3].id});
    QCOMPARE(expired(table, 100), QStringLiteral("1 3"));
    table.metadata.refs.remove(QStringLiteral("main"));
    QCOMPARE(expired(table, 100), QStringLiteral("1 3"));
}

void tst_Expiry::keepsWhatIsHeldAndAllAfterIt_data()
{
    QTest::addColumn<QList<int>>("held");
    QTest::addColumn<QString>("gone");
    QTest::newRow("the head") << QList{5} << QStringLiteral("1 2 3 4");
    QTest::newRow("one") << QList{3} << QStringLiteral("1 2");
    QTest::newRow("the oldest of two") << QList{4, 2} << QStringLiteral("1");
    QTest::newRow("the first") << QList{1} << QString();
    QTest::newRow("one that is gone") << QList{0} << QStringLiteral("1 2 3 4");
}

void tst_Expiry::keepsWhatIsHeldAndAllAfterIt()
{
    QFETCH(QList<int>, held);
    QFETCH(QString, gone);
    const auto table = grow(m_warehouse.table(QString::fromUtf8(QTest::currentDataTag())), 5);
    QList<SnapshotId> ids;
    for (const int number : held)
        ids.append(number == 0 ? 4711 : table.metadata.snapshots[number - 1].id);
    QCOMPARE(expired(table, 100, ids), gone);
    const auto planned = plan(table, {.nowMs = 0, .olderThanMs = m_start + 100'000, .held = ids});
    QCOMPARE(planned.expired.size() + planned.heldBack.size(), 4);
}

// 1 – 2 – 3, and 2 – 4 – 5 after a rollback: from 3 to the head one goes back to 2.
void tst_Expiry::keepsTheWayFromAnAbandonedSnapshot()
{
    auto table = grow(m_warehouse.table(QStringLiteral("abandoned")), 3);
    const auto third = table.metadata.snapshots[2].id;
    table = valueOf(setCurrentSnapshot(m_warehouse.all(), table, table.metadata.snapshots[1].id));
    for (const char *name : {"4", "5"})
        table = m_warehouse.commit(table, {.added = {fileOf(table, QString::fromLatin1(name))}});
    QCOMPARE(expired(table, 100), QStringLiteral("1 2 3 4"));
    QCOMPARE(expired(table, 100, {third}), QStringLiteral("1"));
}

void tst_Expiry::namesTheFilesThatNobodyNeeds()
{
    auto table = grow(m_warehouse.table(QStringLiteral("files")), 3);
    table = m_warehouse.commit(table, {.operation = Operation::Overwrite,
                                       .added = {fileOf(table, QStringLiteral("4"))},
                                       .removed = {fileOf(table, QStringLiteral("1")).path}});
    const auto planned = plan(table, {.nowMs = 0, .olderThanMs = m_start + 100'000});
    QStringList lists;
    for (int i = 0; i < 3; ++i)
        lists.append(table.metadata.snapshots[i].manifestList);
    QStringList data = planned.files.filter(QStringLiteral("/data/"));
    QCOMPARE(data, QStringList{fileOf(table, QStringLiteral("1")).path});
    for (const auto &list : lists)
        QVERIFY(planned.files.contains(list));
    // Everything else that the head has can still be read.
    for (const auto &file : planned.files)
        (void)m_warehouse.io.remove(file);
    table.metadata = planned.next;
    const auto live = valueOf(
        liveFiles(m_warehouse.io, table.metadata, *table.metadata.currentSnapshot(), {}, {}));
    QCOMPARE(pathsOf(live.data), QStringLiteral("2 3 4").split(u' '));
    QCOMPARE(table.metadata.snapshots.size(), 1);
}

void tst_Expiry::leavesFilesElsewhereAlone()
{
    auto table = m_warehouse.table(QStringLiteral("elsewhere"));
    m_start = table.metadata.lastUpdatedMs;
    const auto away = dataFile(QStringLiteral("away"), 1);
    table = m_warehouse.commit(table, {.added = {away}});
    table = m_warehouse.commit(table, {.operation = Operation::Delete, .removed = {away.path}});
    const auto planned = plan(table, {.nowMs = 0, .olderThanMs = m_start + 100'000});
    QCOMPARE(planned.filesOfOthers, QStringList{away.path});
    QVERIFY(!planned.files.contains(away.path));
}

void tst_Expiry::forgetsHistoryBeforeAGap()
{
    auto table = grow(m_warehouse.table(QStringLiteral("history")), 3);
    const auto first = table.metadata.snapshots[0].id;
    table = valueOf(setCurrentSnapshot(m_warehouse.all(), table, first));
    table = valueOf(setCurrentSnapshot(m_warehouse.all(), table, table.metadata.snapshots[2].id));
    table.metadata.refs.insert(QStringLiteral("tag"), {.snapshot = first, .isTag = true});
    const auto planned = plan(table, {.nowMs = 0, .olderThanMs = m_start + 100'000});
    QStringList log;
    for (const auto &entry : planned.next.snapshotLog)
        log.append(entry.snapshot == first ? QStringLiteral("first") : QStringLiteral("last"));
    QCOMPARE(log.join(u' '), QStringLiteral("last first last"));
}

void tst_Expiry::forgetsStatisticsOfExpiredSnapshots()
{
    auto table = grow(m_warehouse.table(QStringLiteral("statistics")), 2);
    QJsonArray statistics;
    for (const auto &snapshot : std::as_const(table.metadata.snapshots))
        statistics.append(
            QJsonObject{{QStringLiteral("snapshot-id"), snapshot.id},
                        {QStringLiteral("statistics-path"), QStringLiteral("%1/metadata/%2.stats")
                                                                .arg(table.metadata.location)
                                                                .arg(snapshot.sequenceNumber)}});
    table.metadata.other.insert(QStringLiteral("statistics"), statistics);
    const auto planned = plan(table, {.nowMs = 0, .olderThanMs = m_start + 100'000});
    QCOMPARE(planned.next.other.value(u"statistics").toArray(), QJsonArray{statistics[1]});
    QCOMPARE(planned.files.filter(QStringLiteral(".stats")),
             QStringList{table.metadata.location + QStringLiteral("/metadata/1.stats")});
}

void tst_Expiry::expiresNothingWhereFilesMustStay()
{
    auto table = grow(m_warehouse.table(QStringLiteral("gc")), 2);
    table.metadata.properties.insert(QStringLiteral("gc.enabled"), QStringLiteral("false"));
    const auto planned = planExpiry(m_warehouse.io, table.metadata, {}, {});
    QVERIFY(!planned);
    QCOMPARE(planned.error().kind, ErrorKind::Unsupported);
    QCOMPARE(planned.error().message,
             QStringLiteral("the table's property gc.enabled forbids to remove its files: "
                            "snapshots cannot expire"));
}

// Another program expired the snapshot that a commit was computed on.
void tst_Expiry::lettingGoOfTheBaseIsAConflict()
{
    const auto base = grow(m_warehouse.table(QStringLiteral("raced")), 2);
    const auto now = m_warehouse.commit(base, {.added = {fileOf(base, QStringLiteral("3"))}});
    const auto planned = plan(now, {.nowMs = 0, .olderThanMs = m_start + 100'000});
    QVERIFY(commitMetadata(m_warehouse.all(), now, planned.next));
    for (const auto &file : planned.files)
        QVERIFY(m_warehouse.io.remove(file));
    const SnapshotChange change{.added = {fileOf(base, QStringLiteral("4"))}};
    const auto once = commitSnapshot(m_warehouse.all(), base, change);
    QVERIFY(!once);
    QCOMPARE(once.error().kind, ErrorKind::Conflict);
    const auto again =
        commitSnapshot(m_warehouse.all(), valueOf(loadTable(m_warehouse.all(), base.name)), change);
    QVERIFY(again);
    const auto live = valueOf(
        liveFiles(m_warehouse.io, again->metadata, *again->metadata.currentSnapshot(), {}, {}));
    QCOMPARE(pathsOf(live.data), QStringLiteral("1 2 3 4").split(u' '));
}

QTEST_GUILESS_MAIN(tst_Expiry)
#include "tst_expiry.moc"
