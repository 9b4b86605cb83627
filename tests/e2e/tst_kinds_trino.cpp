// Views of every kind, kept by a real Trino.
#include "tests/e2e/view_kinds.h"

#include <QTemporaryDir>
#include <QUuid>

using namespace ivm;
using namespace ivm::test;

Q_DECLARE_METATYPE(std::span<const ViewKind>)

class tst_KindsTrino : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void staysExactThroughAStory_data()
    {
        QTest::addColumn<std::span<const ViewKind>>("kinds");
        QTest::newRow("keys") << std::span<const ViewKind>(kViewKinds);
        QTest::newRow("nested keys") << std::span<const ViewKind>(kNestedKinds);
        QTest::newRow("times and zones") << std::span<const ViewKind>(kTimeKinds);
    }
    void staysExactThroughAStory()
    {
        QFETCH(std::span<const ViewKind>, kinds);
        QTemporaryDir folder;
        const QString schema =
            QStringLiteral("kinds_") + QUuid::createUuid().toString(QUuid::Id128).left(8);
        auto host = TestHost::trino(QStringLiteral("iceberg"), schema,
                                    folder.filePath(QStringLiteral("state.db")));
        const auto session = host.executor().openSession({}, Call{});
        QVERIFY(session);
        QVERIFY(execute(**session, QStringLiteral("CREATE SCHEMA ") + schema, {}));
        const TableName defaults{QStringLiteral("iceberg"), schema, {}};
        const QString wrong =
            ViewKindsStory(host, defaults, ViewKindsStory::Engine::Trino, kinds).play();
        QVERIFY(execute(**session, QStringLiteral("DROP SCHEMA %1 CASCADE").arg(schema), {}));
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
    }
};

QTEST_GUILESS_MAIN(tst_KindsTrino)
#include "tst_kinds_trino.moc"
