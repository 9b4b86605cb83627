// What happened to values and types elsewhere, on the engine that ctest names (IVM_TEST_ENGINE).
#include "tests/cases/ivmctl.h"
#include "tests/e2e/each_engine.h"

#include <QDir>
#include <QLoggingCategory>
#include <QRegularExpression>

using namespace ivm;
using namespace ivm::test;

class tst_CasesTypes : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("ivm.*.info=false")); }
    void init() { m_scenario = std::make_unique<Scenario>(kEngine); }
    void cleanup() { m_scenario.reset(); }

    void case_C035();
    void case_C036();
    void case_C038();

private:
    // The id of a table's newest snapshot, as another reader than the product has it.
    QString snapshotOf(const QString &table) const;

    std::unique_ptr<Scenario> m_scenario;
};

QString tst_CasesTypes::snapshotOf(const QString &table) const
{
    if (kIsTrino)
        return m_scenario
            ->rows(QStringLiteral("SELECT CAST(snapshot_id AS varchar) FROM @.\"%1$refs\" WHERE "
                                  "name = 'main'")
                       .arg(table))
            .front();
    const QDir schema(m_scenario->folder() + u'/' + m_scenario->schema());
    const auto folder = schema.entryList({table + QStringLiteral("-*")}).value(0);
    const QDir metadata(schema.filePath(folder + QStringLiteral("/metadata")));
    const auto newest =
        metadata.entryList({QStringLiteral("*.metadata.json")}, QDir::Files, QDir::Name).last();
    QFile file(metadata.filePath(newest));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    static const QRegularExpression kCurrent(
        QStringLiteral("\"current-snapshot-id\"\\s*:\\s*([0-9]+)"));
    return kCurrent.match(QString::fromUtf8(file.readAll())).captured(1);
}

