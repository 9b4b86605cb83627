// Whether the executor keeps the contract: iceberg-ivm's conformance suite, run on it.
#include "executor.h"
#include "tests/conformance/executor_suite.h"

#include <QTemporaryDir>
#include <QTest>

class TestExample : public ivm::test::ExecutorSuite {
    Q_OBJECT

public:
    ivm::Executor &executor() override { return *m_executor; }
    // A statement that your engine understands and does not do.
    QString unsupportedStatement() const override
    {
        return QStringLiteral("SELECT * FROM (VALUES 1) AS v(n) TABLESAMPLE BERNOULLI (10)");
    }
    // Types that your engine has no values of.
    QStringList missingTypes() const override
    {
        return {QStringLiteral("char(3)"), QStringLiteral("uuid"), QStringLiteral("time(6)")};
    }
    // Deleted rows are counted among the written ones.
    bool tellsDeletedRows() const override { return false; }

private Q_SLOTS:
    void initTestCase()
    {
        auto made = example_plugin::ExampleExecutor::make(
            {.warehouse = m_folder.filePath(QStringLiteral("data")),
             .defaults = {QStringLiteral("iceberg"), QStringLiteral("main"), {}}});
        QVERIFY2(made, qPrintable(made ? QString() : made.error().text()));
        m_executor = *std::move(made);
    }

private:
    QTemporaryDir m_folder;
    std::unique_ptr<ivm::Executor> m_executor;
};

QTEST_GUILESS_MAIN(TestExample)
#include "test_example.moc"
