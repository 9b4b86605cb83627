// Random SQL: what is valid means the same after printing, and nothing at all breaks the parser.
//
// IVM_SEED=n plays one seed again, IVM_SEEDS=n plays so many instead of a few.
#include "framework/sql/equal.h"
#include "framework/sql/parser.h"
#include "framework/sql/printer.h"
#include "tests/unit/sql/sql_generator.h"

#include <QTest>

using namespace ivm;
using namespace ivm::sql;
using ivm::test::SqlGenerator;

namespace {

// Empty when printing keeps the meaning and is stable, else what is wrong.
template <typename Tree, typename Parse>
QString wrongRoundTrip(const Tree &tree, Parse parse)
{
    const QString text = print(tree);
    const Result<Tree> again = parse(text);
    if (!again)
        return QStringLiteral("printed as %1, which is refused: %2")
            .arg(text, again.error().text());
    if (!equal(tree, *again))
        return QStringLiteral("printed as %1, which means something else").arg(text);
    const QString second = print(*again);
    return second == text ? QString()
                          : QStringLiteral("printed as %1, then as %2").arg(text, second);
}

// Also for text that may be refused: then the refusal has a place within the text.
template <typename Tree>
QString wrong(const QString &text, Result<Tree> (*parse)(QStringView))
{
    const Result<Tree> tree = parse(text);
    if (tree)
        return wrongRoundTrip(*tree, parse);
    const Error &error = tree.error();
    const bool placed = error.place.line >= 1 && error.place.column >= 1;
    const bool known = error.kind == ErrorKind::Invalid || error.kind == ErrorKind::Unsupported;
    return placed && known && !error.message.isEmpty() ? QString()
                                                       : u"refused with: " + error.text();
}

QList<quint32> seeds(int usual)
{
    bool given = false;
    const int seed = qEnvironmentVariableIntValue("IVM_SEED", &given);
    if (given)
        return {static_cast<quint32>(seed)};
    const int count = qEnvironmentVariableIntValue("IVM_SEEDS", &given);
    QList<quint32> all;
    for (int i = 1; i <= (given ? count : usual); ++i)
        all.append(static_cast<quint32>(i));
    return all;
}

}  // namespace

#define VERIFY_SEED(seed, text, complaint)                                                         \
    QVERIFY2(complaint.isEmpty(),                                                                  \
             qPrintable(QStringLiteral("IVM_SEED=%1: %2\n%3").arg(seed).arg(text, complaint)))

class TestSqlRandom : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void validExpressions()
    {
        for (const quint32 seed : seeds(400)) {
            const QString text = SqlGenerator(seed).expression();
            const auto tree = parseExpression(text);
            const QString complaint =
                tree ? wrongRoundTrip(*tree, parseExpression) : tree.error().text();
            VERIFY_SEED(seed, text, complaint);
        }
    }

    void validQueries()
    {
        for (const quint32 seed : seeds(400)) {
            const QString text = SqlGenerator(seed).query();
            const auto tree = parseQuery(text);
            const QString complaint =
                tree ? wrongRoundTrip(*tree, parseQuery) : tree.error().text();
            VERIFY_SEED(seed, text, complaint);
        }
    }

    void validStatements()
    {
        for (const quint32 seed : seeds(400)) {
            const QString text = SqlGenerator(seed).statement();
            const auto tree = parseStatement(text);
            const QString complaint =
                tree ? wrongRoundTrip(*tree, parseStatement) : tree.error().text();
            VERIFY_SEED(seed, text, complaint);
        }
    }

    void nearlyValidText()
    {
        for (const quint32 seed : seeds(600)) {
            SqlGenerator generator(seed);
            const QString query = generator.mutated(generator.query());
            VERIFY_SEED(seed, query, wrong(query, parseQuery));
            const QString statement = generator.mutated(generator.statement());
            VERIFY_SEED(seed, statement, wrong(statement, parseStatement));
            const QString expression = generator.mutated(generator.expression());
            VERIFY_SEED(seed, expression, wrong(expression, parseExpression));
        }
    }

    void tokensWithoutGrammar()
    {
        for (const quint32 seed : seeds(1000)) {
            const QString text = SqlGenerator(seed).tokens();
            VERIFY_SEED(seed, text, wrong(text, parseQuery));
            VERIFY_SEED(seed, text, wrong(text, parseStatement));
            VERIFY_SEED(seed, text, wrong(text, parseExpression));
            VERIFY_SEED(seed, text, wrong(text, parseType));
        }
    }

    void anyUnits()
    {
        for (const quint32 seed : seeds(1000)) {
            SqlGenerator generator(seed);
            const QString text = generator.units();
            VERIFY_SEED(seed, text, wrong(text, parseStatement));
            const QString quoted = quoteString(text);
            const auto tree = parseExpression(quoted);
            const QString complaint =
                tree ? wrongRoundTrip(*tree, parseExpression) : tree.error().text();
            VERIFY_SEED(seed, quoted, complaint);
            QCOMPARE(as<StringLiteral>(*tree)->value, text);
        }
    }
};

QTEST_GUILESS_MAIN(TestSqlRandom)
#include "tst_sql_random.moc"
