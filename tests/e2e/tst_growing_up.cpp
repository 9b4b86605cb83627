// An embedded warehouse is given to Trino: only the engine changes, and what is known of the views
// goes on; and back.
#include "framework/refresh/verify.h"
#include "tests/support/oracle.h"
#include "tests/support/test_host.h"
#include "tests/support/views.h"

#include <QTemporaryDir>
#include <QUuid>

using namespace ivm;
using namespace ivm::test;

namespace {

// What the catalog is called by both.
const QString kCatalog = QStringLiteral("embedded");

}  // namespace

class tst_GrowingUp : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void cleanupTestCase();
    void goesOnWithTheOtherEngine();

private:
    TestHost embedded(const QString &state) const;
    View view(const QString &name, const QString &query) const;
    // "hourly incremental, daily incremental"; or what is wrong.
    QString refreshed(TestHost &host) const;
    static QString run(TestHost &host, const QString &sql);

    QString m_warehouse = qEnvironmentVariable("IVM_TEST_EMBEDDED");
    QString m_schema =
        QStringLiteral("growing_") + QUuid::createUuid().toString(QUuid::Id128).left(8);
    QTemporaryDir m_folder;
};

void tst_GrowingUp::initTestCase()
{
    QVERIFY2(!m_warehouse.isEmpty(), "IVM_TEST_EMBEDDED is not set: start a Trino with "
                                     "tests/trino/up and load the env file it names");
}

void tst_GrowingUp::cleanupTestCase()
{
    if (m_warehouse.isEmpty())
        return;
    auto host = TestHost::trino(kCatalog, m_schema, m_folder.filePath(QStringLiteral("end.db")));
    QCOMPARE(run(host, QStringLiteral("DROP SCHEMA %1 CASCADE").arg(m_schema)), QString());
}

TestHost tst_GrowingUp::embedded(const QString &state) const
{
    const PluginOptions options{{QStringLiteral("warehouse"), m_warehouse},
                                {QStringLiteral("catalog"), kCatalog},
                                {QStringLiteral("schema"), m_schema},
                                {QStringLiteral("threads"), 0},
                                {QStringLiteral("memory_limit"), QString()}};
    const PluginOptions detector{{QStringLiteral("warehouse"), m_warehouse},
                                 {QStringLiteral("engine_catalog"), kCatalog}};
    return TestHost({QStringLiteral("duckdb"), options}, {QStringLiteral("catalog"), detector},
                    m_folder.filePath(state));
}

View tst_GrowingUp::view(const QString &name, const QString &query) const
{
    const TableName defaults{kCatalog, m_schema, {}};
    View view{specOf(name, query), {}};
    view.spec.target = {kCatalog, m_schema, name};
    auto shape = shapeOf(view.spec, defaults);
    if (!shape)
        qFatal("%s", qPrintable(shape.error().text()));
    view.shape = *std::move(shape);
    return view;
}

QString tst_GrowingUp::refreshed(TestHost &host) const
{
    const QList<View> views{
        view(QStringLiteral("hourly"),
             QStringLiteral("SELECT date_trunc('hour', ts) AS h, dev, count(*) AS n, sum(v) AS "
                            "total, avg(x) AS mean FROM ev GROUP BY 1, 2")),
        view(QStringLiteral("daily"),
             QStringLiteral("SELECT date_trunc('day', h) AS d, sum(n) AS n FROM hourly GROUP BY "
                            "1")),
        view(QStringLiteral("devices"),
             QStringLiteral("SELECT dev, max(ts) AS latest FROM ev GROUP BY 1"))};
    auto services = host.services();
    Refresher refresher(services);
    const auto outcomes = refresher.refresh(views, RefreshMode::IfChanged, {});
    if (!outcomes)
        return outcomes.error().text();
    QStringList out;
    for (qsizetype i = 0; i < views.size(); ++i) {
        const auto &outcome = outcomes->at(i);
        if (outcome.error)
            return outcome.error->text();
        const auto verified = verifyView(services, views[i], {}, {});
        if (!verified)
            return verified.error().text();
        if (!verified->equal)
            return QStringLiteral("%1 differs: %2 missing, %3 extra")
                .arg(outcome.view)
                .arg(verified->missing)
                .arg(verified->extra);
        out.append(outcome.view + u' ' + actionName(outcome.action));
    }
    return out.join(QStringLiteral(", "));
}

QString tst_GrowingUp::run(TestHost &host, const QString &sql)
{
    const auto session = host.executor().openSession({}, Call{});
    if (!session)
        return session.error().text();
    const auto done = execute(**session, sql, Call{});
    return done ? QString() : QString(sql + QStringLiteral(": ") + done.error().text());
}

void tst_GrowingUp::goesOnWithTheOtherEngine()
{
    const QString rebuilt = QStringLiteral("hourly rebuild, daily rebuild, devices rebuild");
    const QString followed = QStringLiteral("hourly incremental, daily incremental, devices diff");
    const QString insert =
        QStringLiteral("INSERT INTO ev VALUES (TIMESTAMP '2026-03-0%1 10:15:00', 'a', %1, %1e0), "
                       "(TIMESTAMP '2026-03-0%1 11:15:00', NULL, 1, 0.5e0)");

    auto small = embedded(QStringLiteral("small.db"));
    QCOMPARE(run(small, QStringLiteral("CREATE TABLE ev (ts timestamp(6), dev varchar, v bigint, x "
                                       "double) WITH (partitioning = ARRAY['day(ts)'])")),
             QString());
    for (int day = 1; day <= 3; ++day)
        QCOMPARE(run(small, insert.arg(day)), QString());
    QCOMPARE(refreshed(small), rebuilt);

    // With a state of its own, which knows nothing.
    auto large = TestHost::trino(kCatalog, m_schema, m_folder.filePath(QStringLiteral("large.db")));
    QCOMPARE(run(large, insert.arg(4)), QString());
    QCOMPARE(refreshed(large), followed);
    QCOMPARE(run(large, QStringLiteral("DELETE FROM ev WHERE dev IS NULL AND ts < TIMESTAMP "
                                       "'2026-03-03 00:00:00'")),
             QString());
    QCOMPARE(refreshed(large), followed);

    // And back to what the first state knows, while targets were written by the other engine.
    QCOMPARE(run(small, insert.arg(5)), QString());
    QCOMPARE(refreshed(small), followed);
    // A state that is lost is found again in the targets' own heads.
    auto again = embedded(QStringLiteral("again.db"));
    QCOMPARE(run(again, insert.arg(6)), QString());
    QCOMPARE(refreshed(again), followed);
}

QTEST_GUILESS_MAIN(tst_GrowingUp)
#include "tst_growing_up.moc"
