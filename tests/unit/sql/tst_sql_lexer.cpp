// How a text is cut into tokens. What the tokens mean together is in tests/golden/sql.
#include "framework/sql/keywords.h"
#include "framework/sql/lexer.h"

#include <QTest>

using namespace ivm;
using namespace ivm::sql;

namespace {

QString kindName(TokenKind kind)
{
    switch (kind) {
    case TokenKind::End: return QStringLiteral("end");
    case TokenKind::Word: return QStringLiteral("word");
    case TokenKind::QuotedName: return QStringLiteral("name");
    case TokenKind::String: return QStringLiteral("string");
    case TokenKind::UnicodeString: return QStringLiteral("unicode");
    case TokenKind::Binary: return QStringLiteral("binary");
    case TokenKind::Integer: return QStringLiteral("integer");
    case TokenKind::Decimal: return QStringLiteral("decimal");
    case TokenKind::Double: return QStringLiteral("double");
    case TokenKind::Symbol: return QStringLiteral("symbol");
    }
    Q_UNREACHABLE();
}

// "word:a symbol:+", without the End.
QString shown(const QString &text)
{
    const auto tokens = tokenize(text);
    if (!tokens)
        return tokens.error().text();
    QStringList out;
    for (const Token &token : *tokens) {
        if (token.kind != TokenKind::End)
            out.append(kindName(token.kind) + u':' + token.span.of(text));
    }
    return out.join(u' ');
}

}  // namespace

