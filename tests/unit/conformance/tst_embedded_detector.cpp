#include "plugins/detector_catalog/catalog_detector.h"
#include "plugins/executor_duckdb/executor.h"
#include "tests/conformance/detector_suite.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ivm;

// The detector that reads the catalog, on tables that the embedded engine writes.
class tst_EmbeddedDetector : public test::DetectorSuite {
    Q_OBJECT

public:
    Detector &detector() override { return m_detector; }
    TableName named(const QString &table) const override
    {
        TableName name = m_executor.defaults();
        name.table = table;
        return name;
    }
    Session *writer() override { return m_session.get(); }

private Q_SLOTS:
    void initTestCase()
    {
        auto session = m_executor.openSession({}, Call{});
        QVERIFY(session);
        m_session = *std::move(session);
    }

private:
    QTemporaryDir m_folder;
    duckdb::EmbeddedExecutor m_executor{{.warehouse = m_folder.path()}};
    catalog::CatalogDetector m_detector{
        {.database = m_folder.filePath(QStringLiteral("catalog.db"))}};
    std::unique_ptr<Session> m_session;
};

QTEST_GUILESS_MAIN(tst_EmbeddedDetector)
#include "tst_embedded_detector.moc"
