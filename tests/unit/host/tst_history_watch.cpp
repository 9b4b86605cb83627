// When the history of migrations is looked at, and when it is read.
#include "framework/host/history_watch.h"

#include <QTest>

using namespace ivm;
using namespace std::chrono_literals;

namespace {

const TableName kTable{QStringLiteral("iceberg"), QStringLiteral("_iceberg_ivm"),
                       QStringLiteral("migration_views")};

Heads headsAt(const QString &token)
{
    TableHead head;
    head.token = token;
    return {{kTable, head}};
}

Heads missing() { return {{kTable, fail(notFoundError(QStringLiteral("no table")))}}; }

}  // namespace

class tst_HistoryWatch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsWhereTheTableHasMoved();
    void asksSeldomForATableThatIsNotThere();
    void readsNowAndThenWithoutATable();
    void aReadingThatFailedIsRepeated();
};

void tst_HistoryWatch::readsWhereTheTableHasMoved()
{
    HistoryWatch watch(kTable, 30s);
    const HistoryWatch::Time now{};
    QCOMPARE(watch.toLookAt(now), QList<TableName>{kTable});
    QVERIFY(watch.isOld(headsAt(QStringLiteral("a")), now));
    watch.beginReading(headsAt(QStringLiteral("a")));
    watch.endReading(now);
    QCOMPARE(watch.toLookAt(now + 1ms), QList<TableName>{kTable});
    QVERIFY(!watch.isOld(headsAt(QStringLiteral("a")), now + 1h));
    QVERIFY(watch.isOld(headsAt(QStringLiteral("b")), now + 1h));
    QVERIFY(watch.isOld(missing(), now + 1h));
}

void tst_HistoryWatch::asksSeldomForATableThatIsNotThere()
{
    HistoryWatch watch(kTable, 30s);
    const HistoryWatch::Time now{};
    QVERIFY(watch.isOld(missing(), now));
    watch.beginReading(missing());
    watch.endReading(now);
    QCOMPARE(watch.toLookAt(now + 29s), QList<TableName>());
    QVERIFY(!watch.isOld({}, now + 29s));
    QCOMPARE(watch.toLookAt(now + 30s), QList<TableName>{kTable});
    // It is still missing: that is known for another while.
    QVERIFY(!watch.isOld(missing(), now + 30s));
    QCOMPARE(watch.toLookAt(now + 31s), QList<TableName>());
    QVERIFY(watch.isOld(headsAt(QStringLiteral("a")), now + 60s));
}

void tst_HistoryWatch::readsNowAndThenWithoutATable()
{
    HistoryWatch watch(std::nullopt, 30s);
    const HistoryWatch::Time now{};
    QVERIFY(watch.isOld({}, now));
    watch.beginReading({});
    watch.endReading(now);
    QCOMPARE(watch.toLookAt(now + 1h), QList<TableName>());
    QVERIFY(!watch.isOld({}, now + 29s));
    QVERIFY(watch.isOld({}, now + 30s));
}

void tst_HistoryWatch::aReadingThatFailedIsRepeated()
{
    HistoryWatch watch(kTable, 30s);
    const HistoryWatch::Time now{};
    watch.beginReading(headsAt(QStringLiteral("a")));
    QVERIFY(watch.isOld(headsAt(QStringLiteral("a")), now));
}

QTEST_GUILESS_MAIN(tst_HistoryWatch)
#include "tst_history_watch.moc"
