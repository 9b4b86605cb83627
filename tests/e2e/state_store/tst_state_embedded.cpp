#include "plugins/executor_duckdb/executor.h"
#include "plugins/store_iceberg/iceberg_state.h"
#include "tests/conformance/checks.h"
#include "tests/conformance/store_suite.h"
#include "tests/e2e/history_store/fated_engine.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace ivm;
using store_iceberg::IcebergState;
using store_iceberg::StateOptions;

// The state in Iceberg tables of the embedded engine; a schema for each test.
class tst_StateEmbedded : public test::StoreSuite {
    Q_OBJECT

public:
    std::unique_ptr<StateStore> openEmpty(const Clock &clock) override
    {
        m_options.schema = QStringLiteral("state_%1").arg(++m_schemas);
        return openAgain(clock);
    }
    std::unique_ptr<StateStore> openAgain(const Clock &clock) override
    {
        m_options.now = [&clock] {
            return QStringLiteral("TIMESTAMP '%1 UTC'")
                .arg(clock.now().toString(QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz000")));
        };
        return open();
    }
    int roundsOfAThread() const override { return 8; }

private Q_SLOTS:
    void init() { m_fate = {}; }

private:
    std::unique_ptr<IcebergState> open(const ProcessIdentity &self = thisProcess())
    {
        return std::make_unique<IcebergState>(
            m_options, [this]() -> Result<Executor *> { return &m_fated; }, self);
    }
    Result<Rows> rows(const QString &sql)
    {
        IVM_TRY(const auto session, m_executor.openSession({}, {}));
        return query(*session, sql, {});
    }

    QTemporaryDir m_folder;
    const QString m_warehouse = m_folder.filePath(QStringLiteral("data"));
    duckdb::EmbeddedExecutor m_executor{{.warehouse = m_warehouse}};
    test::Fate m_fate;
    test::FatedExecutor m_fated{m_executor, m_fate};
    StateOptions m_options{.catalog = QStringLiteral("iceberg"),
                           .schema = {},
                           .believed = std::chrono::milliseconds(0)};
    int m_schemas = 0;
};

QTEST_GUILESS_MAIN(tst_StateEmbedded)
#include "tst_state_embedded.moc"
