// PyIceberg reads the history of migrations that the embedded engine keeps.
#include "plugins/detector_catalog/catalog_detector.h"
#include "plugins/executor_duckdb/executor.h"
#include "plugins/store_iceberg/iceberg_history.h"
#include "tests/conformance/checks.h"
#include "tests/interop/iceberg/peer.h"

#include <QTemporaryDir>

using namespace ivm;

class tst_InteropHistory : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void itReadsTheTables();

private:
    QStringList rows(const char *table)
    {
        const auto answer =
            m_peer.ask(QStringLiteral("texts"),
                       {{QStringLiteral("table"),
                         QString(QStringLiteral("_iceberg_ivm.") + QString::fromLatin1(table))}});
        QStringList out{answer.value(u"error").toString()};
        for (const auto &row : answer.value(u"rows").toArray())
            out.append(row.toString());
        out.removeAll(QString());
        return out;
    }

    test::Peer m_peer;
};

void tst_InteropHistory::itReadsTheTables()
{
    QTemporaryDir folder;
    duckdb::EmbeddedExecutor executor({.warehouse = folder.path()});
    catalog::CatalogDetector detector({.database = folder.filePath(QStringLiteral("catalog.db"))});
    store_iceberg::IcebergHistory store(
        {.catalog = QStringLiteral("iceberg"),
         .schema = QStringLiteral("_iceberg_ivm"),
         .cache = {}},
        [&]() -> Result<Executor *> { return &executor; },
        [&]() -> Result<Detector *> { return &detector; });
    const QString line = QStringLiteral("default");
    const QDateTime at(QDate(2026, 3, 1), QTime(12, 0, 0, 123), Qt::UTC);
    MigrationRecord record;
    record.version = 3;
    record.line = line;
    record.description = QStringLiteral("Zürich's");
    record.appliedAt = at;
    record.durationMs = 5;
    DO(store.save(record, {}));
    record.status = MigrationStatus::RolledBack;
    DO(store.save(record, {}));
    MigrationEvent event;
    event.id = QStringLiteral("e1");
    event.at = at;
    event.version = 3;
    event.line = line;
    event.event = QStringLiteral("upgrade_started");
    DO(store.append({event}, {}));
    DO(store.changeViews({{.name = QStringLiteral("hourly"),
                           .line = line,
                           .version = 3,
                           .definition = QStringLiteral("{}"),
                           .earlier = {},
                           .held = {9007199254740993}}},
                         {}, {}));
    TAKE(const auto lock, store.acquire({.line = line, .owner = {}, .doing = {}}, {}));

    const QString problem = m_peer.start(folder.path());
    QVERIFY2(problem.isEmpty(), qPrintable(problem));
    QCOMPARE(rows("migration_history"),
             QStringList{QStringLiteral("3|default|Zürich's|2026-03-01 12:00:00.123000+00:00|"
                                        "rolled_back|None||5|")});
    QCOMPARE(rows("migration_events"),
             QStringList{QStringLiteral("e1|2026-03-01 12:00:00.123000+00:00|3|default|"
                                        "upgrade_started|0|||||None")});
    QCOMPARE(rows("migration_views"),
             QStringList{QStringLiteral("hourly|default|3|{}|None|[9007199254740993]")});
    QCOMPARE(rows("migration_lock").value(0).section(u'|', 0, 1), line + u'|' + lock.token);
}

QTEST_GUILESS_MAIN(tst_InteropHistory)
#include "tst_interop_history.moc"
