#include "framework/iceberg/commit.h"

#include <QTest>

using namespace ivm;
using namespace ivm::iceberg;

class tst_TableLocation : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keepsTablesInsideTheWarehouse_data();
    void keepsTablesInsideTheWarehouse();
};

void tst_TableLocation::keepsTablesInsideTheWarehouse_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("folder");
    QTest::newRow("plain") << QStringLiteral("Größe 1") << QStringLiteral("Größe 1");
    QTest::newRow("up") << QStringLiteral("..") << QStringLiteral("_..");
    QTest::newRow("elsewhere") << QStringLiteral("../../etc/x") << QStringLiteral("_.._.._etc_x");
    QTest::newRow("hidden") << QStringLiteral(".git") << QStringLiteral("_.git");
    QTest::newRow("control characters") << QStringLiteral("a\nb\u007f") << QStringLiteral("a_b_");
    QTest::newRow("long") << QString(300, u'x') << QString(60, u'x');
}

void tst_TableLocation::keepsTablesInsideTheWarehouse()
{
    QFETCH(QString, name);
    QFETCH(QString, folder);
    const QString location =
        newTableLocation(QStringLiteral("file:///w"), {QStringLiteral("iceberg"), name, name});
    const QString start = QStringLiteral("file:///w/%1/%1-").arg(folder);
    QCOMPARE(location.left(start.size()), start);
    QCOMPARE(location.size(), start.size() + 32);
}

QTEST_GUILESS_MAIN(tst_TableLocation)
#include "tst_table_location.moc"
