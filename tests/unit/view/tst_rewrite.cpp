#include "framework/view/rewrite.h"

#include "framework/sql/parser.h"
#include "tests/support/golden.h"
#include "tests/support/views.h"

#include <QDateTime>
#include <QTest>

using namespace ivm;

namespace {

Micros at(const char *text)
{
    const auto time = QDateTime::fromString(QLatin1StringView(text), Qt::ISODate);
    return QDateTime(time.date(), time.time(), Qt::UTC).toMSecsSinceEpoch() * 1'000;
}

// "2001-01-01 06:00" or a number; nothing for an open end.
std::optional<qint64> boundOf(const QString &text)
{
    if (text.isEmpty())
        return {};
    bool isNumber = false;
    const qint64 number = text.toLongLong(&isNumber);
    if (isNumber)
        return number;
    QString whole = text.size() == 10 ? text + QStringLiteral(" 00:00") : text;
    return at(whole.replace(u' ', u'T').toLatin1().constData());
}

// The first line says "column type to key type: from..to, …, null", the rest is the query.
QString rewritten(const QString &text)
{
    const QString first = text.section(u'\n', 0, 0);
    const auto view = test::viewOf(QStringLiteral("v"), text.sliced(first.size() + 1));
    const Pins pins{{view.shape.sources.front().table, 7}};
    const QString types = first.section(u':', 0, 0);
    const QString buckets = first.section(u':', 1).trimmed();
    if (buckets == u"pinned")
        return pinnedQuery(view.shape, pins);
    RangeSet ranges;
    for (const auto &bucket : buckets.split(QStringLiteral(", "), Qt::SkipEmptyParts)) {
        if (bucket == u"null")
            ranges.addNullBucket();
        else
            ranges.add({boundOf(bucket.section(QStringLiteral(".."), 0, 0)),
                        boundOf(bucket.section(QStringLiteral(".."), 1))});
    }
    const BucketTypes both{*parseType(types.section(QStringLiteral(" to "), 0, 0)),
                           *parseType(types.section(QStringLiteral(" to "), 1))};
    const QString query = rangeQuery(view.shape, pins, ranges, both);
    const auto filter = targetFilter(view.shape, ranges, both.bucket);
    QStringList parts;
    for (const auto &range : filter.ranges)
        parts.append(range.from.value_or(QString()) + QStringLiteral("..") +
                     range.to.value_or(QString()));
    if (filter.nullBucket)
        parts.append(QStringLiteral("null"));
    const bool isSql = sql::parseQuery(query).has_value();
    return query +
           QStringLiteral("\ntarget \"%1\": %2")
               .arg(filter.column, parts.join(QStringLiteral(", "))) +
           (isSql ? QString() : QStringLiteral("\nNO SQL"));
}

RangeSet someRanges()
{
    RangeSet ranges;
    ranges.add({at("2001-01-01T00:00:00"), at("2001-01-02T00:00:00")});
    ranges.add({at("2001-02-01T00:00:00"), std::nullopt});
    return ranges;
}

}  // namespace

class tst_Rewrite : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { test::updateGolden(QStringLiteral("rewrite"), rewritten); }
    void rewritesAsTheFileSays_data() { test::addGoldenRows(QStringLiteral("rewrite")); }
    void rewritesAsTheFileSays();
    void filtersOnTheUsersOwnExpression_data();
    void filtersOnTheUsersOwnExpression();
    void keepsOpenEndsAndNulls();
    void opensBothFiltersBeyondTheLastLiteral();
    void pinsTheTable();
    void filtersTheTarget();
    void staysSql();
};

void tst_Rewrite::rewritesAsTheFileSays()
{
    QFETCH(QString, input);
    QFETCH(QString, expected);
    QVERIFY(!expected.isEmpty());
    QCOMPARE(rewritten(input).trimmed(), expected);
}

