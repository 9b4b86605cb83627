#include "plugins/executor_duckdb/executor.h"
#include "tests/conformance/executor_suite.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ivm;

class tst_DuckdbExecutor : public test::ExecutorSuite {
    Q_OBJECT

public:
    Executor &executor() override { return m_executor; }
    QString unsupportedStatement() const override
    {
        return QStringLiteral("SELECT * FROM (VALUES 1) AS v(n) TABLESAMPLE BERNOULLI (10)");
    }
    QStringList missingTypes() const override
    {
        return {QStringLiteral("char(3)"), QStringLiteral("uuid"), QStringLiteral("time(6)")};
    }

private:
    QTemporaryDir m_folder;
    duckdb::EmbeddedExecutor m_executor{{.warehouse = m_folder.path() + QStringLiteral("/data")}};
};

QTEST_GUILESS_MAIN(tst_DuckdbExecutor)
#include "tst_duckdb_executor.moc"
