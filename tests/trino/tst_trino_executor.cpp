#include "tests/conformance/executor_suite.h"
#include "tests/trino/real_trino.h"

using namespace ivm;

class tst_TrinoExecutor : public test::ExecutorSuite {
    Q_OBJECT

public:
    Executor &executor() override { return m_trino.executor(); }
    QString unsupportedStatement() const override
    {
        return QStringLiteral("CREATE TABLE %1.json_column (j json)").arg(m_trino.schema());
    }

    QString refusedStatement() const override
    {
        return QStringLiteral("CREATE TABLE %1.of_nobody (k varchar)").arg(m_trino.schema());
    }

    QString endlessStatement() const override
    {
        return QStringLiteral("SELECT count(*) FROM tpch.sf100.lineitem a CROSS JOIN "
                              "tpch.sf1.orders b WHERE a.comment < b.comment");
    }

private Q_SLOTS:
    void initTestCase() { QCOMPARE(m_trino.open(), QString()); }
    void cleanupTestCase() { m_trino.close(); }

private:
    trino::RealTrino m_trino;
};

QTEST_GUILESS_MAIN(tst_TrinoExecutor)
#include "tst_trino_executor.moc"