class TestSqlLexer : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tokens_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *name, const char *text, const char *expected) {
            QTest::newRow(name) << QString::fromUtf8(text) << QString::fromUtf8(expected);
        };
        row("nothing", "", "");
        row("white space only", " \t\r\n", "");
        row("words", "Select _a1", "word:Select word:_a1");
        row("the longest sign", "<>!=<=>=||->=><-",
            "symbol:<> symbol:!= symbol:<= symbol:>= symbol:|| symbol:-> symbol:=> symbol:< "
            "symbol:-");
        row("a comment to the end of the line", "a--b\nc", "word:a word:c");
        row("a comment to a carriage return", "a--b\rc", "word:a word:c");
        row("a comment at the end of the text", "a--b", "word:a");
        row("comments do not nest", "a/*/* */b", "word:a word:b");
        row("a comment of stars", "/***/a/**/", "word:a");
        row("a minus and a comment", "a - --b", "word:a symbol:-");
        row("a doubled quote", "'a''b'", "string:'a''b'");
        row("strings side by side", "'a' 'b'", "string:'a' string:'b'");
        row("a quote at the end", "'a'''", "string:'a'''");
        row("a comment in a string", "'--/*'", "string:'--/*'");
        row("a line break in a string", "'a\nb'", "string:'a\nb'");
        row("a quoted name", "\"a\"\"b\"", "name:\"a\"\"b\"");
        row("a unicode string", "u&'a''b'", "unicode:u&'a''b'");
        row("u apart from its string", "u &",
            "1:3: found the character '&' (U+0026), expected SQL");
        row("a binary literal ends at its quote", "x'00''01'", "binary:x'00' string:'01'");
        row("x apart from its string", "x '00'", "word:x string:'00'");
        row("integers", "0 12 1_0 0xAf 0b01 0o7",
            "integer:0 integer:12 integer:1_0 integer:0xAf integer:0b01 integer:0o7");
        row("decimals", "1.5 1. .5 1_0.5_0", "decimal:1.5 decimal:1. decimal:.5 decimal:1_0.5_0");
        row("doubles", "1e3 1.5E-3 1.e+1 .5e1",
            "double:1e3 double:1.5E-3 double:1.e+1 double:.5e1");
        row("an exponent without digits", "1.5e", "decimal:1.5 word:e");
        row("a word behind a decimal", "1.5x", "decimal:1.5 word:x");
        row("a point behind a hexadecimal number", "0x1F.5", "integer:0x1F decimal:.5");
        row("a point between names", "a.b", "word:a symbol:. word:b");
        row("a point and a digit", "a.1", "word:a decimal:.1");
    }
    void tokens()
    {
        QFETCH(QString, text);
        QTEST(shown(text), "expected");
    }

    void refusals_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *name, const QString &text, const char *expected) {
            QTest::newRow(name) << text << QString::fromUtf8(expected);
        };
        row("an unfinished string is placed at its start", QStringLiteral("a\n  'b\nc"),
            "2:3: the string that starts here has no end, expected '");
        row("an unfinished name is placed at its start", QStringLiteral("\"a"),
            "1:1: the quoted name that starts here has no end, expected \"");
        row("an unfinished comment is placed at its start", QStringLiteral("a /*/"),
            "1:3: the comment that starts here has no end, expected */");
        row("an empty quoted name", QStringLiteral("a.\"\""),
            "1:3: found \"\", expected a name between the quotes");
        row("back quotes", QStringLiteral("`a`"),
            "1:1: found `, expected SQL; names are quoted with double quotes");
        row("a letter outside of ASCII", QStringLiteral("aé"),
            "1:2: found the character 'é' (U+00E9), expected SQL; outside a-z and 0-9 a name needs "
            "double quotes");
        row("a space that is none", QString(QChar(0xA0)),
            "1:1: found the character U+00A0, expected SQL");
        row("a NUL", QString(QChar(0)), "1:1: found the character U+0000, expected SQL");
        row("half of a surrogate pair", QString(QChar(0xD800)),
            "1:1: found the character U+D800, expected SQL; outside a-z and 0-9 a name needs "
            "double "
            "quotes");
        row("a name that starts with a digit", QStringLiteral("12ab"),
            "1:1: found '12ab', expected a number or a name; a name that starts with a digit needs "
            "double quotes");
        row("an underscore at the end of a number", QStringLiteral("1_"),
            "1:1: found '1_', expected a number or a name; a name that starts with a digit needs "
            "double quotes");
    }
    void refusals()
    {
        QFETCH(QString, text);
        const auto tokens = tokenize(text);
        QVERIFY(!tokens);
        QCOMPARE(tokens.error().kind, ErrorKind::Invalid);
        QCOMPARE(tokens.error().code, QStringLiteral("syntax"));
        QTEST(tokens.error().text(), "expected");
    }

    void theEndIsAToken()
    {
        const auto tokens = tokenize(u"a ");
        QVERIFY(tokens);
        QCOMPARE(tokens->size(), 2u);
        QCOMPARE(tokens->back().kind, TokenKind::End);
        QCOMPARE(tokens->back().span, (Span{2, 2}));
    }

    void places_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("offset");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::newRow("the start") << QStringLiteral("ab") << 0 << 1 << 1;
        QTest::newRow("on the first line") << QStringLiteral("ab") << 1 << 1 << 2;
        QTest::newRow("just after the text") << QStringLiteral("ab") << 2 << 1 << 3;
        QTest::newRow("past the text") << QStringLiteral("ab") << 9 << 1 << 3;
        QTest::newRow("after \\n") << QStringLiteral("a\nb") << 2 << 2 << 1;
        QTest::newRow("after \\r\\n") << QStringLiteral("a\r\nb") << 3 << 2 << 1;
        QTest::newRow("after \\r") << QStringLiteral("a\rb") << 2 << 2 << 1;
        QTest::newRow("after empty lines") << QStringLiteral("\n\n\na") << 3 << 4 << 1;
        QTest::newRow("a pair of surrogates is two units") << QStringLiteral("😀a") << 2 << 1 << 3;
    }
    void places()
    {
        QFETCH(QString, text);
        QFETCH(int, offset);
        const Place place = placeOf(text, offset);
        QTEST(place.line, "line");
        QTEST(place.column, "column");
    }

    void reservedWords_data()
    {
        QTest::addColumn<QString>("word");
        QTest::addColumn<bool>("reserved");
        QTest::newRow("upper case") << QStringLiteral("SELECT") << true;
        QTest::newRow("lower case") << QStringLiteral("select") << true;
        QTest::newRow("mixed case") << QStringLiteral("Uescape") << true;
        QTest::newRow("the longest") << QStringLiteral("current_timestamp") << true;
        QTest::newRow("the first") << QStringLiteral("alter") << true;
        QTest::newRow("the last") << QStringLiteral("with") << true;
        QTest::newRow("a keyword that may be a name") << QStringLiteral("LIMIT") << false;
        QTest::newRow("another one") << QStringLiteral("timestamp") << false;
        QTest::newRow("no keyword") << QStringLiteral("selects") << false;
        QTest::newRow("longer than any") << QString(100, u'A') << false;
        QTest::newRow("empty") << QString() << false;
    }
    void reservedWords()
    {
        QFETCH(QString, word);
        QTEST(isReserved(word), "reserved");
    }

    void lineComments()
    {
        QCOMPARE(findLineComment(u"a /* -- */ '--' \"--\" - -1"), std::nullopt);
        QCOMPARE(findLineComment(u"a -- b\n-- c"), std::optional<qsizetype>(2));
        QCOMPARE(findLineComment(u"a -- don't\n'"), std::optional<qsizetype>(2));
        QCOMPARE(findLineComment(u"a ' -- b"), std::nullopt);
    }
};

QTEST_GUILESS_MAIN(TestSqlLexer)
#include "tst_sql_lexer.moc"