// trinodb/trino-js-client#983, prestodb/presto#23821: 64-bit numbers went through doubles. The REST
// API, the page and the history table come later; an id is followed through what there is.
void tst_CasesTypes::case_C035()
{
    Ivmctl ivmctl(*m_scenario, QStringLiteral(R"(views:
- name: large
  query: SELECT id, date_trunc('day', ts) AS d, min(v) AS least, sum(v) AS total, sum(x) AS x
      FROM @.ev GROUP BY 1, 2
  target_table: @.large
)"));
    m_scenario->run(
        {QStringLiteral("CREATE TABLE @.ev (id bigint, ts timestamp(6), v bigint, x "
                        "decimal(38,10))"),
         QStringLiteral("INSERT INTO @.ev SELECT 9007199254740993, TIMESTAMP '2026-01-01 "
                        "10:00:00', 9223372036854775807, DECIMAL "
                        "'1234567890123456789012345678.0123456789' UNION ALL SELECT "
                        "9007199254740992, TIMESTAMP '2026-01-01 11:00:00', "
                        "-9223372036854775807 - 1, DECIMAL '0.0000000001'")});
    const QString first = snapshotOf(QStringLiteral("ev"));
    QVERIFY2(first.toLongLong() > (1LL << 53), qPrintable(first));
    const QString source = QStringLiteral("iceberg.%1.ev").arg(m_scenario->schema());
    const auto viewOf = [](const Ran &ran) { return ran.json().value(u"views")[0].toObject(); };
    const auto refreshed =
        viewOf(ivmctl.run({QStringLiteral("refresh"), QStringLiteral("--json")}));
    QCOMPARE(refreshed.value(u"source_snapshots").toObject().value(source), QJsonValue(first));
    QCOMPARE(refreshed.value(u"target_snapshot"), QJsonValue(snapshotOf(QStringLiteral("large"))));
    const auto listed = viewOf(ivmctl.run({QStringLiteral("views"), QStringLiteral("--json")}));
    QCOMPARE(listed.value(u"bookmark").toObject().value(source), QJsonValue(first));

    m_scenario->run(QStringLiteral(
        "INSERT INTO @.ev VALUES (9007199254740991, TIMESTAMP '2026-01-01 12:00:00', 1, 1)"));
    const QString second = snapshotOf(QStringLiteral("ev"));
    const auto explained =
        ivmctl.run({QStringLiteral("explain"), QStringLiteral("large"), QStringLiteral("--json")})
            .json();
    const auto reads = explained.value(u"sources")[0].toObject();
    QCOMPARE(reads.value(u"bookmark"), QJsonValue(first));
    QCOMPARE(reads.value(u"head"), QJsonValue(second));
    QVERIFY(explained.value(u"statement")
                .toString()
                .contains(QStringLiteral("FOR VERSION AS OF ") + second));
    QCOMPARE(ivmctl.refresh(), QStringList(kIncremental));

    const auto stored =
        ivmctl.run({QStringLiteral("sql"), QStringLiteral("--json"),
                    QStringLiteral("SELECT id, least, total, x FROM %1.large ORDER BY id")
                        .arg(m_scenario->schema())});
    QVERIFY2(stored.out.contains(
                 u"\n[9007199254740991,1,1,\"1.0000000000\"],"
                 u"\n[9007199254740992,-9223372036854775808,-9223372036854775808,\"0.0000000001\"],"
                 u"\n[9007199254740993,9223372036854775807,9223372036854775807,"
                 u"\"1234567890123456789012345678.0123456789\"]]"),
             qPrintable(stored.out + stored.err));
}

// trinodb/trino#20227, #30628, MaterializeInc/materialize#9368: a sum that does not fit wrapped, or
// was an internal error. Hour 11 is not refreshed without hour 10: a refresh is one commit.
void tst_CasesTypes::case_C036()
{
    m_scenario->run(
        {QStringLiteral("CREATE TABLE @.ev (ts timestamp(6) with time zone, dev varchar, v bigint, "
                        "w decimal(38,0))"),
         QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2026-01-01 10:00:00 UTC', 'a', 1, "
                        "1)")});
    const QList<View> views{
        m_scenario->view(QStringLiteral("hourly"),
                         QStringLiteral("SELECT date_trunc('hour', ts) AS hr, dev, count(*) AS n, "
                                        "sum(v) AS total FROM @.ev GROUP BY 1, 2")),
        m_scenario->view(QStringLiteral("keyed"),
                         QStringLiteral("SELECT dev, sum(w) AS total FROM @.ev GROUP BY 1")),
        m_scenario->view(QStringLiteral("counted"),
                         QStringLiteral("SELECT date_trunc('hour', ts) AS hr, count(*) AS n FROM "
                                        "@.ev GROUP BY 1"))};
    auto services = m_scenario->services();
    const auto refresh = [&] {
        QStringList done;
        const auto outcomes = Refresher(services).refresh(views, RefreshMode::IfChanged, {});
        for (const auto &outcome : outcomes.value())
            done.append(outcome.error ? outcome.error->text() : actionName(outcome.action));
        return done;
    };
    QCOMPARE(refresh(), QStringList({kRebuild, kRebuild, kRebuild}));
    const auto before = services.store.bookmark(QStringLiteral("hourly")).value();

    m_scenario->run(
        QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2026-01-01 10:30:00 UTC', 'a', "
                       "9223372036854775807, DECIMAL '99999999999999999999999999999999999999'), "
                       "(TIMESTAMP '2026-01-01 11:00:00 UTC', 'b', 1, 1)"));
    const auto failed = refresh();
    const QString why = kIsTrino ? QStringLiteral("overflow") : QStringLiteral("does not fit");
    QVERIFY2(failed[0].contains(u"view 'hourly'") && failed[0].contains(why, Qt::CaseInsensitive),
             qPrintable(failed[0]));
    QVERIFY2(failed[1].contains(u"view 'keyed'") &&
                 failed[1].contains(u"overflow", Qt::CaseInsensitive),
             qPrintable(failed[1]));
    QCOMPARE(failed[2], kIncremental);
    QCOMPARE(services.store.bookmark(QStringLiteral("hourly")).value(), before);
    const auto totals = QStringLiteral("SELECT total FROM @.hourly ORDER BY 1");
    QCOMPARE(m_scenario->rows(totals), QStringList(QStringLiteral("1")));

    m_scenario->run(QStringLiteral("DELETE FROM @.ev WHERE v > 1"));
    QCOMPARE(refresh(), QStringList({kIncremental, kDiff, kIncremental}));
    const QStringList once{QStringLiteral("1"), QStringLiteral("1")};
    QCOMPARE(m_scenario->rows(totals), once);
    QCOMPARE(m_scenario->rows(QStringLiteral("SELECT total FROM @.keyed")), once);
}

