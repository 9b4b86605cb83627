// Several statements as one, and their rows apart again.
#include "plugins/store_iceberg/together.h"

#include <QTest>

using namespace ivm;
using namespace ivm::store_iceberg;

namespace {

Column column(const char *name, TypeKind kind)
{
    return {.name = QString::fromLatin1(name), .type = {.kind = kind}};
}

const QList<Part> kParts{
    {.sql = QStringLiteral("SELECT \"n\", \"a\", \"b\" FROM \"x\""),
     .columns = {column("n", TypeKind::Bigint), column("a", TypeKind::Varchar),
                 column("b", TypeKind::Varchar)}},
    {.sql = QStringLiteral("SELECT \"c\", \"m\" FROM \"y%1\""),
     .columns = {column("c", TypeKind::Varchar), column("m", TypeKind::Bigint)}},
};

Value text(const char *value) { return {QString::fromLatin1(value)}; }
Value number(qint64 value) { return {value}; }

}  // namespace

class tst_Together : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void isOneStatement();
    void givesEachPartItsRows();
    void refusesRowsOfAnother_data();
    void refusesRowsOfAnother();
};

void tst_Together::isOneStatement()
{
    QCOMPARE(togetherSql(kParts),
             QStringLiteral("SELECT 0 AS part, \"n\", \"a\", \"b\" FROM (SELECT \"n\", \"a\", "
                            "\"b\" FROM \"x\") AS p\nUNION ALL\nSELECT 1 AS part, \"m\", \"c\", "
                            "CAST(NULL AS varchar) FROM (SELECT \"c\", \"m\" FROM \"y%1\") AS p"));
}

void tst_Together::givesEachPartItsRows()
{
    const Rows all{.columns = {},
                   .rows = {{number(1), number(7), text("c1"), {}},
                            {number(0), number(8), text("a1"), text("b1")},
                            {number(1), {}, text("c2"), {}}}};
    const auto rows = apart(kParts, all);
    QVERIFY(rows);
    QCOMPARE(rows->size(), 2);
    QCOMPARE(rows->at(0).columns, kParts[0].columns);
    QCOMPARE(rows->at(0).rows, (std::vector<Row>{{number(8), text("a1"), text("b1")}}));
    QCOMPARE(rows->at(1).columns, kParts[1].columns);
    QCOMPARE(rows->at(1).rows, (std::vector<Row>{{text("c1"), number(7)}, {text("c2"), Value{}}}));
}

void tst_Together::refusesRowsOfAnother_data()
{
    QTest::addColumn<int>("row");
    QTest::newRow("no cells") << 0;
    QTest::newRow("no part") << 1;
    QTest::newRow("a part that is not there") << 2;
    QTest::newRow("too few cells") << 3;
}

void tst_Together::refusesRowsOfAnother()
{
    QFETCH(int, row);
    const std::array<Row, 4> rows{Row{}, Row{text("0"), number(1), text("a"), text("b")},
                                  Row{number(2), number(1), text("a"), text("b")},
                                  Row{number(0), number(1), text("a")}};
    const auto refused = apart(kParts, {.columns = {}, .rows = {rows[size_t(row)]}});
    QVERIFY(!refused);
    QCOMPARE(refused.error().kind, ErrorKind::Corrupt);
}

QTEST_APPLESS_MAIN(tst_Together)
#include "tst_together.moc"
