#include "plugins/executor_duckdb/statement/statement.h"

namespace ivm::duckdb {

Error placed(Error error, const sql::Span &span, QStringView text)
{
    return std::move(error).at(sql::placeOf(text, span.begin));
}

Result<StatementResult> runQuery(const sql::Query &query, RowSink &sink,
                                 const StatementContext &context)
{
    TableReader reader(context.warehouse, context.connection, context.call);
    reader.restrict(query);
    IVM_TRY(const auto translated, translateQuery(query, {context.text, reader}));
    IVM_CHECK(sink.columns(translated.columns));
    QList<Type> types;
    for (const auto &column : translated.columns)
        types.append(column.type);
    IVM_CHECK(context.connection.stream(translated.sql, types, sink.row, context.call));
    const auto counts = reader.counts();
    return StatementResult{.statementId = {},
                           .updateType = {},
                           .rowsAffected = -1,
                           .rowsRead = counts.rows,
                           .bytesRead = counts.bytes};
}

Result<StatementResult> retried(const std::function<Result<StatementResult>()> &statement)
{
    constexpr int kMostAttempts = 10;
    for (int attempt = 1;; ++attempt) {
        auto result = statement();
        if (result || result.error().kind != ErrorKind::Conflict || attempt == kMostAttempts)
            return result;
    }
}

}  // namespace ivm::duckdb
