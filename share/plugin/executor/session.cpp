#include "session.h"

using namespace ivm;

namespace example_plugin {

// Errors by kind (framework/api/executor.h): NotFound for a table, AlreadyExists, Invalid with the
// line and column, Unsupported, Unavailable; CommitUnknown when the answer to a writing statement
// was lost.
Result<StatementResult> ExampleSession::run(const QString &sql, RowSink &sink, const Call &call)
{
    const Call limited = call.within(m_options.statementTimeout);
    IVM_CHECK(limited.check(u"the statement"));
    return m_connection->run(sql, sink, limited);
}

Result<TableSpec> ExampleSession::tableSpec(const TableName &name, const Call &call)
{
    return m_connection->tableSpec(name, call);
}

// Here a statement ends with its process. Where statements go on in a server, ask it whether that
// one has ended, or kill it; and say in isAtWork() whether one of a purpose still runs.
Result<bool> ExampleSession::hasEnded(const Intent &, const Call &) { return true; }

}  // namespace example_plugin
