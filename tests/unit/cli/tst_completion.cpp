// Completion: the scripts as the shells read them, and in bash what they complete.
#include "tests/support/program.h"

#include <QRegularExpression>
#include <QStandardPaths>
#include <QTest>

using namespace ivm::test;

namespace {

const QByteArray kViews =
    "views:\n"
    "  - {name: hourly, query: 'SELECT k, count(*) AS n FROM ev GROUP BY k'}\n"
    "  - {name: daily, query: 'SELECT \"name\":\"x\"'}\n";

// Completes the words of $1, of which the last is under the cursor, as bash splits them.
const QByteArray kComplete = R"(set -u
source <("$IVM_CTL" completion bash)
complete -p ivmctl | grep -qx 'complete -F _ivmctl ivmctl' || echo 'not registered'
words=${1//=/ = }
read -r -a COMP_WORDS <<<"$words"
[[ $words == *' ' ]] && COMP_WORDS+=('')
COMP_WORDS[0]=$IVM_CTL
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_ivmctl ivmctl "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}" | sort
)";

}  // namespace

class tst_Completion : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void completesInBash_data();
    void completesInBash();
    void isReadByTheShell_data();
    void isReadByTheShell();
    void knowsNoOtherShell();

private:
    static Ran script(const QString &shell)
    {
        return Program(QStringLiteral(IVM_CTL)).run({QStringLiteral("completion"), shell});
    }
};

void tst_Completion::completesInBash_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char *what, const char *line, const char *expected) {
        QTest::newRow(what) << QString::fromLatin1(line) << QString::fromLatin1(expected);
    };
    row("a command", "ivmctl ref", "refresh");
    row("all commands", "ivmctl ",
        "check completion explain help migrate plugins refresh sql tables verify views");
    row("a command after options", "ivmctl --json -c ivm.yaml ver", "verify");
    row("an option for all", "ivmctl --no", "--no-color");
    row("an option of a command", "ivmctl refresh --fu", "--full");
    row("an option before a command is not the command's", "ivmctl --fu", "");
    row("views", "ivmctl refresh ", "daily hourly");
    row("a view", "ivmctl explain h", "hourly");
    row("a further view", "ivmctl verify daily --from 2001-01-01 h", "hourly");
    row("no second view where one is taken", "ivmctl explain daily h", "");
    row("views of another file", "ivmctl --views other.yaml refresh ", "another other");
    row("views of another file, with =", "ivmctl refresh --views=other.yaml ", "another other");
    row("a file", "ivmctl --views ot", "other.yaml");
    row("a file, with =", "ivmctl check --views=ot", "other.yaml");
    row("a file, by letter", "ivmctl -c ot", "other.yaml");
    row("nothing for a time", "ivmctl verify --from 2", "");
    row("commands to be told about", "ivmctl help com", "completion");
    row("shells", "ivmctl completion ", "bash fish zsh");
    row("nothing for SQL", "ivmctl sql S", "");
    row("a part of a command", "ivmctl migrate up", "upgrade");
    row("a part of a command that takes a name, too", "ivmctl plugins n", "new");
    row("an option of a part", "ivmctl migrate upgrade --wa", "--wait");
}

void tst_Completion::completesInBash()
{
    QFETCH(QString, line);
    QFETCH(QString, expected);
    Program bash(QStringLiteral("/bin/bash"));
    bash.set(QStringLiteral("IVM_CTL"), QStringLiteral(IVM_CTL));
    bash.set(QStringLiteral("PATH"), qEnvironmentVariable("PATH"));
    QVERIFY(bash.write(QStringLiteral("views.yaml"), kViews));
    QVERIFY(bash.write(QStringLiteral("other.yaml"),
                       QByteArray(kViews).replace("hourly", "other").replace("daily", "another")));
    QVERIFY(bash.write(QStringLiteral("complete.sh"), kComplete));
    const auto ran = bash.run({QStringLiteral("complete.sh"), line});
    QCOMPARE(ran.err, QString());
    QCOMPARE(ran.out.simplified(), expected);
}

void tst_Completion::isReadByTheShell_data()
{
    QTest::addColumn<QString>("shell");
    for (const char *shell : {"bash", "zsh", "fish"})
        QTest::newRow(shell) << QString::fromLatin1(shell);
}

void tst_Completion::isReadByTheShell()
{
    QFETCH(QString, shell);
    const auto printed = script(shell);
    QCOMPARE(printed.code, 0);
    QVERIFY(!printed.out.contains(QRegularExpression(QStringLiteral("@[A-Z]+@"))));
    QVERIFY(printed.out.contains(QStringLiteral("refresh")));
    const QString program = QStandardPaths::findExecutable(shell);
    if (program.isEmpty())
        QSKIP("there is no such shell here (share/setup/packages test)");
    const Program reader(program);
    QVERIFY(reader.write(QStringLiteral("script"), printed.out.toUtf8()));
    const auto read = reader.run({QStringLiteral("-n"), QStringLiteral("script")});
    QCOMPARE(read.err, QString());
    QCOMPARE(read.code, 0);
}

void tst_Completion::knowsNoOtherShell()
{
    const auto ran = script(QStringLiteral("tcsh"));
    QCOMPARE(ran.code, 2);
    QCOMPARE(ran.out, QString());
    QCOMPARE(ran.err, u"ivmctl: error: there is no completion for 'tcsh'. Known are bash, zsh and "
                      u"fish\n");
}

QTEST_GUILESS_MAIN(tst_Completion)
#include "tst_completion.moc"
