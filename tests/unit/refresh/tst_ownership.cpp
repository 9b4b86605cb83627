#include "framework/refresh/ownership.h"

#include "framework/view/outputs.h"
#include "tests/support/fake_engine.h"

#include <QTest>

using namespace ivm;
using namespace ivm::test;

class tst_Ownership : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void takesNoRowsOfOthers_data();
    void takesNoRowsOfOthers();
    void marksWhatItMakes();
};

void tst_Ownership::takesNoRowsOfOthers_data()
{
    QTest::addColumn<bool>("hasSnapshot");
    QTest::addColumn<QString>("comment");
    QTest::addColumn<bool>("hasRows");
    QTest::addColumn<bool>("taken");

    const QString ours = targetComment(specOf(QStringLiteral("v"), {}));
    QTest::newRow("made, and never written to") << false << QString() << false << true;
    QTest::newRow("without rows") << true << QString() << false << true;
    QTest::newRow("with rows") << true << QString() << true << false;
    QTest::newRow("with rows and a note") << true << QStringLiteral("orders") << true << false;
    QTest::newRow("made by a refresh") << true << ours << true << true;
    QTest::newRow("made by a refresh, and the view's own comment")
        << true << QStringLiteral("by hour (%1)").arg(ours) << true << true;
    QTest::newRow("made by a refresh of another view")
        << true << targetComment(specOf(QStringLiteral("w"), {})) << true << false;
    QTest::newRow("only mentions it") << true << ours + QStringLiteral("s") << true << false;
}

void tst_Ownership::takesNoRowsOfOthers()
{
    QFETCH(const bool, hasSnapshot);
    QFETCH(const QString, comment);
    QFETCH(const bool, hasRows);
    QFETCH(const bool, taken);

    const ViewSpec spec = specOf(QStringLiteral("v"), {});
    FakeWorld world;
    Rows first;
    if (hasRows)
        first.rows.push_back({Value{qint64(1)}});
    world.answers.insert(QStringLiteral("SELECT 1 FROM \"iceberg\".\"main\".\"v\" LIMIT 1"), first);
    TableInfo target;
    target.name = spec.target;
    target.comment = comment;
    if (hasSnapshot)
        target.head.snapshot = 7;
    FakeSession session(world);
    const auto checked = checkOwnership(spec, target, session, {});
    QCOMPARE(checked.has_value(), taken);
    if (taken)
        return;
    const QString why = comment.contains(u"view w") ? QStringLiteral("is kept for view 'w'")
                        : comment.contains(u"view vs")
                            ? QStringLiteral("is kept for view 'vs'")
                            : QStringLiteral("holds rows that no refresh of the view has written");
    QCOMPARE(checked.error().text(),
             QStringLiteral("views.yaml:4:7: view 'v': table iceberg.main.v %1. Give the view "
                            "another target_table. Or let it replace those rows by its own: ivmctl "
                            "refresh v --adopt")
                 .arg(why));
}

void tst_Ownership::marksWhatItMakes()
{
    ViewSpec spec = specOf(QStringLiteral("v"), {});
    QCOMPARE(targetSpec(spec, {}).comment, QStringLiteral("Kept by iceberg-ivm: view v"));
    spec.comment = QStringLiteral("Flights by hour");
    QCOMPARE(targetSpec(spec, {}).comment,
             QStringLiteral("Flights by hour (Kept by iceberg-ivm: view v)"));
}

QTEST_APPLESS_MAIN(tst_Ownership)
#include "tst_ownership.moc"
