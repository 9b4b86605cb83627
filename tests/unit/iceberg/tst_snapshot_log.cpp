#include "framework/iceberg/snapshot_log.h"

#include <QTest>

using namespace ivm;
using namespace ivm::iceberg;

namespace {

// "1 2:1 3:2" is snapshot 1 without parent, 2 after 1, 3 after 2.
SnapshotLog logOf(const QString &text)
{
    QList<SnapshotNode> nodes;
    for (const auto &word : text.split(u' ', Qt::SkipEmptyParts)) {
        SnapshotNode node{.id = word.section(u':', 0, 0).toLongLong()};
        if (word.contains(u':'))
            node.parent = word.section(u':', 1).toLongLong();
        nodes.append(node);
    }
    return SnapshotLog(nodes);
}

QString textOf(const QList<SnapshotId> &ids)
{
    QStringList words;
    for (const auto id : ids)
        words.append(QString::number(id));
    return words.join(u',');
}

}  // namespace

class tst_SnapshotLog : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findsTheWay_data();
    void findsTheWay();
    void knowsPureMoves_data();
    void knowsPureMoves();
};

void tst_SnapshotLog::findsTheWay_data()
{
    QTest::addColumn<QString>("log");
    QTest::addColumn<qint64>("from");  // 0: the empty table
    QTest::addColumn<qint64>("to");
    QTest::addColumn<QString>("way");
    const auto row = [](const char *name, const char *log, qint64 from, qint64 to,
                        const char *way) {
        QTest::newRow(name) << QString::fromLatin1(log) << from << to << QString::fromLatin1(way);
    };
    row("nothing happened", "1 2:1", 2, 2, "at 2 gained  lost ");
    row("forward", "1 2:1 3:2 4:3", 2, 4, "at 2 gained 3,4 lost ");
    row("from the empty table", "1 2:1", 0, 2, "at - gained 1,2 lost ");
    row("rolled back", "1 2:1 3:2", 3, 1, "at 1 gained  lost 3,2");
    row("rolled back and on", "1 2:1 3:2 4:1", 3, 4, "at 1 gained 4 lost 3,2");
    row("to another branch", "1 2:1 3:2 4:2 5:4", 3, 5, "at 2 gained 4,5 lost 3");
    row("table replaced", "1 2:1 3", 2, 3, "at - gained 3 lost 2,1");
    row("older ones are expired", "3:2 4:3 5:4", 3, 5, "at 3 gained 4,5 lost ");
    row("the start itself is expired", "4:3 5:4", 3, 5, "at 3 gained 4,5 lost ");
    row("branches of an expired one", "4:3 5:3", 4, 5, "at 3 gained 5 lost 4");
    row("one in between is expired", "1 2:1 4:3 5:4", 2, 5,
        "snapshot 3, an ancestor of snapshot 5, is no longer there");
    row("the start is expired and the way is long", "4:3 5:4", 2, 5,
        "snapshot 2 is no longer there");
    row("the end is not there", "1", 1, 9, "snapshot 9 is no longer there");
    row("the empty table is out of reach", "2:1 3:2", 0, 3,
        "snapshot 1, an ancestor of snapshot 3, is no longer there");
    row("parents in a circle", "1:3 2:1 3:2 4", 3, 4, "at - gained 4 lost 3,2,1");
}

void tst_SnapshotLog::findsTheWay()
{
    QFETCH(QString, log);
    QFETCH(qint64, from);
    QFETCH(qint64, to);
    QFETCH(QString, way);
    const auto path = logOf(log).path(from == 0 ? std::nullopt : std::optional(from), to);
    if (!path) {
        QCOMPARE(path.error(), way);
        return;
    }
    const QString at = path->ancestor ? QString::number(*path->ancestor) : QStringLiteral("-");
    QCOMPARE(
        QStringLiteral("at %1 gained %2 lost %3").arg(at, textOf(path->gained), textOf(path->lost)),
        way);
}

void tst_SnapshotLog::knowsPureMoves_data()
{
    QTest::addColumn<QString>("summary");
    QTest::addColumn<bool>("moves");
    const auto row = [](const char *name, const char *summary, bool moves) {
        QTest::newRow(name) << QString::fromLatin1(summary) << moves;
    };
    row("compaction",
        "operation=replace added-data-files=1 deleted-data-files=3 added-records=9 "
        "deleted-records=9",
        true);
    row("manifests rewritten", "operation=replace manifests-created=1", true);
    row("rows lost", "operation=replace added-data-files=1 added-records=8 deleted-records=9",
        false);
    row("delete files removed",
        "operation=replace added-data-files=1 added-records=9 deleted-records=9 "
        "removed-delete-files=1",
        false);
    row("position deletes removed",
        "operation=replace added-records=9 deleted-records=9 removed-position-deletes=2", false);
    row("position deletes applied",
        "operation=replace added-data-files=180 added-records=296311 deleted-data-files=185 "
        "deleted-records=298380 removed-delete-files=183 removed-position-deletes=2069",
        true);
    row("every row was deleted",
        "operation=replace deleted-data-files=1 deleted-records=9 removed-delete-files=1 "
        "removed-position-deletes=9",
        true);
    row("more deletes than rows that went",
        "operation=replace added-records=8 deleted-records=9 removed-delete-files=1 "
        "removed-position-deletes=2",
        false);
    row("equality deletes removed",
        "operation=replace added-records=9 deleted-records=9 removed-delete-files=1 "
        "removed-equality-deletes=1",
        false);
    row("deletes added",
        "operation=replace added-records=9 deleted-records=9 added-position-deletes=1", false);
    row("files without counts of records",
        "operation=replace added-data-files=1 deleted-data-files=1", false);
    row("counts that are no numbers", "operation=replace added-records=x deleted-records=x", false);
    row("overwrite with equal counts", "operation=overwrite added-records=9 deleted-records=9",
        false);
    row("no operation", "added-records=9 deleted-records=9", false);
}

void tst_SnapshotLog::knowsPureMoves()
{
    QFETCH(QString, summary);
    QFETCH(bool, moves);
    SnapshotNode node{.id = 1};
    for (const auto &word : summary.split(u' '))
        node.summary.insert(word.section(u'=', 0, 0), word.section(u'=', 1));
    QCOMPARE(onlyMovesRows(node), moves);
}

QTEST_GUILESS_MAIN(tst_SnapshotLog)
#include "tst_snapshot_log.moc"
