#include "cli/ivmctl/terminal.h"
#include "framework/host/value_text.h"
#include "framework/host/documents.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

#include <limits>

using namespace ivm;
using namespace ivm::ctl;

class tst_Terminal : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void spellsOutWhatCouldDriveATerminal_data();
    void spellsOutWhatCouldDriveATerminal();
    void measuresWhatATerminalShows_data();
    void measuresWhatATerminalShows();
    void jsonHoldsNoControlCharacters();
    void showsPathsRelativeToTheFolder();
    void anErrorIsAnObject();
    void givesValuesAsJson_data();
    void givesValuesAsJson();
};

void tst_Terminal::spellsOutWhatCouldDriveATerminal_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("expected");
    QTest::newRow("plain text") << QStringLiteral("Zürich 東京 😀")
                                << QStringLiteral("Zürich 東京 😀");
    QTest::newRow("an escape sequence")
        << QStringLiteral("a\x1b[31mb") << QStringLiteral("a\\x1b[31mb");
    QTest::newRow("an 8-bit control")
        << QStringLiteral("a\u009b31mb") << QStringLiteral("a\\x9b31mb");
    QTest::newRow("lines and tabs") << QStringLiteral("a\n\tb\r") << QStringLiteral("a\\n\\tb\\r");
    QTest::newRow("a bell, a delete, a zero")
        << QString(QStringLiteral("\a\x7f") + QChar(0)) << QStringLiteral("\\x07\\x7f\\x00");
    QTest::newRow("a reversed direction")
        << QStringLiteral("a\u202eb\u2066c") << QStringLiteral("a\\u202eb\\u2066c");
    QTest::newRow("a line separator") << QStringLiteral("a\u2028b") << QStringLiteral("a\\u2028b");
    QTest::newRow("half of a surrogate pair")
        << QString(QStringLiteral("a") + QChar(0xd83d)) << QStringLiteral("a\\ud83d");
    QTest::newRow("a joined emoji") << QStringLiteral("👩\u200d🚀") << QStringLiteral("👩\u200d🚀");
}

void tst_Terminal::spellsOutWhatCouldDriveATerminal()
{
    QFETCH(QString, text);
    QFETCH(QString, expected);
    QCOMPARE(visible(text), expected);
}

void tst_Terminal::measuresWhatATerminalShows_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qsizetype>("width");
    QTest::newRow("empty") << QString() << qsizetype(0);
    QTest::newRow("latin") << QStringLiteral("Zürich") << qsizetype(6);
    QTest::newRow("a combining mark") << QStringLiteral("Zu\u0308rich") << qsizetype(6);
    QTest::newRow("wide") << QStringLiteral("東京") << qsizetype(4);
    QTest::newRow("emoji") << QStringLiteral("😀") << qsizetype(2);
}

void tst_Terminal::measuresWhatATerminalShows()
{
    QFETCH(QString, text);
    QFETCH(qsizetype, width);
    QCOMPARE(displayWidth(text), width);
}

void tst_Terminal::jsonHoldsNoControlCharacters()
{
    const QString text = QStringLiteral("a\x1b\u009b\u202e\n東\"\\");
    const QByteArray line = jsonLine({{QStringLiteral("x"), text}});
    QVERIFY(line.endsWith("}\n"));
    for (const QChar c : QString::fromUtf8(line.chopped(1)))
        QVERIFY2(c.isPrint() && c.category() != QChar::Other_Format, line.constData());
    QCOMPARE(QJsonDocument::fromJson(line).object().value(u"x").toString(), text);
}

void tst_Terminal::showsPathsRelativeToTheFolder()
{
    const Terminal terminal(
        {.json = false, .quiet = false, .colour = false, .folder = QStringLiteral("/srv/me")});
    const auto shown = [&](const QString &file) {
        return terminal.shown(invalidError(QStringLiteral("x")).at({file, 1, 2})).place.file;
    };
    QCOMPARE(shown(QStringLiteral("/srv/me/views.yaml")), u"views.yaml");
    QCOMPARE(shown(QStringLiteral("/srv/me2/views.yaml")), u"/srv/me2/views.yaml");
    QCOMPARE(shown(QString()), QString());
}

void tst_Terminal::anErrorIsAnObject()
{
    const auto object = errorJson(invalidError(QStringLiteral("no"))
                                      .withCode(u"c")
                                      .at({QStringLiteral("f"), 3, 4})
                                      .withHint(u"do"));
    QCOMPARE(
        QJsonDocument(object).toJson(QJsonDocument::Compact),
        QByteArray(R"({"code":"c","column":4,"file":"f","hint":"do","line":3,"message":"no"})"));
    QCOMPARE(QJsonDocument(errorJson(timeoutError(QStringLiteral("late"))))
                 .toJson(QJsonDocument::Compact),
             QByteArray(R"({"code":"timeout","column":null,"line":null,"message":"late"})"));
}

void tst_Terminal::givesValuesAsJson_data()
{
    QTest::addColumn<Value>("value");
    QTest::addColumn<QString>("type");
    QTest::addColumn<QByteArray>("json");
    const auto list = [](std::vector<Value> items) { return Value{std::move(items)}; };
    QTest::newRow("null") << Value{} << QStringLiteral("bigint") << QByteArray("null");
    QTest::newRow("a boolean") << Value{true} << QStringLiteral("boolean") << QByteArray("true");
    QTest::newRow("a whole number of 64 bits")
        << Value{qint64(9007199254740993)} << QStringLiteral("bigint")
        << QByteArray("9007199254740993");
    QTest::newRow("a number") << Value{0.5} << QStringLiteral("double") << QByteArray("0.5");
    QTest::newRow("not a number") << Value{std::numeric_limits<double>::quiet_NaN()}
                                  << QStringLiteral("double") << QByteArray("\"NaN\"");
    QTest::newRow("minus infinity") << Value{-std::numeric_limits<double>::infinity()}
                                    << QStringLiteral("double") << QByteArray("\"-Infinity\"");
    QTest::newRow("a decimal keeps its digits")
        << Value{QStringLiteral("1.50")} << QStringLiteral("decimal(3,2)")
        << QByteArray("\"1.50\"");
    QTest::newRow("bytes") << Value{QByteArray("\x00\xff", 2)} << QStringLiteral("varbinary")
                           << QByteArray("\"00ff\"");
    QTest::newRow("an array") << list({Value{qint64(1)}, Value{}})
                              << QStringLiteral("array(bigint)") << QByteArray("[1,null]");
    QTest::newRow("a row") << list({Value{qint64(1)}, Value{QStringLiteral("x")}})
                           << QStringLiteral("row(a bigint, b varchar)") << QByteArray("[1,\"x\"]");
    QTest::newRow("a map") << list({Value{QStringLiteral("k")}, Value{qint64(1)},
                                    Value{QStringLiteral("l")}, Value{}})
                           << QStringLiteral("map(varchar, bigint)")
                           << QByteArray("[[\"k\",1],[\"l\",null]]");
}

void tst_Terminal::givesValuesAsJson()
{
    QFETCH(Value, value);
    QFETCH(QString, type);
    QFETCH(QByteArray, json);
    const auto parsed = parseType(type);
    QVERIFY(parsed);
    const QByteArray whole =
        QJsonDocument(QJsonArray{valueJson(value, *parsed)}).toJson(QJsonDocument::Compact);
    QCOMPARE(whole, QByteArray("[" + json + "]"));
}

QTEST_GUILESS_MAIN(tst_Terminal)
#include "tst_terminal.moc"