// starburstdata/dbt-trino#437, dbt-adapters#712, #517: columns were made with another type than the
// query's. Autogenerate, upgrade and back-fill come with migrations; here a view's table is made.
void tst_CasesTypes::case_C038()
{
    m_scenario->run(
        {QStringLiteral("CREATE TABLE @.ev (ts timestamp(6) with time zone, dev varchar, v bigint, "
                        "price decimal(10,2), payload varbinary)"),
         QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2026-01-01 10:00:00.000001 UTC', 'a', "
                        "1, DECIMAL '99999999.99', X'00FF')")});
    const auto hourly = [&](const QString &more) {
        return m_scenario->view(
            QStringLiteral("hourly"),
            QStringLiteral("SELECT date_trunc('hour', ts) AS hr, dev, count(*) AS n%1 FROM @.ev "
                           "GROUP BY 1, 2")
                .arg(more));
    };
    const auto more = QStringLiteral(
        ", max(payload) AS payload, max(ts) AS last, avg(price) AS mean, CAST(sum(price) AS "
        "decimal(38,2)) AS total, CAST(ROW(min(v), max(v)) AS ROW(lo bigint, hi bigint)) AS span, "
        "%1 AS by_dev, '%2' AS tag, CAST(1 AS tinyint) AS small");
    // The embedded engine has no map_agg.
    const auto maps = kIsTrino ? QStringLiteral("map_agg(dev, v)")
                               : QStringLiteral("MAP(array_agg(dev), array_agg(v))");

    const QString nothing = m_scenario->refreshed(hourly(QStringLiteral(", NULL AS nothing")));
    QVERIFY2(nothing.contains(u"column 'nothing': an Iceberg table cannot hold unknown"),
             qPrintable(nothing));
    QCOMPARE(m_scenario->refreshed(hourly(more.arg(maps, QStringLiteral("x")))), kRebuild);
    QStringList types;
    for (const auto &column : m_scenario->rows(QStringLiteral("SHOW COLUMNS FROM @.hourly")))
        types.append(column.section(u'|', 0, 1));
    QCOMPARE(types,
             QStringList(
                 {QStringLiteral("hr|timestamp(6) with time zone"), QStringLiteral("dev|varchar"),
                  QStringLiteral("n|bigint"), QStringLiteral("payload|varbinary"),
                  QStringLiteral("last|timestamp(6) with time zone"),
                  QStringLiteral("mean|decimal(10,2)"), QStringLiteral("total|decimal(38,2)"),
                  QStringLiteral("span|row(lo bigint, hi bigint)"),
                  QStringLiteral("by_dev|map(varchar, bigint)"), QStringLiteral("tag|varchar"),
                  QStringLiteral("small|integer")}));

    // A text that is longer than the first, in a row that is newer.
    m_scenario->run(
        QStringLiteral("INSERT INTO @.ev VALUES (TIMESTAMP '2026-01-01 11:00:00.5 UTC', "
                       "'b', NULL, NULL, NULL)"));
    QCOMPARE(m_scenario->refreshed(hourly(more.arg(maps, QStringLiteral("longer")))), kDiff);
    QCOMPARE(m_scenario->rows(QStringLiteral("SELECT DISTINCT tag FROM @.hourly")),
             QStringList(QStringLiteral("longer")));
    const QString fewer = m_scenario->refreshed(hourly(QString()));
    QVERIFY2(fewer.contains(u"exists with other columns: it has 'payload'"), qPrintable(fewer));
}

QTEST_GUILESS_MAIN(tst_CasesTypes)
#include "tst_cases_types.moc"
