// A change every second for minutes: memory stays flat, and everything is exact in the end.
//
// Tables are kept as operators keep them, merged and without old snapshots: what a refresh takes
// grows with the metadata that it reads.
//
// IVM_SOAK_SECONDS says for how long (180).
#include "tests/e2e/ivmd.h"

#include <QElapsedTimer>

using namespace ivm::test;

namespace {

constexpr qint64 kChangeEvery = 1000;  // milliseconds
// How much the median of the last third may lie above that of the second: the first is for caches
// to fill.
constexpr double kMostGrowth = 1.05;

const QByteArray kViews = R"(views:
  - name: hourly
    query: SELECT k, date_trunc('hour', ts) AS h, count(*) AS n, sum(v) AS v FROM ev GROUP BY 1, 2
  - name: daily
    query: SELECT k, date_trunc('day', h) AS d, sum(n) AS n FROM hourly GROUP BY 1, 2
  - name: total
    query: SELECT sum(n) AS n, max(d) AS last FROM daily GROUP BY ()
  - name: kinds
    query: SELECT DISTINCT k, v % 10 AS kind FROM ev
)";

QString insertion(int change)
{
    return QStringLiteral("INSERT INTO ev VALUES ('k%1', TIMESTAMP '2024-01-01 00:00:00' + "
                          "INTERVAL '%2' HOUR, %3)")
        .arg(change % 7)
        .arg(change % 60)
        .arg(change);
}

// Of every ten: new and late rows, an update, and a delete.
QString statement(int change)
{
    switch (change % 10) {
    case 3: return QStringLiteral("UPDATE ev SET v = v + 1 WHERE k = 'k%1'").arg(change % 7);
    case 6:
        return QStringLiteral("DELETE FROM ev WHERE k = 'k%1' AND v < %2")
            .arg(change % 7)
            .arg(change - 20);
    default: return insertion(change);
    }
}

double median(QList<qint64> values)
{
    std::ranges::sort(values);
    return values.isEmpty() ? 0 : double(values[values.size() / 2]);
}

}  // namespace

class tst_IvmdSoak : public QObject, private HostTest {
    Q_OBJECT

private Q_SLOTS:
    void init() { begin(kViews); }
    void cleanup() { end(); }

    void staysFlatAndExact();

private:
    void keepHouse()
    {
        sql(QStringLiteral("ALTER TABLE ev EXECUTE optimize"));
        for (const auto *table : {u"ev", u"hourly", u"daily", u"total", u"kinds"})
            sql(QStringLiteral("ALTER TABLE %1 EXECUTE expire_snapshots(retention_threshold => "
                               "'1s')")
                    .arg(QStringView(table)));
    }
    qint64 residentKilobytes() const
    {
        QFile file(QStringLiteral("/proc/%1/status").arg(m_host->id()));
        if (!file.open(QIODevice::ReadOnly))
            return 0;
        const QByteArray text = file.readAll();
        const auto at = text.indexOf("VmRSS:");
        return text.sliced(at + 6).trimmed().split(' ').first().toLongLong();
    }
    bool allIdle() const
    {
        const auto views = m_host->get("/api/views").list();
        return std::ranges::all_of(views, [](const QJsonValue &view) {
            return view.toObject().value(u"status") == QStringLiteral("idle") &&
                   view.toObject().value(u"waiting").isNull();
        });
    }
};

void tst_IvmdSoak::staysFlatAndExact()
{
    const int asked = qEnvironmentVariableIntValue("IVM_SOAK_SECONDS");
    const qint64 length = (asked > 0 ? asked : 180) * 1000LL;
    sql(QStringLiteral("CREATE TABLE ev (k varchar, ts timestamp(6), v bigint)"));
    QVERIFY2(m_host->start(), qPrintable(m_host->log()));

    QList<qint64> second;
    QList<qint64> last;
    QElapsedTimer time;
    time.start();
    int changes = 0;
    for (; time.elapsed() < length; ++changes) {
        if (changes % 10 == 9)
            keepHouse();
        QCOMPARE(sql(statement(changes)), QString());
        const qint64 now = time.elapsed();
        if (now > length / 3)
            (now > length * 2 / 3 ? last : second).append(residentKilobytes());
        const qint64 next = (now / kChangeEvery + 1) * kChangeEvery;
        QTest::qWait(int(next - now));  // lint: allow sleep: a change a second is what is tested
    }
    QTRY_VERIFY(allIdle());
    QVERIFY(allEqual());
    const auto views = m_host->get("/api/views").list();
    for (const auto &view : views) {
        const auto status = view.toObject();
        QVERIFY2(status.value(u"errors").toInt() == 0, QJsonDocument(status).toJson().constData());
    }
    qInfo("%d changes; resident %.0f kB in the second third, %.0f kB in the last", changes,
          median(second), median(last));
    QVERIFY(median(last) <= median(second) * kMostGrowth);
}

QTEST_GUILESS_MAIN(tst_IvmdSoak)
#include "tst_ivmd_soak.moc"
