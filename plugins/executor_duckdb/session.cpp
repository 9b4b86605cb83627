#include "plugins/executor_duckdb/session.h"

#include "framework/base/overloaded.h"
#include "framework/sql/parser.h"
#include "plugins/executor_duckdb/statement/alter.h"
#include "plugins/executor_duckdb/statement/ddl.h"
#include "plugins/executor_duckdb/statement/replace.h"
#include "plugins/executor_duckdb/statement/statement.h"

namespace ivm::duckdb {

Result<Connection *> EmbeddedSession::connection()
{
    if (!m_connection || m_database->isBroken()) {
        m_connection.reset();
        IVM_TRY(m_database, m_executor.database());
        IVM_TRY(m_connection, Connection::open(m_database, sessionSettings()));
    }
    return m_connection.get();
}

Result<StatementResult> EmbeddedSession::run(const QString &sql, RowSink &sink, const Call &outer)
{
    const Call call = outer.within(m_statementTimeout);
    IVM_CHECK(call.check(u"the statement"));
    IVM_TRY(const sql::Statement statement, sql::parseStatement(sql));
    auto &warehouse = m_executor.warehouse();
    using Outcome = Result<StatementResult>;
    const auto with = [&](const auto &run, const auto &node) -> Outcome {
        IVM_TRY(Connection * open, connection());
        return run(node, StatementContext{warehouse, *open, sql, call});
    };
    const Overloaded runners{
        [&](const sql::Query &node) -> Outcome {
            IVM_TRY(Connection * open, connection());
            return runQuery(node, sink, {warehouse, *open, sql, call});
        },
        [&](const sql::CreateSchema &node) -> Outcome { return runCreateSchema(node, warehouse); },
        [&](const sql::DropSchema &node) -> Outcome { return runDropSchema(node, warehouse); },
        [&](const sql::CreateTable &node) -> Outcome {
            return node.whenExists == sql::WhenExists::Replace
                       ? runReplaceTable(node, {warehouse, sql, call})
                       : runCreateTable(node, warehouse, sql);
        },
        [&](const sql::CreateTableAs &node) -> Outcome { return with(runCreateTableAs, node); },
        [&](const sql::DropTable &node) -> Outcome { return runDropTable(node, warehouse); },
        [&](const sql::TruncateTable &node) -> Outcome { return with(runTruncate, node); },
        [&](const sql::Insert &node) -> Outcome { return with(runInsert, node); },
        [&](const sql::Delete &node) -> Outcome { return with(runDelete, node); },
        [&](const sql::Update &node) -> Outcome { return with(runUpdate, node); },
        [&](const sql::TableExecute &node) -> Outcome {
            IVM_TRY(Connection * open, connection());
            return runTableExecute(node, m_executor.horizon(), {warehouse, *open, sql, call});
        },
        [&](const sql::ShowTables &node) -> Outcome {
            return runShowTables(node, warehouse, sink);
        },
        [&](const sql::ShowSchemas &node) -> Outcome {
            return runShowSchemas(node, warehouse, sink);
        },
        [&](const sql::ShowColumns &node) -> Outcome {
            return runShowColumns(node, warehouse, sink);
        },
        [&](const sql::Merge &node) -> Outcome { return with(runMerge, node); },
        [&](const auto &node) -> Outcome { return runAlter(node, {warehouse, sql, call}); },
    };
    auto outcome = std::visit(runners, statement.node);
    // What DuckDB says has no place in this text.
    if (!outcome && outcome.error().code == u"engine_refused")
        return fail(std::move(outcome).error().at(sql::placeOf(sql, 0)));
    return outcome;
}

Result<QList<Column>> EmbeddedSession::describe(const QString &sql, const Call &call)
{
    IVM_CHECK(call.check(u"describing a query"));
    IVM_TRY(const sql::Query query, sql::parseQuery(sql));
    IVM_TRY(Connection * open, connection());
    TableReader reader(m_executor.warehouse(), *open, call);
    IVM_TRY(const auto translated, translateQuery(query, {sql, reader}));
    return translated.columns;
}

Result<TableInfo> EmbeddedSession::tableInfo(const TableName &name, const Call &call)
{
    IVM_CHECK(call.check(u"looking at a table"));
    IVM_TRY(const auto warehouse, m_executor.warehouse().reading());
    IVM_TRY(const auto table, iceberg::loadTable(warehouse, name));
    const auto &metadata = table.metadata;
    const auto *head = metadata.currentSnapshot();
    return TableInfo{
        .name = name,
        .columns = iceberg::columnsOf(metadata.currentSchema()),
        .partitioning = iceberg::partitioningOf(metadata.defaultSpec(), metadata.currentSchema()),
        .sortedBy = iceberg::sortedByOf(metadata.defaultSortOrder(), metadata.currentSchema()),
        .head = table.head(),
        .headSummary = head ? head->summary : QMap<QString, QString>(),
        .comment = metadata.properties.value(QStringLiteral("comment"))};
}

Status EmbeddedSession::createTable(const TableSpec &spec, const Call &call)
{
    IVM_CHECK(call.check(u"making a table"));
    IVM_CHECK(duckdb::createTable(m_executor.warehouse(), spec, MissingSchema::Make));
    return {};
}

Status EmbeddedSession::dropTable(const TableName &name, const Call &call)
{
    IVM_CHECK(call.check(u"dropping a table"));
    return duckdb::dropTable(m_executor.warehouse(), name);
}

Result<CommitResult> EmbeddedSession::commit(const Change &change, const Intent &intent,
                                             const IntentRecorder &, const Call &outer)
{
    const Call call = outer.within(m_statementTimeout);
    IVM_CHECK(call.check(u"the commit"));
    IVM_TRY(Connection * open, connection());
    return replaceRows(change, intent, m_executor.warehouse(), *open, call);
}

Result<Settlement> EmbeddedSession::settle(const Intent &intent, const Call &call)
{
    return settleIntent(intent, m_executor.warehouse(), call);
}

}  // namespace ivm::duckdb
