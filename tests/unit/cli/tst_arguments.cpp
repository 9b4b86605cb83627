#include "cli/ivmctl/arguments.h"

#include <QTest>

using namespace ivm;
using namespace ivm::ctl;

namespace {

QList<CommandSpec> exampleCommands()
{
    CommandSpec refresh;
    refresh.name = QStringLiteral("refresh");
    refresh.words = QStringLiteral("[VIEW…]");
    refresh.options = {{QStringLiteral("--full"), {}, {}},
                       {QStringLiteral("--from"), QStringLiteral("TIME"), {}}};
    refresh.mostWords = -1;
    CommandSpec explain;
    explain.name = QStringLiteral("explain");
    explain.words = QStringLiteral("VIEW");
    explain.leastWords = 1;
    explain.mostWords = 1;
    return {refresh, explain};
}

}  // namespace

class tst_Arguments : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void takesOptionsAnywhere_data();
    void takesOptionsAnywhere();
    void keepsWordsAndOwnOptions();
    void takesEverythingAfterTwoDashesAsWords();
    void aSingleDashIsAWord();
    void refuses_data();
    void refuses();
    void keepsWhatItReadBeforeAMistake();
    void knowsCommandsOfTwoWords();
};

void tst_Arguments::takesOptionsAnywhere_data()
{
    QTest::addColumn<QStringList>("line");
    const auto row = [](const char *name, const QString &line) {
        QTest::newRow(name) << line.split(u' ');
    };
    row("before the command",
        QStringLiteral("-c a.yaml --views=b.yaml --json -v --quiet --no-color refresh"));
    row("after the command",
        QStringLiteral("refresh --json --views b.yaml -v --config=a.yaml --quiet --no-color"));
    row("around the command",
        QStringLiteral("--json -v -ca.yaml refresh --views b.yaml --no-color --quiet"));
}

void tst_Arguments::takesOptionsAnywhere()
{
    QFETCH(QStringList, line);
    Arguments read;
    QVERIFY(parseArguments(line, exampleCommands(), read));
    QCOMPARE(read.command, u"refresh");
    QCOMPARE(read.config, QStringLiteral("a.yaml"));
    QCOMPARE(read.views, QStringLiteral("b.yaml"));
    QVERIFY(read.json && read.verbose && read.quiet && read.noColour);
    QVERIFY(!read.help && !read.version);
}

void tst_Arguments::keepsWordsAndOwnOptions()
{
    Arguments read;
    QVERIFY(parseArguments(QStringLiteral("refresh a --from 2001-01-01 b --full").split(u' '),
                           exampleCommands(), read));
    QCOMPARE(read.words, (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
    QVERIFY(read.has(QStringLiteral("--full")));
    QCOMPARE(read.options.value(QStringLiteral("--from")), u"2001-01-01");
}

void tst_Arguments::takesEverythingAfterTwoDashesAsWords()
{
    Arguments read;
    QVERIFY(
        parseArguments(QStringLiteral("refresh -- --full").split(u' '), exampleCommands(), read));
    QCOMPARE(read.words, QStringList{QStringLiteral("--full")});
    QVERIFY(!read.has(QStringLiteral("--full")));
}

void tst_Arguments::aSingleDashIsAWord()
{
    Arguments read;
    QVERIFY(parseArguments(QStringLiteral("explain -").split(u' '), exampleCommands(), read));
    QCOMPARE(read.words, QStringList{QStringLiteral("-")});
}

void tst_Arguments::refuses_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("text");
    QTest::newRow("an unknown command")
        << QStringLiteral("refrsh")
        << QStringLiteral("unknown command 'refrsh'. Did you mean 'refresh'?");
    QTest::newRow("a command near none")
        << QStringLiteral("deploy")
        << QStringLiteral("unknown command 'deploy'. Known here: refresh, explain");
    QTest::newRow("an unknown option")
        << QStringLiteral("refresh --ful")
        << QStringLiteral("unknown option '--ful' of 'ivmctl refresh'. Did you mean '--full'?");
    QTest::newRow("an option near none")
        << QStringLiteral("refresh --everything")
        << QStringLiteral(
               "unknown option '--everything' of 'ivmctl refresh'. See 'ivmctl help refresh'");
    QTest::newRow("an unknown letter")
        << QStringLiteral("refresh -x")
        << QStringLiteral("unknown option '-x' of 'ivmctl refresh'. See 'ivmctl help refresh'");
    QTest::newRow("an option of a command before it")
        << QStringLiteral("--from x refresh")
        << QStringLiteral(
               "unknown option '--from'. Options of a command stand after it; see 'ivmctl help'");
    QTest::newRow("a value that is missing")
        << QStringLiteral("refresh --config")
        << QStringLiteral("option '--config' needs a value: FILE");
    QTest::newRow("a value that is not taken")
        << QStringLiteral("refresh --full=yes") << QStringLiteral("option '--full' takes no value");
    QTest::newRow("a word that is missing")
        << QStringLiteral("explain")
        << QStringLiteral("'ivmctl explain' needs VIEW. Usage: ivmctl explain VIEW");
    QTest::newRow("a word too many")
        << QStringLiteral("explain a b")
        << QStringLiteral("'b' is too much for 'ivmctl explain'. Usage: ivmctl explain VIEW");
}

void tst_Arguments::refuses()
{
    QFETCH(QString, line);
    QFETCH(QString, text);
    Arguments read;
    const auto parsed = parseArguments(line.split(u' '), exampleCommands(), read);
    QVERIFY(!parsed);
    QCOMPARE(parsed.error().text(), text);
    QCOMPARE(parsed.error().code, u"usage");
}

void tst_Arguments::keepsWhatItReadBeforeAMistake()
{
    Arguments read;
    QVERIFY(!parseArguments(QStringLiteral("--json refresh --nope").split(u' '), exampleCommands(),
                            read));
    QVERIFY(read.json);
}

void tst_Arguments::knowsCommandsOfTwoWords()
{
    CommandSpec group;
    group.name = QStringLiteral("migrate");
    CommandSpec part;
    part.name = QStringLiteral("migrate down");
    part.words = QStringLiteral("N|-n");
    part.leastWords = 1;
    part.mostWords = 1;
    part.options = {
        {QStringLiteral("--message"), QStringLiteral("TEXT"), {}, QStringLiteral("-m")}};
    const QList<CommandSpec> commands{group, part};
    Arguments read;
    QVERIFY(parseArguments({QStringLiteral("migrate"), QStringLiteral("--json")}, commands, read));
    QCOMPARE(read.command, QStringLiteral("migrate"));
    read = {};
    QVERIFY(parseArguments({QStringLiteral("migrate"), QStringLiteral("down"), QStringLiteral("-m"),
                            QStringLiteral("x"), QStringLiteral("-2")},
                           commands, read));
    QCOMPARE(read.command, QStringLiteral("migrate down"));
    QCOMPARE(read.words, QStringList{QStringLiteral("-2")});
    QCOMPARE(read.options.value(QStringLiteral("--message")), QStringLiteral("x"));
    read = {};
    QVERIFY(
        !parseArguments({QStringLiteral("migrate"), QStringLiteral("sideways")}, commands, read));
    read = {};
    QVERIFY(!parseArguments({QStringLiteral("migrate"), QStringLiteral("down")}, commands, read));
}

QTEST_GUILESS_MAIN(tst_Arguments)
#include "tst_arguments.moc"
