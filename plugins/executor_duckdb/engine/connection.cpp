#include "plugins/executor_duckdb/engine/connection.h"

#include "plugins/executor_duckdb/engine/damage.h"
#include "plugins/executor_duckdb/engine/engine_error.h"
#include "plugins/executor_duckdb/engine/handles.h"
#include "plugins/executor_duckdb/engine/interrupter.h"
#include "plugins/executor_duckdb/engine/value_reader.h"

namespace ivm::duckdb {

namespace {

// DuckDB's texts end at a NUL.
Result<QByteArray> statementBytes(const QString &sql)
{
    if (sql.contains(QChar(u'\0'))) {
        return fail(unsupportedError(QStringLiteral("the statement holds a NUL character"))
                        .withHint(u"Write it as chr(0)"));
    }
    return sql.toUtf8();
}

Result<std::vector<ValueReader>> readersOf(duckdb_result &result, const QList<Type> &types)
{
    std::vector<ValueReader> readers;
    for (idx_t column = 0; column < duckdb_column_count(&result); ++column) {
        const LogicalType type(duckdb_column_logical_type(&result, column));
        IVM_TRY(ValueReader reader,
                ValueReader::make(type.handle, types.value(static_cast<qsizetype>(column)),
                                  QString::fromUtf8(duckdb_column_name(&result, column))));
        readers.push_back(std::move(reader));
    }
    return readers;
}

Status readChunk(duckdb_data_chunk chunk, const std::vector<ValueReader> &readers,
                 const std::function<Status(Row &&)> &sink)
{
    const idx_t size = duckdb_data_chunk_get_size(chunk);
    for (idx_t row = 0; row < size; ++row) {
        Row values;
        values.reserve(readers.size());
        for (size_t column = 0; column < readers.size(); ++column) {
            IVM_TRY(Value value,
                    readers[column].read(duckdb_data_chunk_get_vector(chunk, column), row));
            values.push_back(std::move(value));
        }
        IVM_CHECK(sink(std::move(values)));
    }
    return {};
}

}  // namespace

Connection::Connection(std::shared_ptr<Database> database, duckdb_connection handle)
    : m_database(std::move(database)), m_handle(handle)
{
}

Connection::~Connection() { duckdb_disconnect(&m_handle); }

Result<std::unique_ptr<Connection>> Connection::open(std::shared_ptr<Database> database,
                                                     const QStringList &settings)
{
    duckdb_connection handle = nullptr;
    if (duckdb_connect(database->handle(), &handle) != DuckDBSuccess)
        return fail(unavailableError(QStringLiteral("DuckDB gave no connection")));
    std::unique_ptr<Connection> connection(new Connection(std::move(database), handle));
    for (const QString &setting : settings)
        IVM_CHECK(connection->execute(setting, {}));
    return connection;
}

Error Connection::problem(const char *message, const Call &call)
{
    const QString text = QString::fromUtf8(message);
    Error error = engineError(text, call);
    if (isFatal(error))
        m_database->setBroken();
    if (isFatal(error) || !isDamage(text))
        return error;
    return damageError(text, m_files, [this](const QString &sql) { return answers(sql); });
}

bool Connection::answers(const QString &sql)
{
    Answer answer;
    return duckdb_query(m_handle, sql.toUtf8().constData(), &answer.handle) == DuckDBSuccess;
}

Status Connection::execute(const QString &sql, const Call &call)
{
    IVM_CHECK(call.check(u"the statement"));
    IVM_TRY(const QByteArray bytes, statementBytes(sql));
    const Interrupter interrupter(m_handle, call);
    Answer answer;
    if (duckdb_query(m_handle, bytes.constData(), &answer.handle) != DuckDBSuccess)
        return fail(problem(duckdb_result_error(&answer.handle), call));
    return {};
}

Result<std::vector<Row>> Connection::rows(const QString &sql, const QList<Type> &types,
                                          const Call &call)
{
    std::vector<Row> rows;
    IVM_CHECK(stream(
        sql, types,
        [&](Row &&row) -> Status {
            rows.push_back(std::move(row));
            return {};
        },
        call));
    return rows;
}

Status Connection::stream(const QString &sql, const QList<Type> &types,
                          const std::function<Status(Row &&)> &sink, const Call &call)
{
    IVM_CHECK(call.check(u"the statement"));
    IVM_TRY(const QByteArray bytes, statementBytes(sql));
    const Interrupter interrupter(m_handle, call);
    Prepared prepared;
    if (duckdb_prepare(m_handle, bytes.constData(), &prepared.handle) != DuckDBSuccess)
        return fail(problem(duckdb_prepare_error(prepared.handle), call));
    Pending pending;
    if (duckdb_pending_prepared_streaming(prepared.handle, &pending.handle) != DuckDBSuccess)
        return fail(problem(duckdb_pending_error(pending.handle), call));
    Answer answer;
    if (duckdb_execute_pending(pending.handle, &answer.handle) != DuckDBSuccess)
        return fail(problem(duckdb_result_error(&answer.handle), call));
    IVM_TRY(const auto readers, readersOf(answer.handle, types));
    while (true) {
        const Chunk chunk(duckdb_fetch_chunk(answer.handle));
        if (!chunk.handle)
            break;
        IVM_CHECK(readChunk(chunk.handle, readers, sink));
    }
    if (const char *message = duckdb_result_error(&answer.handle))
        return fail(problem(message, call));
    return {};
}

Result<QList<Column>> Connection::describe(const QString &sql, const Call &call)
{
    IVM_CHECK(call.check(u"the statement"));
    IVM_TRY(const QByteArray bytes, statementBytes(sql));
    const Interrupter interrupter(m_handle, call);
    Prepared prepared;
    if (duckdb_prepare(m_handle, bytes.constData(), &prepared.handle) != DuckDBSuccess)
        return fail(problem(duckdb_prepare_error(prepared.handle), call));
    QList<Column> columns;
    for (idx_t index = 0; index < duckdb_prepared_statement_column_count(prepared.handle);
         ++index) {
        Column column{.name = QString::fromUtf8(
                          duckdb_prepared_statement_column_name(prepared.handle, index)),
                      .type = {}};
        const LogicalType type(
            duckdb_prepared_statement_column_logical_type(prepared.handle, index));
        IVM_TRY(column.type, trinoType(type.handle, column.name));
        columns.append(std::move(column));
    }
    return columns;
}

}  // namespace ivm::duckdb