void tst_Rewrite::filtersOnTheUsersOwnExpression_data()
{
    QTest::addColumn<QString>("bucket");
    QTest::addColumn<QString>("columnType");
    QTest::addColumn<QString>("bucketType");
    QTest::addColumn<QString>("condition");
    QTest::newRow("hour of timestamp")
        << "date_trunc('hour', ts)" << "timestamp(6)" << "timestamp(6)"
        << "(date_trunc('hour', ts) >= TIMESTAMP '2001-01-01 00:00:00' AND date_trunc('hour', ts) "
           "< TIMESTAMP '2001-01-02 00:00:00') "
           "AND (ts >= TIMESTAMP '2001-01-01 00:00:00' AND ts < date_trunc('hour', TIMESTAMP "
           "'2001-01-01 23:59:59') + INTERVAL '1' HOUR)";
    QTest::newRow("week of timestamp with time zone")
        << "date_trunc('week', ts)" << "timestamp(3) with time zone"
        << "timestamp(3) with time zone"
        << "(date_trunc('week', ts) >= TIMESTAMP '2001-01-01 00:00:00 UTC' AND date_trunc('week', "
           "ts) < TIMESTAMP '2001-01-02 00:00:00 UTC') "
           "AND (ts >= TIMESTAMP '2001-01-01 00:00:00 UTC' AND ts < date_trunc('week', TIMESTAMP "
           "'2001-01-01 23:59:59 UTC') + INTERVAL '7' DAY)";
    QTest::newRow("month of date") << "date_trunc('month', ts)" << "date" << "date"
                                   << "(date_trunc('month', ts) >= DATE '2001-01-01' AND "
                                      "date_trunc('month', ts) < DATE '2001-01-02') "
                                      "AND (ts >= DATE '2001-01-01' AND ts < date_trunc('month', "
                                      "DATE '2001-01-01') + INTERVAL '1' MONTH)";
    QTest::newRow("date of timestamp with time zone")
        << "CAST(ts AS date)" << "timestamp(6) with time zone" << "date"
        << "(CAST(ts AS date) >= DATE '2001-01-01' AND CAST(ts AS date) < DATE '2001-01-02') "
           "AND (ts >= TIMESTAMP '2001-01-01 00:00:00 UTC' AND ts < TIMESTAMP '2001-01-02 00:00:00 "
           "UTC')";
}

void tst_Rewrite::filtersOnTheUsersOwnExpression()
{
    QFETCH(QString, bucket);
    QFETCH(QString, columnType);
    QFETCH(QString, bucketType);
    QFETCH(QString, condition);
    const QString select = QStringLiteral("SELECT %1 AS b, count(*) AS n FROM t").arg(bucket);
    const auto view = test::viewOf(QStringLiteral("v"), select + QStringLiteral(" GROUP BY 1"));
    RangeSet ranges;
    ranges.add({at("2001-01-01T00:00:00"), at("2001-01-02T00:00:00")});
    QCOMPARE(
        rangeQuery(view.shape, {}, ranges, {*parseType(columnType), *parseType(bucketType)}),
        QString(select + QStringLiteral(" WHERE ") + condition + QStringLiteral(" GROUP BY 1")));
}

void tst_Rewrite::keepsOpenEndsAndNulls()
{
    const auto view = test::viewOf(
        QStringLiteral("v"),
        QStringLiteral("SELECT date(ts) AS b, count(*) AS n FROM t WHERE a OR b GROUP BY 1"));
    const BucketTypes types{{.kind = TypeKind::Date}, {.kind = TypeKind::Date}};
    const auto where = [&](const RangeSet &ranges) {
        return rangeQuery(view.shape, {}, ranges, types)
            .section(QStringLiteral(" WHERE "), 1)
            .chopped(11);
    };
    auto ranges = someRanges();
    QCOMPARE(where(ranges),
             QStringLiteral(
                 "(a OR b) AND (date(ts) >= DATE '2001-01-01' AND date(ts) < DATE '2001-01-02' OR "
                 "date(ts) >= DATE '2001-02-01') AND (ts >= DATE '2001-01-01' AND ts < DATE "
                 "'2001-01-02' OR ts >= DATE '2001-02-01')"));
    RangeSet null;
    null.addNullBucket();
    QCOMPARE(where(null), QStringLiteral("(a OR b) AND (date(ts) IS NULL) AND (ts IS NULL)"));
    RangeSet everything;
    everything.addEverything();
    QCOMPARE(where(everything),
             QStringLiteral("(a OR b) AND (date(ts) IS NOT NULL OR date(ts) IS NULL) AND "
                            "(ts IS NOT NULL OR ts IS NULL)"));
    QCOMPARE(where({}), QStringLiteral("(a OR b) AND false AND false"));
}

