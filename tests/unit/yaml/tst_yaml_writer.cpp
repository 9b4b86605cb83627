// YAML that is written: how it looks, and that it reads back as what was written.
#include "framework/yaml/node_json.h"
#include "framework/yaml/yaml_writer.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QTest>

using namespace ivm;
using namespace ivm::yaml;

class tst_YamlWriter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void looks_data();
    void looks();
    void textsReadBack_data();
    void textsReadBack();
    void valuesReadBack();
};

void tst_YamlWriter::looks_data()
{
    QTest::addColumn<QByteArray>("json");
    QTest::addColumn<QString>("written");
    QTest::newRow("plain words") << QByteArray(R"({"a": "timestamp(6) with time zone"})")
                                 << QStringLiteral("{a: timestamp(6) with time zone}");
    QTest::newRow("words that mean something else")
        << QByteArray(R"(["yes", "No", "null", "12", "true", "~", ""])")
        << QStringLiteral(R"(["yes", "No", "null", "12", "true", "~", ""])");
    QTest::newRow("numbers and truths")
        << QByteArray(R"([1, 0.5, true, null])") << QStringLiteral("[1, 0.5, true, null]");
    QTest::newRow("signs") << QByteArray(R"(["a: b", "a, b", "# x", "- x", "it's", "\"", "\\"])")
                           << QStringLiteral(
                                  R"(["a: b", "a, b", "# x", "- x", "it's", "\"", "\\"])");
    QTest::newRow("nothing in it") << QByteArray(R"([])") << QStringLiteral("[]");
    QTest::newRow("a map of maps") << QByteArray(R"({"a": {"b": {"c": 1}, "d": [{"e": "f"}]}})")
                                   << QStringLiteral("a:\n"
                                                     "  b: {c: 1}\n"
                                                     "  d:\n"
                                                     "    - {e: f}");
    QTest::newRow("lines") << QByteArray(R"({"a": "x\n\n  y\n", "b": ["p\nq", "r\n\n"], "c": 1})")
                           << QStringLiteral("a: |\n"
                                             "  x\n"
                                             "\n"
                                             "    y\n"
                                             "b:\n"
                                             "  - |-\n"
                                             "    p\n"
                                             "    q\n"
                                             "  - |+\n"
                                             "    r\n"
                                             "\n"
                                             "c: 1");
    QTest::newRow("lines that no block holds") << QByteArray(R"({"a": " x\ny", "b": "x\r\ny"})")
                                               << QStringLiteral(R"({a: " x\ny", b: "x\r\ny"})");
    QTest::newRow("what is too long for a line")
        << QByteArray(R"({"aaaaaaaaaaaaaaaaaaaaaaaaaa": "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
                          "cccccccccccccccccccccccccc": ["dddddddddddddddddddddddddddddddddd",
                           "eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"]})")
        << QStringLiteral("aaaaaaaaaaaaaaaaaaaaaaaaaa: bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\n"
                          "cccccccccccccccccccccccccc:\n"
                          "  - dddddddddddddddddddddddddddddddddd\n"
                          "  - eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
}

void tst_YamlWriter::looks()
{
    QFETCH(QByteArray, json);
    QFETCH(QString, written);
    const auto root = parse(json, QStringLiteral("json"));
    QVERIFY(root);
    // Keys of JSON are in the order of the alphabet, as they are here.
    const QString text = write(nodeOf(jsonOf(*root)));
    QCOMPARE(text, written);
    const auto again = parse(text.toUtf8() + '\n', QStringLiteral("written"));
    QVERIFY2(again, qPrintable(again ? QString() : again.error().text()));
    QCOMPARE(jsonOf(*again), jsonOf(*root));
}

void tst_YamlWriter::textsReadBack_data()
{
    QTest::addColumn<QString>("text");
    const QStringList texts{
        QStringLiteral("a"),
        QStringLiteral("'"),
        QStringLiteral("\""),
        QStringLiteral("\\"),
        QStringLiteral("\\n"),
        QStringLiteral("a # b"),
        QStringLiteral("a: b"),
        QStringLiteral("- a"),
        QStringLiteral("? a"),
        QStringLiteral("*a"),
        QStringLiteral("&a"),
        QStringLiteral("!a"),
        QStringLiteral("%a"),
        QStringLiteral("@a"),
        QStringLiteral("`a"),
        QStringLiteral("---"),
        QStringLiteral("..."),
        QStringLiteral("{}"),
        QStringLiteral("[]"),
        QStringLiteral("|"),
        QStringLiteral(">"),
        QStringLiteral("${A}"),
        QStringLiteral(" a"),
        QStringLiteral("a "),
        QStringLiteral("a\n"),
        QStringLiteral("\na"),
        QStringLiteral("a\n\n"),
        QStringLiteral("a\n  b\n\t c\n   \nd"),
        QStringLiteral("a \nb\n"),
        QStringLiteral("a\n# b\n--- c\n"),
        QStringLiteral("a\r\nb"),
        QStringLiteral("\t"),
        QStringLiteral("true"),
        QStringLiteral("Null"),
        QStringLiteral("0x1F"),
        QStringLiteral("1e3"),
        QStringLiteral(".inf"),
        QStringLiteral("<<"),
        QStringLiteral("="),
        QStringLiteral("2026-01-01"),
        QStringLiteral("\u0001\u001b\u007f\u0085"),
        QString(QChar(0)),
        QStringLiteral("\u2028\u2029\ufeff\u00a0"),
        QStringLiteral("ünïcödé, 漢字, 😀"),
        QStringLiteral("a\n漢字\n😀"),
    };
    for (qsizetype i = 0; i < texts.size(); ++i)
        QTest::addRow("%lld: %s", qlonglong(i), qPrintable(scalarText(texts[i]))) << texts[i];
}

// As a text alone, in a list, in a map, and as a key.
void tst_YamlWriter::textsReadBack()
{
    QFETCH(QString, text);
    Node map = mapNode({entryNode(QStringLiteral("texts"), listNode({text, text})),
                        entryNode(QStringLiteral("text"), textNode(text)),
                        entryNode(QStringLiteral("deep"),
                                  mapNode({entryNode(QStringLiteral("a"), textNode(text)),
                                           entryNode(QStringLiteral("b"), listNode({text}))}))});
    if (text != u"<<")
        map.entries.push_back(entryNode(text, plainNode(QStringLiteral("1"))));
    const QString written = write(map);
    const auto read = parse(written.toUtf8() + '\n', QStringLiteral("written"));
    QVERIFY2(read, qPrintable(read ? QString() : read.error().text() + u'\n' + written));
    QCOMPARE(jsonOf(*read), jsonOf(map));
}

void tst_YamlWriter::valuesReadBack()
{
    const QJsonObject value{
        {QStringLiteral("a"), QJsonArray{1, QStringLiteral("1"), true, QStringLiteral("true"),
                                         QJsonObject{{QStringLiteral("b"), QJsonArray{}}}}},
        {QStringLiteral("c"), QJsonObject{{QStringLiteral("d"), QJsonValue()}}}};
    const auto read = parse(write(nodeOf(value)).toUtf8(), QStringLiteral("written"));
    QVERIFY(read);
    QCOMPARE(jsonOf(*read), QJsonValue(value));
}

QTEST_GUILESS_MAIN(tst_YamlWriter)
#include "tst_yaml_writer.moc"
