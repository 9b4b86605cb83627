#include "framework/host/views_edit.h"

#include "tests/support/golden.h"

#include <QJsonDocument>

using namespace ivm;

namespace {

// "put NAME {entry}" or "remove NAME", then the file.
QString edited(const QString &input)
{
    const QString command = input.section(u'\n', 0, 0);
    const QByteArray file = input.section(u'\n', 1).toUtf8();
    const QString name = command.section(u' ', 1, 1);
    const auto entry = QJsonDocument::fromJson(command.section(u' ', 2).toUtf8()).object();
    const auto text =
        command.startsWith(u"remove ") ? withoutEntry(file, name) : withEntry(file, name, entry);
    return text ? QString::fromUtf8(*text) : u"error " + text.error().text();
}

}  // namespace

class tst_ViewsEdit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { test::updateGolden(QStringLiteral("views_edit"), edited); }
    void edits_data() { test::addGoldenRows(QStringLiteral("views_edit")); }
    void edits()
    {
        QFETCH(QString, input);
        QFETCH(QString, expected);
        QCOMPARE(edited(input).trimmed(), expected);
    }

    void keepsLineEndsAndTheMark()
    {
        const QByteArray file = "\xEF\xBB\xBFviews:\r\n  - name: a\r\n    query: SELECT 1 AS a\r\n";
        const auto text = withEntry(file, QStringLiteral("b"),
                                    {{QStringLiteral("query"), QStringLiteral("SELECT 2 AS a")}});
        QVERIFY(text);
        QCOMPARE(*text, file + "  - name: b\r\n    query: |\r\n      SELECT 2 AS a\r\n");
        const auto back = withoutEntry(*text, QStringLiteral("b"));
        QVERIFY(back);
        QCOMPARE(*back, file);
    }

    void keepsMixedLineEnds()
    {
        const QByteArray file = "views:\n  - name: a\r\n    query: SELECT 1 AS a\n"
                                "  - name: b\n    query: SELECT 2 AS a\r\n";
        const QJsonObject entry{{QStringLiteral("query"), QStringLiteral("SELECT 3 AS a")}};
        const auto text = withEntry(file, QStringLiteral("b"), entry);
        QVERIFY2(text, text ? "" : qPrintable(text.error().text()));
        QCOMPARE(*text, QByteArray("views:\n  - name: a\r\n    query: SELECT 1 AS a\n"
                                   "  - name: b\n    query: |\n      SELECT 3 AS a\n"));
        QVERIFY(withEntry(file, QStringLiteral("c"), entry));
        QVERIFY(withoutEntry(file, QStringLiteral("a")));

        const auto alone = withEntry("views:\r  - name: a\n    query: SELECT 1 AS a\n",
                                     QStringLiteral("b"), entry);
        QVERIFY(!alone);
        QCOMPARE(alone.error().code, QStringLiteral("not_editable"));
        QCOMPARE(alone.error().place.line, 1);
    }

    void addsALineEndWhereTheLastIsMissing()
    {
        const auto text =
            withEntry("views:\n- name: a\n  query: SELECT 1 AS a", QStringLiteral("b"),
                      {{QStringLiteral("query"), QStringLiteral("SELECT 2 AS a")}});
        QVERIFY(text);
        QVERIFY(text->contains("SELECT 1 AS a\n- name: b\n"));
    }
};

QTEST_APPLESS_MAIN(tst_ViewsEdit)
#include "tst_views_edit.moc"