// A bucket that ends where no literal can say it has no end in the target's filter; one on the
// column would leave later rows out of what takes their place.
void tst_Rewrite::opensBothFiltersBeyondTheLastLiteral()
{
    const auto view = test::viewOf(
        QStringLiteral("v"),
        QStringLiteral("SELECT date_trunc('month', ts) AS b, count(*) AS n FROM t GROUP BY 1"));
    const Type timestamp{.kind = TypeKind::Timestamp, .precision = 6};
    const Micros december =
        QDateTime(QDate(9999, 12, 1), QTime(0, 0), Qt::UTC).toSecsSinceEpoch() * kMicrosPerSecond;
    RangeSet ranges;
    ranges.add({december, december + 31 * kMicrosPerDay});
    const QString query = rangeQuery(view.shape, {}, ranges, {timestamp, timestamp});
    QVERIFY2(
        query.contains(u"WHERE (date_trunc('month', ts) >= TIMESTAMP '9999-12-01 00:00:00') AND "
                       u"(ts >= TIMESTAMP '9999-12-01 00:00:00')"),
        qPrintable(query));
    QVERIFY(!targetFilter(view.shape, ranges, timestamp).ranges.front().to);
}

void tst_Rewrite::pinsTheTable()
{
    const auto view =
        test::viewOf(QStringLiteral("v"),
                     QStringLiteral("SELECT k, count(*) AS n FROM t AS x -- all\nGROUP BY k"));
    QCOMPARE(pinnedQuery(view.shape, {{test::tableNamed(QStringLiteral("t")), 9007199254740993}}),
             QStringLiteral("SELECT k, count(*) AS n FROM t FOR VERSION AS OF 9007199254740993 AS "
                            "x -- all\nGROUP BY k"));
    QCOMPARE(pinnedQuery(view.shape, {{test::tableNamed(QStringLiteral("u")), 1}}),
             view.spec.query);
}

void tst_Rewrite::filtersTheTarget()
{
    const auto view = test::viewOf(
        QStringLiteral("v"),
        QStringLiteral("SELECT date_trunc('day', ts) AS \"Day\", count(*) AS n FROM t GROUP BY 1"));
    auto ranges = someRanges();
    ranges.addNullBucket();
    const auto filter =
        targetFilter(view.shape, ranges, {.kind = TypeKind::Timestamp, .precision = 6});
    QCOMPARE(filter.column, QStringLiteral("day"));
    QVERIFY(filter.nullBucket);
    const QList<LiteralRange> wanted{
        {QStringLiteral("TIMESTAMP '2001-01-01 00:00:00'"),
         QStringLiteral("TIMESTAMP '2001-01-02 00:00:00'")},
        {QStringLiteral("TIMESTAMP '2001-02-01 00:00:00'"), std::nullopt}};
    QCOMPARE(filter.ranges, wanted);
}

void tst_Rewrite::staysSql()
{
    for (const char *query :
         {"SELECT date_trunc('hour', ts) AS h, count(*) AS n FROM t GROUP BY 1",
          "SELECT date_trunc('hour', t.ts) AS h, count(*) AS n FROM a.b.t WHERE x OR y GROUP BY 1 "
          "HAVING count(*) > 1",
          "SELECT date(ts) AS h, count(*) AS n FROM \"T\" x /* c */ WHERE (a) -- d\nGROUP BY 1"}) {
        const auto view = test::viewOf(QStringLiteral("v"), QString::fromUtf8(query));
        const Type type{.kind = TypeKind::Timestamp, .precision = 6};
        const bool isDate = view.shape.bucket->form == ShapeBucket::Form::Date;
        auto ranges = someRanges();
        ranges.addNullBucket();
        const QString text = rangeQuery(view.shape, {{view.shape.sources.front().table, 7}}, ranges,
                                        {type, isDate ? Type{.kind = TypeKind::Date} : type});
        const auto parsed = sql::parseQuery(text);
        QVERIFY2(parsed, qPrintable(text));
        QVERIFY(parsed->select()->where != nullptr);
    }
}

QTEST_GUILESS_MAIN(tst_Rewrite)
#include "tst_rewrite.moc"
