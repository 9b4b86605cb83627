#include "tests/conformance/detector_suite.h"
#include "tests/support/fake_engine.h"

using namespace ivm;

// The fake says what it is told: here by the verbs of the suite.
class tst_FakeDetector : public test::DetectorSuite {
    Q_OBJECT

public:
    Detector &detector() override { return m_detector; }
    TableName named(const QString &table) const override { return test::tableNamed(table); }

    Status make(const TableName &table) override
    {
        TableChanges none;
        none.columns = {
            {.name = QStringLiteral("id"), .type = {.kind = TypeKind::Bigint}, .fieldId = 1},
            {.name = QStringLiteral("ts"),
             .type = {.kind = TypeKind::Timestamp, .precision = 6},
             .fieldId = 2}};
        none.pinnable = true;
        m_world.changes.insert(table, none);
        return test::FakeSession(m_world).createTable({.name = table, .columns = none.columns}, {});
    }
    Status drop(const TableName &table) override
    {
        return test::FakeSession(m_world).dropTable(table, {});
    }
    Status append(const TableName &table, const QList<int> &ids) override
    {
        const auto [low, high] = std::minmax_element(ids.begin(), ids.end());
        FileChange file{.path = QStringLiteral("f%1").arg(++m_files),
                        .records = ids.size(),
                        .bytes = 100,
                        .bounds = {*low, *high, NullState::Never}};
        const bool allNull = *high == 0;
        if (ids.contains(0))
            file.bounds = allNull ? FileBounds{{}, {}, NullState::Always}
                                  : FileBounds{*high, *high, NullState::Some};
        m_world.moveOn(table);
        m_world.changes[table].files = {file};
        m_world.files[table].append(file);
        m_world.changes[table].snapshots = 1;
        return {};
    }
    Status addColumn(const TableName &table, const QString &) override
    {
        m_world.heads[table].token += QStringLiteral("-more");
        return {};
    }

private:
    test::FakeWorld m_world;
    test::FakeDetector m_detector{m_world};
    int m_files = 0;
};

QTEST_GUILESS_MAIN(tst_FakeDetector)
#include "tst_fake_detector.moc"
