#include "tests/conformance/executor_suite.h"
#include "tests/support/fake_engine.h"

using namespace ivm;

class tst_FakeExecutor : public test::ExecutorSuite {
    Q_OBJECT

public:
    tst_FakeExecutor()
    {
        m_world.capabilities = {Capability::AtomicSummary, Capability::QueryIdBeforeStart};
    }

    Executor &executor() override { return m_executor; }
    QString unsupportedStatement() const override { return QStringLiteral("EXPLAIN ANALYZE"); }
    QString refusedStatement() const override { return QStringLiteral("GRANT ALL"); }
    void willAnswer(const QString &sql, const Result<Rows> &answer) override
    {
        if (answer)
            m_world.answers.insert(sql, *answer);
        else
            m_world.refusals.insert(sql, answer.error());
    }
    bool keepsRows() const override { return false; }

private:
    test::FakeWorld m_world;
    test::FakeExecutor m_executor{m_world};
};

QTEST_GUILESS_MAIN(tst_FakeExecutor)
#include "tst_fake_executor.moc"
