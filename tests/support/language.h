// Runs a query of the language tests on the embedded engine, and writes what any engine answers as
// text.
//
// For test programs; one thread.
#pragma once

#include "framework/sql/parser.h"
#include "plugins/executor_duckdb/engine/connection.h"
#include "plugins/executor_duckdb/translate/translate.h"

#include <algorithm>
#include <cmath>

namespace ivm::test {

// The rows of tests/golden/language need no tables: all data is in VALUES.
class NoTables final : public duckdb::RelationSource {
public:
    Result<duckdb::BoundRelation> table(const sql::QualifiedName &name,
                                        const duckdb::TableVersion &) override
    {
        return fail(notFoundError(QStringLiteral("no table '%1'").arg(name.last().value)));
    }
    Result<duckdb::BoundRelation> tableFunction(const QString &name,
                                                const QList<duckdb::FunctionArgument> &) override
    {
        return fail(unsupportedError(QStringLiteral("no table function '%1'").arg(name)));
    }
};

class EmbeddedLanguage {
public:
    Status open()
    {
        IVM_TRY(auto database,
                duckdb::Database::open({.spillFolder = {}, .threads = 1, .memoryLimit = {}}));
        IVM_TRY(m_connection, duckdb::Connection::open(database, duckdb::sessionSettings()));
        return {};
    }

    static Result<duckdb::TranslatedQuery> translate(const QString &sql)
    {
        IVM_TRY(const sql::Query query, sql::parseQuery(sql));
        NoTables tables;
        return duckdb::translateQuery(query, {sql, tables});
    }

    Result<Rows> run(const QString &sql)
    {
        IVM_TRY(const duckdb::TranslatedQuery translated, translate(sql));
        QList<Type> types;
        for (const auto &column : translated.columns)
            types.append(column.type);
        IVM_TRY(auto rows, m_connection->rows(translated.sql, types, Call{}));
        return Rows{translated.columns, std::move(rows)};
    }

private:
    std::unique_ptr<duckdb::Connection> m_connection;
};

inline QString valueText(const Value &value)
{
    if (const auto *text = std::get_if<QString>(&value.data))
        return u'\'' + QString(*text).replace(u'\n', QStringLiteral("\\n")) + u'\'';
    const auto *number = std::get_if<double>(&value.data);
    return number && *number == 0 && std::signbit(*number) ? QStringLiteral("-0") : value.text();
}

// The types, then the rows, sorted: a query's own order is not part of its answer here. An error is
// "error" where the statement itself is at fault; whatever else went wrong is told in full.
inline QString answerText(const Result<Rows> &answer)
{
    if (!answer) {
        const Error &error = answer.error();
        return error.kind == ErrorKind::Invalid
                   ? QStringLiteral("error")
                   : QString(errorKindName(error.kind) + QStringLiteral(": ") + error.text());
    }
    QStringList types;
    for (const auto &column : answer->columns)
        types.append(column.type.text());
    QStringList lines;
    for (const auto &row : answer->rows) {
        QStringList values;
        for (const auto &value : row)
            values.append(valueText(value));
        lines.append(values.join(QStringLiteral(" | ")));
    }
    std::sort(lines.begin(), lines.end());
    lines.prepend(types.join(QStringLiteral(", ")));
    return lines.join(u'\n');
}

}  // namespace ivm::test
