#include "framework/sql/equal.h"
#include "framework/sql/parser.h"
#include "framework/sql/printer.h"
#include "tests/fuzz/golden_seeds.h"
#include "tests/fuzz/target.h"

namespace ivm::fuzz {

namespace {

// Printed and parsed again it is the same, and printed again the same text.
template <typename Tree>
QString wrong(const QString &text, Result<Tree> (*parse)(QStringView))
{
    const Result<Tree> tree = parse(text);
    if (!tree) {
        const Error &error = tree.error();
        const bool known = error.kind == ErrorKind::Invalid || error.kind == ErrorKind::Unsupported;
        return known && error.place.line >= 1 && error.place.column >= 1 ? QString() : error.text();
    }
    const QString printed = sql::print(*tree);
    const Result<Tree> again = parse(printed);
    if (!again)
        return QStringLiteral("printed as %1, which is refused: %2")
            .arg(printed, again.error().text());
    if (!sql::equal(*tree, *again))
        return QStringLiteral("printed as %1, which means something else").arg(printed);
    return sql::print(*again) == printed
               ? QString()
               : QStringLiteral("printed as %1, then as %2").arg(printed, sql::print(*again));
}

}  // namespace

QString targetName() { return QStringLiteral("parser"); }

int usualInputs() { return 40'000; }

QList<QByteArray> seeds()
{
    return goldenLines(QStringLiteral("sql")) + goldenSeeds(QStringLiteral("shape"));
}

QList<QByteArray> words() { return sqlWords(); }

QString complaint(const QByteArray &input)
{
    const QString text = QString::fromUtf8(input);
    for (const QString &found :
         {wrong<sql::Statement>(text, sql::parseStatement),
          wrong<sql::Query>(text, sql::parseQuery), wrong<sql::ExprPtr>(text, sql::parseExpression),
          wrong<sql::TypePtr>(text, sql::parseType),
          wrong<sql::QualifiedName>(text, sql::parseName)}) {
        if (!found.isEmpty())
            return found;
    }
    return {};
}

}  // namespace ivm::fuzz
