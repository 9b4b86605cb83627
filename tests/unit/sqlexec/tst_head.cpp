#include "framework/sqlexec/head.h"

#include <QTest>

using namespace ivm;

namespace {

const TableName kTable{QStringLiteral("c"), QStringLiteral("s"), QStringLiteral("t\"x")};

}  // namespace

class tst_Head : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asksForTheNewestMetadataFile();
    void guardsByMetadataFile();
    void guardsBySnapshotWhereNoFileIsKnown();
    void guardsATableWithoutSnapshots();
};

void tst_Head::asksForTheNewestMetadataFile()
{
    QCOMPARE(metadataFileSql(kTable),
             QStringLiteral("(SELECT max_by(file, ROW(coalesce(TRY_CAST(regexp_extract(file, "
                            "'/v?(\\d+)[^/]*$', 1) AS bigint), -1), "
                            "timestamp)) FROM \"c\".\"s\".\"t\"\"x$metadata_log_entries\")"));
    QCOMPARE(mainSnapshotSql(kTable),
             QStringLiteral(
                 "(SELECT snapshot_id FROM \"c\".\"s\".\"t\"\"x$refs\" WHERE name = 'main')"));
}

void tst_Head::guardsByMetadataFile()
{
    const TableHead head{QStringLiteral("id"), QStringLiteral("file:///w/it's/metadata/1.json"), 7};
    const HeadGuard guard = headGuard(kTable, head);
    QCOMPARE(guard.from, QString(QStringLiteral("(SELECT ") + metadataFileSql(kTable) +
                                 QStringLiteral(" AS found) AS h")));
    QCOMPARE(guard.where,
             QStringLiteral("CASE WHEN h.found = 'file:///w/it''s/metadata/1.json' THEN TRUE ELSE "
                            "CAST(concat('ivm stale head: ', h.found) AS boolean) END\n    AND "
                            "CASE WHEN current_timezone() = 'UTC' THEN TRUE ELSE "
                            "CAST(concat('ivm time zone: ', current_timezone()) AS boolean) END"));
}

void tst_Head::guardsBySnapshotWhereNoFileIsKnown()
{
    const HeadGuard guard = headGuard(kTable, {{}, {}, 9007199254740993});
    QCOMPARE(guard.from,
             QString(QStringLiteral("(SELECT coalesce(CAST(") + mainSnapshotSql(kTable) +
                     QStringLiteral(" AS varchar), 'no snapshot') AS found) AS h")));
    QVERIFY(guard.where.startsWith(u"CASE WHEN h.found = '9007199254740993' THEN TRUE"));
}

void tst_Head::guardsATableWithoutSnapshots()
{
    QVERIFY(headGuard(kTable, {}).where.startsWith(u"CASE WHEN h.found = 'no snapshot' THEN TRUE"));
}

QTEST_GUILESS_MAIN(tst_Head)
#include "tst_head.moc"
