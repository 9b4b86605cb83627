#include "plugins/detector_trino/trino_detector.h"
#include "plugins/store_iceberg/iceberg_history.h"
#include "tests/conformance/checks.h"
#include "tests/conformance/history_suite.h"
#include "tests/trino/real_trino.h"

#include <QTest>

#include <thread>

using namespace ivm;
using store_iceberg::HistoryOptions;
using store_iceberg::IcebergHistory;

// The history in Iceberg tables of a real Trino; a schema for each test.
class tst_HistoryTrino : public test::HistorySuite {
    Q_OBJECT

public:
    std::unique_ptr<HistoryStore> openEmpty(const ProcessIdentity &self) override
    {
        dropSchema();
        m_options.schema = QStringLiteral("%1_%2").arg(m_trino.schema()).arg(++m_schemas);
        return openAgain(self);
    }
    std::unique_ptr<HistoryStore> openAgain(const ProcessIdentity &self) override
    {
        return std::make_unique<IcebergHistory>(
            m_options, [this]() -> Result<Executor *> { return &m_executor; },
            [this]() -> Result<Detector *> { return &m_detector; }, self);
    }
    bool isMade() override
    {
        return !m_trino.rows(QStringLiteral("SHOW SCHEMAS LIKE '%1'").arg(m_options.schema))
                    .isEmpty();
    }
    void pass(std::chrono::seconds time) override
    {
        QCOMPARE(m_trino.problem(QStringLiteral("UPDATE %1.migration_lock SET heartbeat = "
                                                "heartbeat - INTERVAL '%2' SECOND")
                                     .arg(m_options.schema)
                                     .arg(time.count())),
                 QString());
    }
    bool setAtWork(const QString &purpose, bool atWork) override
    {
        m_worker = {};
        if (!atWork) {
            // The statement's tasks outlive the answer that it is canceled.
            waitUntil(purpose, false);
            return true;
        }
        m_worker = std::jthread([this, purpose](const std::stop_token &stop) {
            const auto session = m_executor.openSession(
                {.purpose = purpose, .properties = {}, .statementTimeout = {}}, {});
            (void)execute(**session,
                          QStringLiteral("SELECT count(*) FROM tpch.sf100.lineitem a CROSS JOIN "
                                         "tpch.sf1.orders b WHERE a.comment < b.comment"),
                          Call{stop, {}});
        });
        waitUntil(purpose, true);
        return true;
    }

private Q_SLOTS:
    void initTestCase() { QCOMPARE(m_trino.open(), QString()); }
    void cleanupTestCase()
    {
        dropSchema();
        m_trino.close();
    }

private:
    void waitUntil(const QString &purpose, bool atWork)
    {
        for (bool seen = false; !seen;) {
            const auto answer = m_trino.session().isAtWork(purpose, {});
            seen = answer && *answer == atWork;
        }
    }
    void dropSchema()
    {
        if (!m_options.schema.isEmpty())
            m_trino.problem(
                QStringLiteral("DROP SCHEMA IF EXISTS %1 CASCADE").arg(m_options.schema));
    }

    trino::RealTrino m_trino;
    trino::TrinoExecutor m_executor{trino::realOptions(m_trino.schema())};
    trino::TrinoDetector m_detector{[this]() -> Result<Executor *> { return &m_executor; }};
    HistoryOptions m_options{.catalog = QStringLiteral("iceberg"), .schema = {}, .cache = {}};
    int m_schemas = 0;
    std::jthread m_worker;
};

QTEST_GUILESS_MAIN(tst_HistoryTrino)
#include "tst_history_trino.moc"
