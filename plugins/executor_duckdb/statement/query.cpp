#include "plugins/executor_duckdb/statement/statement.h"

#include <QRandomGenerator>

#include <condition_variable>
#include <mutex>

namespace ivm::duckdb {

namespace {

constexpr int kMostAttempts = 20;

// Writers that lost against one another come back at different times, or the slowest of them would
// lose every time.
void pause(int attempt, const Call &call)
{
    constexpr int kLongestMs = 1000;
    const int mostMs = std::min(kLongestMs, 10 << std::min(attempt, 10));
    const std::chrono::milliseconds time(QRandomGenerator::global()->bounded(mostMs));
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, call.stop, call.remaining(time),
                                           [] { return false; });
}

}  // namespace

Error placed(Error error, const sql::Span &span, QStringView text)
{
    return std::move(error).at(sql::placeOf(text, span.begin));
}

StatementResult resultOf(const char *updateType, qint64 rows, const TableReader &reader)
{
    const auto counts = reader.counts();
    return {.statementId = {},
            .updateType = QString::fromLatin1(updateType),
            .rowsAffected = rows,
            .rowsRead = counts.rows,
            .bytesRead = counts.bytes};
}

Result<StatementResult> runQuery(const sql::Query &query, RowSink &sink,
                                 const StatementContext &context)
{
    TableReader reader(context.warehouse, context.connection, context.call);
    reader.restrict(query);
    IVM_TRY(const auto translated, translateQuery(query, context.input(reader)));
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

Result<StatementResult> retried(const Call &call,
                                const std::function<Result<StatementResult>()> &statement)
{
    for (int attempt = 1;; ++attempt) {
        auto result = statement();
        if (result || result.error().kind != ErrorKind::Conflict || attempt == kMostAttempts)
            return result;
        pause(attempt, call);
        IVM_CHECK(call.check(QStringLiteral("a statement that lost against another writer")));
    }
}

}  // namespace ivm::duckdb
