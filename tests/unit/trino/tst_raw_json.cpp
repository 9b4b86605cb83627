#include "plugins/trino_sql/raw_json.h"

#include <QTest>

using namespace ivm;
using namespace ivm::trino;

namespace {

// Back to text, numbers as they came.
QString printed(const JsonNode &node)
{
    if (node.boolean())
        return *node.boolean() ? QStringLiteral("true") : QStringLiteral("false");
    if (node.number())
        return QString::fromLatin1(*node.number());
    if (node.text())
        return u'"' + *node.text() + u'"';
    QStringList parts;
    if (node.items()) {
        for (const auto &item : *node.items())
            parts.append(printed(item));
        return u'[' + parts.join(u',') + u']';
    }
    if (node.members()) {
        for (const auto &[name, value] : *node.members())
            parts.append(QString(name + u':' + printed(value)));
        return u'{' + parts.join(u',') + u'}';
    }
    return QStringLiteral("null");
}

}  // namespace

class tst_RawJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void readsJson_data();
    void readsJson();
    void refusesWhatIsNone_data();
    void refusesWhatIsNone();
    void findsMembers();
};

void tst_RawJson::readsJson_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("text");
    const auto row = [](const char *name, const QByteArray &bytes, const char *text) {
        QTest::newRow(name) << bytes << QString::fromUtf8(text);
    };
    row("whole numbers keep every digit",
        "[9223372036854775807, -0, 123456789012345678901234567890]",
        "[9223372036854775807,-0,123456789012345678901234567890]");
    row("fractions keep their spelling", "[-0.0, 1.50, 1E+7, 4.9e-324]",
        "[-0.0,1.50,1E+7,4.9e-324]");
    row("words", " [ true , false , null ] ", "[true,false,null]");
    row("escapes", R"("a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00")",
        "\"a\"\\/\b\f\n\r\t\xc3\xa9\xf0\x9f\x98\x80\"");
    row("objects in order, names twice", R"({"b":1,"a":{},"b":[]})", "{b:1,a:{},b:[]}");
    row("empty", "{}", "{}");
    const QByteArray deep = QByteArray("[").repeated(900) + QByteArray("]").repeated(900);
    row("deep, but not too deep", deep, deep.constData());
}

void tst_RawJson::readsJson()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, text);
    const auto node = parseRawJson(bytes, u"a test");
    QVERIFY2(node, qPrintable(node ? QString() : node.error().text()));
    QCOMPARE(printed(*node), text);
}

void tst_RawJson::refusesWhatIsNone_data()
{
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("message");
    const auto row = [](const char *name, const QByteArray &bytes, const char *message) {
        QTest::newRow(name) << bytes << QString::fromUtf8(message);
    };
    row("nothing", "", "a test is not JSON: expected a value at byte 0");
    row("a web page", "<html>", "a test is not JSON: expected a value at byte 0");
    row("more than one", "{} {}", "a test is not JSON: expected the end at byte 3");
    row("cut in an object", "{\"a\":1", "a test is not JSON: expected ',' or '}' at byte 6");
    row("cut in a list", "[1,", "a test is not JSON: expected a value at byte 3");
    row("cut in a string", "\"abc", "a test is not JSON: expected '\"' at byte 4");
    row("cut in an escape", "\"\\u00",
        "a test is not JSON: expected four hexadecimal digits at byte 3");
    row("no escape", "\"\\x\"", "a test is not JSON: expected an escape at byte 3");
    row("a bare name", "{a:1}", "a test is not JSON: expected a string at byte 1");
    row("no colon", "{\"a\" 1}", "a test is not JSON: expected ':' at byte 5");
    row("half a number", "1.", "a test is not JSON: expected a value at byte 2");
    row("a lonely minus", "[-]", "a test is not JSON: expected a value at byte 2");
    row("half a word", "tru", "a test is not JSON: expected a value at byte 0");
    row("a trailing comma", "[1,]", "a test is not JSON: expected a value at byte 3");
    row("nested past all use", QByteArray("[").repeated(100000),
        "a test is not JSON: expected less nesting at byte 1001");
}

void tst_RawJson::refusesWhatIsNone()
{
    QFETCH(QByteArray, bytes);
    QFETCH(QString, message);
    const auto node = parseRawJson(bytes, u"a test");
    QVERIFY(!node);
    QCOMPARE(node.error().kind, ErrorKind::Corrupt);
    QCOMPARE(node.error().message, message);
}

void tst_RawJson::findsMembers()
{
    const auto node = parseRawJson(R"({"a":"x","n":9007199254740993,"f":1.5,"a":"y"})", u"a test");
    QVERIFY(node);
    QCOMPARE(node->memberText(u"a"), QStringLiteral("y"));
    QCOMPARE(node->memberText(u"n"), QString());
    QCOMPARE(node->memberInteger(u"n"), std::optional<qint64>(9007199254740993));
    QCOMPARE(node->memberInteger(u"f"), std::nullopt);
    QVERIFY(!node->member(u"b"));
}

QTEST_GUILESS_MAIN(tst_RawJson)
#include "tst_raw_json.moc"
