// Views of every kind, kept by the embedded engine.
#include "tests/e2e/view_kinds.h"

#include <QTemporaryDir>

using namespace ivm;
using namespace ivm::test;

Q_DECLARE_METATYPE(std::span<const ViewKind>)

class tst_KindsEmbedded : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void staysExactThroughAStory_data()
    {
        QTest::addColumn<std::span<const ViewKind>>("kinds");
        QTest::newRow("keys") << std::span<const ViewKind>(kViewKinds);
        QTest::newRow("more keys") << std::span<const ViewKind>(kEmbeddedKinds);
        QTest::newRow("nested keys") << std::span<const ViewKind>(kNestedKinds);
        QTest::newRow("times and zones") << std::span<const ViewKind>(kTimeKinds);
    }
    void staysExactThroughAStory()
    {
        QFETCH(std::span<const ViewKind>, kinds);
        QTemporaryDir folder;
        auto host = TestHost::embedded(folder.path());
        const TableName defaults{QStringLiteral("iceberg"), QStringLiteral("main"), {}};
        const QString wrong =
            ViewKindsStory(host, defaults, ViewKindsStory::Engine::Embedded, kinds).play();
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_GUILESS_MAIN(tst_KindsEmbedded)
#include "tst_kinds_embedded.moc"
