#include "plugins/detector_trino/trino_detector.h"
#include "tests/conformance/detector_suite.h"
#include "tests/trino/real_trino.h"

using namespace ivm;

class tst_TrinoDetector : public test::DetectorSuite {
    Q_OBJECT

public:
    Detector &detector() override { return m_detector; }
    TableName named(const QString &table) const override { return m_trino.table(table); }
    Session *writer() override { return &m_trino.session(); }

private Q_SLOTS:
    void initTestCase() { QCOMPARE(m_trino.open(), QString()); }
    void cleanupTestCase() { m_trino.close(); }

private:
    trino::RealTrino m_trino;
    trino::TrinoExecutor m_executor{trino::realOptions(m_trino.schema())};
    trino::TrinoDetector m_detector{[this]() -> Result<Executor *> { return &m_executor; }};
};

QTEST_GUILESS_MAIN(tst_TrinoDetector)
#include "tst_trino_detector.moc"
