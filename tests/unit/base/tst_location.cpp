#include "framework/base/location.h"

#include <QTest>

using namespace ivm;

class tst_Location : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void takesEveryLocalSpelling_data();
    void takesEveryLocalSpelling();
    void refusesOtherLocations_data();
    void refusesOtherLocations();
};

void tst_Location::takesEveryLocalSpelling_data()
{
    QTest::addColumn<QString>("location");
    QTest::addColumn<QString>("path");
    QTest::newRow("three slashes") << QStringLiteral("file:///a/b") << QStringLiteral("/a/b");
    QTest::newRow("one slash") << QStringLiteral("file:/a/b") << QStringLiteral("/a/b");
    QTest::newRow("a path") << QStringLiteral("/a/b") << QStringLiteral("/a/b");
    QTest::newRow("upper case") << QStringLiteral("FILE:///a") << QStringLiteral("/a");
    QTest::newRow("blanks and percent signs stay")
        << QStringLiteral("file:///a b/c%20d") << QStringLiteral("/a b/c%20d");
}

void tst_Location::takesEveryLocalSpelling()
{
    QFETCH(QString, location);
    QFETCH(QString, path);
    QCOMPARE(localPath(location).value_or(QString()), path);
}

void tst_Location::refusesOtherLocations_data()
{
    QTest::addColumn<QString>("location");
    QTest::addColumn<QString>("problem");
    QTest::newRow("object store")
        << QStringLiteral("s3://bucket/a")
        << QStringLiteral("files under 's3:' are not supported, only 'file:' (s3://bucket/a)");
    QTest::newRow("another host") << QStringLiteral("file://host/a")
                                  << QStringLiteral(
                                         "'file://host/a' is not the location of a local file");
    QTest::newRow("relative") << QStringLiteral("a/b")
                              << QStringLiteral("'a/b' is not the location of a local file");
}

void tst_Location::refusesOtherLocations()
{
    QFETCH(QString, location);
    QFETCH(QString, problem);
    const auto read = localPath(location);
    QVERIFY(!read);
    QCOMPARE(read.error().kind, ErrorKind::Unsupported);
    QCOMPARE(read.error().message, problem);
}

QTEST_GUILESS_MAIN(tst_Location)
#include "tst_location.moc"
