#include "framework/migrate/lint_sql.h"

#include "framework/sql/keywords.h"
#include "framework/sql/parser.h"
#include "framework/sql/visit.h"
#include "framework/view/functions.h"

#include <QRegularExpression>

namespace ivm::migrate {

namespace {

constexpr std::chrono::milliseconds kUsualRetention = std::chrono::days(7);

std::optional<std::chrono::milliseconds> durationOf(const QString &text)
{
    static const QRegularExpression form(
        QStringLiteral("\\A\\s*([0-9]{1,12}(?:\\.[0-9]{1,6})?)\\s*(ms|s|m|h|d)\\s*\\z"));
    static const QMap<QString, double> units{{QStringLiteral("ms"), 1},
                                             {QStringLiteral("s"), 1000},
                                             {QStringLiteral("m"), 60'000},
                                             {QStringLiteral("h"), 3'600'000},
                                             {QStringLiteral("d"), 86'400'000}};
    const auto match = form.match(text);
    if (!match.hasMatch())
        return std::nullopt;
    const double count = match.captured(1).toDouble() * units.value(match.captured(2));
    return std::chrono::milliseconds(qint64(count));
}

QString wordsOf(const sql::ExprPtr &expr, QStringView text)
{
    return expr->span.of(text).toString().simplified().left(60);
}

Result<TableName> nameOf(const sql::QualifiedName &name, const TableName &defaults)
{
    QStringList parts;
    for (const auto &part : name.parts)
        parts.append(quotedIdentifier(part.value));
    return parseTableName(parts.join(u'.'), defaults);
}

}  // namespace

QString volatilePart(const QString &statement)
{
    const auto parsed = sql::parseStatement(statement);
    if (!parsed)
        return {};
    QString found;
    sql::Visitor visitor;
    visitor.expression = [&](const sql::ExprPtr &expr) {
        const auto *call = sql::as<sql::FunctionCall>(expr);
        const bool isVolatile =
            sql::as<sql::CurrentValue>(expr) ||
            (call && functionNature(call->name.last().value.toLower()) == FunctionNature::Volatile);
        if (isVolatile && found.isEmpty())
            found = wordsOf(expr, statement);
        return found.isEmpty() ? sql::Walk::Into : sql::Walk::Skip;
    };
    sql::visit(*parsed, visitor);
    return found;
}

std::optional<Expiry> expiryOf(const QString &statement, const TableName &defaults)
{
    const auto parsed = sql::parseStatement(statement);
    const auto *execute = parsed ? std::get_if<sql::TableExecute>(&parsed->node) : nullptr;
    if (!execute || !sql::sameWord(execute->procedure.value, u"expire_snapshots"))
        return std::nullopt;
    const auto table = nameOf(execute->table, defaults);
    if (!table)
        return std::nullopt;
    Expiry out{*table, kUsualRetention};
    for (const auto &argument : execute->arguments) {
        const auto *text = sql::as<sql::StringLiteral>(argument.value);
        const bool isIt =
            !argument.name || sql::sameWord(argument.name->value, u"retention_threshold");
        const auto duration = text && isIt ? durationOf(text->value) : std::nullopt;
        if (duration)
            out.retention = *duration;
    }
    return out;
}

}  // namespace ivm::migrate
