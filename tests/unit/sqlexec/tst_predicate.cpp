#include "framework/sqlexec/predicate.h"

#include <QTest>

using namespace ivm;

class tst_Predicate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void rendersBuckets_data();
    void rendersBuckets();
};

void tst_Predicate::rendersBuckets_data()
{
    QTest::addColumn<QList<LiteralRange>>("ranges");
    QTest::addColumn<bool>("nullBucket");
    QTest::addColumn<QString>("sql");
    const QString one = QStringLiteral("DATE '2001-01-01'");
    const QString two = QStringLiteral("DATE '2001-02-01'");
    const auto row = [](const char *name, const QList<LiteralRange> &ranges, bool nulls,
                        const char *sql) {
        QTest::newRow(name) << ranges << nulls << QString::fromUtf8(sql);
    };
    row("nothing is no row", {}, false, "(FALSE)");
    row("one range is half-open", {{one, two}}, false,
        "(t.\"my \"\"d\" >= DATE '2001-01-01' AND t.\"my \"\"d\" < DATE '2001-02-01')");
    row("open below", {{std::nullopt, two}}, false, "(t.\"my \"\"d\" < DATE '2001-02-01')");
    row("open above", {{one, std::nullopt}}, false, "(t.\"my \"\"d\" >= DATE '2001-01-01')");
    row("open at both ends still excludes NULL", {{std::nullopt, std::nullopt}}, false,
        "(t.\"my \"\"d\" IS NOT NULL)");
    row("only the NULL bucket", {}, true, "(t.\"my \"\"d\" IS NULL)");
    row("several ranges and NULL", {{std::nullopt, one}, {two, std::nullopt}}, true,
        "(t.\"my \"\"d\" < DATE '2001-01-01' OR t.\"my \"\"d\" >= DATE '2001-02-01' OR t.\"my "
        "\"\"d\" IS NULL)");
}

void tst_Predicate::rendersBuckets()
{
    QFETCH(QList<LiteralRange>, ranges);
    QFETCH(bool, nullBucket);
    QFETCH(QString, sql);
    QCOMPARE(bucketPredicate({QStringLiteral("my \"d"), ranges, nullBucket}, u"t"), sql);
}

QTEST_GUILESS_MAIN(tst_Predicate)
#include "tst_predicate.moc"
