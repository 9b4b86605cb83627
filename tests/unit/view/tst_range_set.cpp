#include "framework/view/range_set.h"

#include <QRandomGenerator>
#include <QTest>

#include <set>

using namespace ivm;

namespace {

RangeSet setOf(std::initializer_list<BucketRange> ranges)
{
    RangeSet set;
    for (const auto &range : ranges)
        set.add(range);
    return set;
}

bool holds(const RangeSet &set, Micros at)
{
    return std::ranges::any_of(set.ranges(), [&](const auto &range) {
        return (!range.from || *range.from <= at) && (!range.to || at < *range.to);
    });
}

}  // namespace

class tst_RangeSet : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void joinsWhatTouches();
    void takesOpenBounds();
    void ignoresEmptyRanges();
    void coversEverything();
    void closesTheSmallestGaps();
    void closesNarrowGaps();
    void agreesWithAPlainSet();
};

void tst_RangeSet::joinsWhatTouches()
{
    QCOMPARE(setOf({{1, 3}, {5, 7}, {3, 5}}).ranges(), (QList<BucketRange>{{1, 7}}));
    QCOMPARE(setOf({{5, 7}, {1, 3}}).ranges(), (QList<BucketRange>{{1, 3}, {5, 7}}));
    QCOMPARE(setOf({{1, 9}, {3, 4}}).ranges(), (QList<BucketRange>{{1, 9}}));
}

void tst_RangeSet::takesOpenBounds()
{
    QCOMPARE(setOf({{5, std::nullopt}, {7, 9}}).ranges(), (QList<BucketRange>{{5, std::nullopt}}));
    QCOMPARE(setOf({{std::nullopt, 5}, {3, 9}}).ranges(), (QList<BucketRange>{{std::nullopt, 9}}));
    QCOMPARE(setOf({{std::nullopt, 5}, {5, std::nullopt}}).ranges(), (QList<BucketRange>{{}}));
}

void tst_RangeSet::ignoresEmptyRanges()
{
    QVERIFY(setOf({{3, 3}, {5, 4}}).isEmpty());
    RangeSet null;
    null.addNullBucket();
    QVERIFY(!null.isEmpty());
}

void tst_RangeSet::coversEverything()
{
    RangeSet set = setOf({{}});
    QVERIFY(!set.coversEverything());
    set.addNullBucket();
    QVERIFY(set.coversEverything());
    RangeSet all;
    all.addEverything();
    QCOMPARE(all, set);
}

void tst_RangeSet::closesTheSmallestGaps()
{
    RangeSet set = setOf({{0, 1}, {2, 3}, {10, 11}, {12, 13}, {100, 101}});
    set.limitTo(3);
    QCOMPARE(set.ranges(), (QList<BucketRange>{{0, 3}, {10, 13}, {100, 101}}));
    set.limitTo(1);
    QCOMPARE(set.ranges(), (QList<BucketRange>{{0, 101}}));
    RangeSet open = setOf({{std::nullopt, -5}, {0, 1}, {9, std::nullopt}});
    open.limitTo(2);
    QCOMPARE(open.ranges(), (QList<BucketRange>{{std::nullopt, 1}, {9, std::nullopt}}));
}

void tst_RangeSet::closesNarrowGaps()
{
    RangeSet set = setOf({{0, 1000}, {1009, 2000}, {2100, 2101}});
    set.closeNarrowGaps();
    QCOMPARE(set.ranges(), (QList<BucketRange>{{0, 2000}, {2100, 2101}}));
    RangeSet apart = setOf({{0, 1}, {2, 3}});
    apart.closeNarrowGaps();
    QCOMPARE(apart.ranges().size(), 2);
}

void tst_RangeSet::agreesWithAPlainSet()
{
    QRandomGenerator random(7);
    for (int round = 0; round < 300; ++round) {
        RangeSet set;
        std::set<Micros> plain;
        for (int i = 0; i < 12; ++i) {
            const Micros from = random.bounded(60);
            const Micros to = from + random.bounded(8);
            set.add({from, to});
            for (Micros at = from; at < to; ++at)
                plain.insert(at);
        }
        for (Micros at = -1; at < 70; ++at)
            QCOMPARE(holds(set, at), plain.contains(at));
        for (qsizetype i = 1; i < set.ranges().size(); ++i)
            QVERIFY(*set.ranges()[i - 1].to < *set.ranges()[i].from);
        set.limitTo(2);
        QVERIFY(set.ranges().size() <= 2);
        for (const Micros at : plain)
            QVERIFY(holds(set, at));
    }
}

QTEST_GUILESS_MAIN(tst_RangeSet)
#include "tst_range_set.moc"
