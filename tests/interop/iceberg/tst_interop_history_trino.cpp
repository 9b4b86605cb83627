// One history of migrations, written by the embedded engine and by Trino in turn, on one warehouse
// (the catalog `embedded` of tests/trino/up), and read by both and by PyIceberg.
#include "plugins/detector_catalog/catalog_detector.h"
#include "plugins/executor_duckdb/executor.h"
#include "plugins/store_iceberg/iceberg_history.h"
#include "tests/conformance/checks.h"
#include "tests/interop/iceberg/peer.h"
#include "tests/trino/real_trino.h"

using namespace ivm;
using store_iceberg::IcebergHistory;

namespace {

const QString kLine = QStringLiteral("default");
const LockRequest kRequest{.line = kLine, .owner = QStringLiteral("ivmctl"), .doing = {}};

MigrationRecord recordOf(qint64 version, MigrationStatus status)
{
    MigrationRecord record;
    record.version = version;
    record.line = kLine;
    record.status = status;
    record.appliedAt = QDateTime(QDate(2026, 3, 1), QTime(12, 0, 0, 123), Qt::UTC);
    return record;
}

MigratedView viewOf(const QString &name, qint64 version)
{
    MigratedView view;
    view.name = name;
    view.line = kLine;
    view.version = version;
    return view;
}

MigrationEvent eventOf(qint64 version)
{
    MigrationEvent event;
    event.id = QString::number(version);
    event.at = recordOf(version, {}).appliedAt.addSecs(version);
    event.version = version;
    event.line = kLine;
    event.event = event::kStepDone.toString();
    return event;
}

}  // namespace

class tst_InteropHistoryTrino : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachGoesOnWhereTheOtherStopped();

private:
    trino::TrinoOptions options() const
    {
        auto options = trino::realOptions(m_schema);
        options.catalog = QStringLiteral("embedded");
        return options;
    }
    std::unique_ptr<HistoryStore> historyOf(const QString &catalog, Executor &executor)
    {
        return std::make_unique<IcebergHistory>(
            store_iceberg::HistoryOptions{.catalog = catalog, .schema = m_schema, .cache = {}},
            [&executor]() -> Result<Executor *> { return &executor; },
            [this]() -> Result<Detector *> { return &m_detector; });
    }

    const QString m_schema =
        QStringLiteral("history_") + QUuid::createUuid().toString(QUuid::Id128).left(8);
    const QString m_folder = qEnvironmentVariable("IVM_TEST_EMBEDDED");
    catalog::CatalogDetector m_detector{{.database = m_folder + QStringLiteral("/catalog.db")}};
};

void tst_InteropHistoryTrino::eachGoesOnWhereTheOtherStopped()
{
    QVERIFY2(!m_folder.isEmpty() && qEnvironmentVariableIsSet("TRINO_URL"),
             "TRINO_URL and IVM_TEST_EMBEDDED are not set: start a Trino with tests/trino/up and "
             "load the env file it names");
    duckdb::EmbeddedExecutor embedded({.warehouse = m_folder});
    trino::TrinoExecutor cluster(options());
    const auto ours = historyOf(QStringLiteral("iceberg"), embedded);
    const auto its = historyOf(QStringLiteral("embedded"), cluster);

    const QList<HistoryStore *> writers{ours.get(), its.get(), ours.get(), its.get()};
    for (qsizetype i = 0; i < writers.size(); ++i) {
        auto &other = *writers[(i + 1) % writers.size()];
        TAKE(const auto lock, writers[i]->acquire(kRequest, {}));
        const auto refused = other.acquire(kRequest, {});
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, u"migration_lock_held");
        DO(writers[i]->append({eventOf(i)}, {}));
        DO(writers[i]->save(recordOf(1, MigrationStatus::Failed), {}));
        DO(writers[i]->save(recordOf(i + 1, MigrationStatus::Applied), {}));
        DO(writers[i]->changeViews({viewOf(QString::number(i), i), viewOf(kLine, i)},
                                   {QString::number(i - 1)}, {}));
        DO(writers[i]->release(lock, {}));
    }
    MigrationHistory expected{
        .records = {recordOf(1, MigrationStatus::Failed), recordOf(2, MigrationStatus::Applied),
                    recordOf(3, MigrationStatus::Applied), recordOf(4, MigrationStatus::Applied)},
        .open = {eventOf(0), eventOf(1), eventOf(2), eventOf(3)},
        .views = {viewOf(QStringLiteral("3"), 3), viewOf(kLine, 3)},
        .locks = {},
        .lastEvent = {{kLine, eventOf(3).at}}};
    TAKE(const auto byUs, ours->history({}));
    QCOMPARE(byUs, expected);
    TAKE(const auto byIt, its->history({}));
    QCOMPARE(byIt, expected);

    test::Peer peer;
    const QString problem = peer.start(m_folder);
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    const auto rows = [&](const char *table) {
        const auto answer = peer.ask(
            QStringLiteral("texts"),
            {{QStringLiteral("table"), QString(m_schema + u'.' + QString::fromLatin1(table))}});
        return answer.contains(u"error") ? answer.value(u"error").toString()
                                         : QString::number(answer.value(u"rows").toArray().size());
    };
    QCOMPARE(rows("migration_history"), QStringLiteral("4"));
    QCOMPARE(rows("migration_events"), QStringLiteral("4"));
    QCOMPARE(rows("migration_views"), QStringLiteral("2"));
    QCOMPARE(rows("migration_lock"), QStringLiteral("0"));
    TAKE(const auto session, cluster.openSession({}, {}));
    TAKE(const auto dropped,
         execute(*session, QStringLiteral("DROP SCHEMA %1 CASCADE").arg(m_schema), {}));
}

QTEST_GUILESS_MAIN(tst_InteropHistoryTrino)
#include "tst_interop_history_trino.moc"
