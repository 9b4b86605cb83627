// Views of every kind, kept by the embedded engine.
#include "tests/e2e/view_kinds.h"

#include <QTemporaryDir>

using namespace ivm;
using namespace ivm::test;

class tst_KindsEmbedded : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void staysExactThroughAStory_data()
    {
        QTest::addColumn<bool>("common");
        QTest::newRow("as on Trino") << true;
        QTest::newRow("more") << false;
    }
    void staysExactThroughAStory()
    {
        QFETCH(bool, common);
        QTemporaryDir folder;
        auto host = TestHost::embedded(folder.path());
        const TableName defaults{QStringLiteral("iceberg"), QStringLiteral("main"), {}};
        const auto kinds = common ? std::span<const ViewKind>(kViewKinds)
                                  : std::span<const ViewKind>(kEmbeddedKinds);
        const QString wrong =
            ViewKindsStory(host, defaults, ViewKindsStory::Engine::Embedded, kinds).play();
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_GUILESS_MAIN(tst_KindsEmbedded)
#include "tst_kinds_embedded.moc"
