#include "framework/host/definitions.h"
#include "tests/support/golden.h"

#include <QTest>

using namespace ivm;

namespace {

const TableName kDefaults{QStringLiteral("iceberg"), QStringLiteral("main"), QString()};

Definitions definitionsOf(const QString &yaml)
{
    const auto root = yaml::parse(yaml.toUtf8(), QStringLiteral("views.yaml"));
    return root ? Definitions(readViews(*root, kDefaults), kDefaults) : Definitions();
}

QString outputOf(const QString &input)
{
    const auto definitions = definitionsOf(input);
    QStringList out;
    for (const auto &problem : definitions.problems())
        out.append(problem.text());
    for (const auto &definition : definitions.all()) {
        for (const auto &problem : definition.problems)
            out.append(problem.text());
    }
    QStringList names;
    for (const auto &view : definitions.views())
        names.append(view.spec.name);
    out.append(QStringLiteral("order: ") + names.join(u' '));
    return out.join(u'\n').trimmed();
}

}  // namespace

class tst_Definitions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void ordersOrRefuses_data();
    void ordersOrRefuses();
    void givesAViewByName();
    void saysWhyThereIsNoView();
    void aHashIsThatOfTheDefinition();
};

void tst_Definitions::initTestCase()
{
    test::updateGolden(QStringLiteral("definitions"), outputOf);
}

void tst_Definitions::ordersOrRefuses_data() { test::addGoldenRows(QStringLiteral("definitions")); }

void tst_Definitions::ordersOrRefuses()
{
    QFETCH(QString, input);
    QFETCH(QString, expected);
    QCOMPARE(outputOf(input), expected);
}

void tst_Definitions::givesAViewByName()
{
    const auto definitions =
        definitionsOf(QStringLiteral("views:\n- name: a\n  query: SELECT date_trunc('day', ts) AS "
                                     "d, count(*) AS n FROM t GROUP BY 1\n"));
    const auto view = definitions.view(QStringLiteral("a"));
    QVERIFY(view);
    QCOMPARE(view->spec.target.text(), u"iceberg.main.a");
    QCOMPARE(view->shape.strategy, Strategy::Ranges);
    QCOMPARE(definitions.find(u"a")->owner, ViewOwner::File);
}

void tst_Definitions::saysWhyThereIsNoView()
{
    const auto definitions = definitionsOf(
        QStringLiteral("views:\n- name: hourly\n  query: SELECT 1\n- name: daily\n  query:\n"));
    const auto unknown = definitions.view(QStringLiteral("hourli"));
    QVERIFY(!unknown);
    QCOMPARE(unknown.error().text(), u"there is no view named 'hourli'. Did you mean 'hourly'?");
    const auto refused = definitions.view(QStringLiteral("daily"));
    QVERIFY(!refused);
    QCOMPARE(refused.error().text(),
             u"views.yaml:5:3: view 'daily': 'query' is empty, expected text");
}

void tst_Definitions::aHashIsThatOfTheDefinition()
{
    const QString base =
        QStringLiteral("views:\n- name: a\n  query: SELECT k, count(*) AS n FROM t GROUP BY k\n");
    const auto hashOf = [](const QString &yaml) { return definitionsOf(yaml).all().first().hash; };
    QCOMPARE(hashOf(base + QStringLiteral("  comment: other\n")), hashOf(base));
    QVERIFY(hashOf(base + QStringLiteral("  target_table: b\n")) != hashOf(base));
}

QTEST_GUILESS_MAIN(tst_Definitions)
#include "tst_definitions.moc"
