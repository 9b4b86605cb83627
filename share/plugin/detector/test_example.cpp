// Whether the detector keeps the contract: iceberg-ivm's conformance suite, run on it, with tables
// that the embedded engine writes.
#include "detector.h"
#include "tests/conformance/detector_suite.h"
#include "tests/conformance/embedded_engine.h"

#include <QTemporaryDir>
#include <QTest>

class TestExample : public ivm::test::DetectorSuite {
    Q_OBJECT

public:
    ivm::Detector &detector() override { return m_detector; }
    // It tells that a table changed, and not where.
    bool measures() const override { return false; }
    ivm::TableName named(const QString &table) const override
    {
        ivm::TableName name = m_engine->defaults();
        name.table = table;
        return name;
    }
    ivm::Session *writer() override { return m_session.get(); }

private Q_SLOTS:
    void initTestCase()
    {
        auto engine = ivm::test::embeddedEngine(QStringLiteral(ICEBERG_IVM_PLUGINS),
                                                m_folder.filePath(QStringLiteral("data")));
        QVERIFY2(engine, qPrintable(engine ? QString() : engine.error().text()));
        m_engine = *std::move(engine);
        auto session = m_engine->openSession({}, {});
        QVERIFY2(session, qPrintable(session ? QString() : session.error().text()));
        m_session = *std::move(session);
    }

private:
    QTemporaryDir m_folder;
    std::unique_ptr<ivm::Executor> m_engine;
    std::unique_ptr<ivm::Session> m_session;
    example_plugin::ExampleDetector m_detector{
        [this]() -> ivm::Result<ivm::Executor *> { return m_engine.get(); }};
};

QTEST_GUILESS_MAIN(TestExample)
#include "test_example.moc"
