// What SQL means and how it is printed, as text files in tests/golden/sql. Each line of a case is
// an SQL text of its own; the same line of its output is what is printed for it, or its error.
#include "framework/sql/equal.h"
#include "framework/sql/parser.h"
#include "framework/sql/printer.h"
#include "tests/support/golden.h"

using namespace ivm;
using namespace ivm::sql;

namespace {

using Print = QString (*)(const QString &line);

QString refusal(const Error &error) { return QStringLiteral("error ") + error.text(); }

// Prints, and says so when what was printed does not mean the same.
template <typename Tree, typename Parse, typename Same>
QString printed(const QString &line, Parse parse, Same same)
{
    const Result<Tree> tree = parse(line);
    if (!tree)
        return refusal(tree.error());
    const QString text = print(*tree);
    const Result<Tree> again = parse(text);
    if (!again)
        return QStringLiteral("printed as %1, which gives %2").arg(text, refusal(again.error()));
    if (!same(*tree, *again))
        return QStringLiteral("printed as %1, which means something else").arg(text);
    return text;
}

QString printedExpression(const QString &line)
{
    return printed<ExprPtr>(line, parseExpression,
                            [](const ExprPtr &a, const ExprPtr &b) { return equal(a, b); });
}

QString printedQuery(const QString &line)
{
    return printed<Query>(line, parseQuery,
                          [](const Query &a, const Query &b) { return equal(a, b); });
}

QString printedStatement(const QString &line)
{
    return printed<Statement>(line, parseStatement,
                              [](const Statement &a, const Statement &b) { return equal(a, b); });
}

QString printedType(const QString &line)
{
    return printed<TypePtr>(line, parseType,
                            [](const TypePtr &a, const TypePtr &b) { return equal(a, b); });
}

QStringList linesOf(const QString &text) { return text.split(u'\n', Qt::SkipEmptyParts); }

QString eachLine(const QString &input, Print print)
{
    QStringList out;
    for (const QString &line : linesOf(input))
        out.append(print(line));
    return out.join(u'\n');
}

const QList<std::pair<QString, Print>> kFolders = {
    {QStringLiteral("expression"), printedExpression},
    {QStringLiteral("query"), printedQuery},
    {QStringLiteral("statement"), printedStatement},
    {QStringLiteral("type"), printedType},
};

}  // namespace

class TestSqlGolden : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        for (const auto &[folder, print] : kFolders) {
            test::updateGolden(QStringLiteral("sql/") + folder,
                               [print](const QString &input) { return eachLine(input, print); });
        }
    }

    void expressions_data() { test::addGoldenRows(QStringLiteral("sql/expression")); }
    void expressions() { check(printedExpression); }
    void queries_data() { test::addGoldenRows(QStringLiteral("sql/query")); }
    void queries() { check(printedQuery); }
    void statements_data() { test::addGoldenRows(QStringLiteral("sql/statement")); }
    void statements() { check(printedStatement); }
    void types_data() { test::addGoldenRows(QStringLiteral("sql/type")); }
    void types() { check(printedType); }

    // Each line means the same as its line below the `--`, which says all its parentheses.
    void precedence_data() { test::addGoldenRows(QStringLiteral("sql/same")); }
    void precedence()
    {
        QFETCH(QString, input);
        QFETCH(QString, expected);
        const QStringList left = linesOf(input);
        const QStringList right = linesOf(expected);
        QCOMPARE(left.size(), right.size());
        for (qsizetype i = 0; i < left.size(); ++i) {
            const auto a = parseExpression(left[i]);
            const auto b = parseExpression(right[i]);
            QVERIFY2(a, qPrintable(left[i] + u": " + refusal(a ? Error() : a.error())));
            QVERIFY2(b, qPrintable(right[i] + u": " + refusal(b ? Error() : b.error())));
            QVERIFY2(equal(*a, *b), qPrintable(print(*a) + u" is not " + print(*b)));
        }
    }

private:
    static void check(Print print)
    {
        QFETCH(QString, input);
        QFETCH(QString, expected);
        QCOMPARE(eachLine(input, print), expected);
    }
};

QTEST_GUILESS_MAIN(TestSqlGolden)
#include "tst_sql_golden.moc"
