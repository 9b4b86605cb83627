// Whether the store keeps the contract: iceberg-ivm's conformance suite, run on it.
#include "store.h"
#include "tests/conformance/store_suite.h"

#include <QTemporaryDir>
#include <QTest>

class TestExample : public ivm::test::StoreSuite {
    Q_OBJECT

public:
    std::unique_ptr<ivm::StateStore> openEmpty(const ivm::Clock &clock) override
    {
        m_folder = std::make_unique<QTemporaryDir>();
        return openAgain(clock);
    }
    std::unique_ptr<ivm::StateStore> openAgain(const ivm::Clock &clock) override
    {
        auto store = example_plugin::ExampleStore::open(
            m_folder->filePath(QStringLiteral("state.json")), clock);
        return store ? *std::move(store) : nullptr;
    }
    // A killed writer is played by a child of this process.
    bool mayFork() const override { return true; }

private:
    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestExample)
#include "test_example.moc"
