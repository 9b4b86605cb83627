// CREATE [OR REPLACE] TABLE, as far as it makes a table and its rows in one commit.
#include "plugins/executor_duckdb/statement/alter.h"

#include "framework/iceberg/replacement.h"
#include "plugins/executor_duckdb/statement/ddl.h"

#include <QDir>

namespace ivm::duckdb {

namespace {

// A table that is not in the catalog as it will be: a new one, or one that takes another's place.
struct Draft {
    iceberg::Table table;  // without snapshots of its own
    std::optional<iceberg::Table> replaces;
};

Result<std::optional<iceberg::Table>> tableNow(const TableName &name, WarehouseFolder &warehouse)
{
    const auto load = [&]() -> Result<iceberg::Table> {
        IVM_TRY(const auto open, warehouse.reading());
        return iceberg::loadTable(open, name);
    };
    auto table = load();
    if (table)
        return std::optional(*std::move(table));
    if (table.error().kind == ErrorKind::NotFound)
        return std::optional<iceberg::Table>();
    return fail(std::move(table).error());
}

Result<Draft> draftOf(const TableSpec &spec, std::optional<iceberg::Table> replaces,
                      WarehouseFolder &warehouse)
{
    IVM_TRY(const auto open, warehouse.writing());
    IVM_TRY(const auto schemas, open.catalog.schemas());
    if (!schemas.contains(spec.name.schema))
        return fail(notFoundError(QStringLiteral("there is no schema %1").arg(spec.name.schema))
                        .withHint(u"Create it with CREATE SCHEMA"));
    IVM_TRY(const auto table, newTable(spec, warehouse, open.clock.now().toMSecsSinceEpoch()));
    auto metadata = iceberg::makeMetadata(table);
    if (replaces) {
        IVM_TRY(metadata, iceberg::replaced(replaces->metadata, table));
    }
    // A table that could not be read again is not made.
    IVM_CHECK(relationSql({metadata, {}}, WithRow::No));
    return Draft{
        {spec.name, replaces ? replaces->metadataLocation : QString(), std::move(metadata)},
        std::move(replaces)};
}

Result<iceberg::Table> commitDraft(const Draft &draft, const QList<iceberg::DataFile> &files,
                                   WarehouseFolder &warehouse)
{
    IVM_TRY(const auto open, warehouse.writing());
    const iceberg::SnapshotChange first{.operation = iceberg::Operation::Append, .added = files};
    if (draft.replaces)
        return iceberg::commitReplacement(open, *draft.replaces, draft.table.metadata, first);
    return iceberg::createTable(open, draft.table.name, draft.table.metadata, first);
}

// Somebody else made the table meanwhile: now there is one to replace.
Result<StatementResult> conflictIfThere(Error error, bool replace)
{
    if (replace && error.kind == ErrorKind::AlreadyExists)
        error.kind = ErrorKind::Conflict;
    return fail(std::move(error));
}

class TableMaker {
public:
    TableMaker(const sql::CreateTableAs &statement, const StatementContext &context)
        : m_statement(statement), m_context(context),
          m_reader(context.warehouse, context.connection, context.call)
    {
    }

    Result<StatementResult> run()
    {
        IVM_TRY(const TableName name, wholeName(m_statement.name, m_context.warehouse.defaults()));
        IVM_TRY(auto there, tableNow(name, m_context.warehouse));
        const bool replace = m_statement.whenExists == sql::WhenExists::Replace;
        if (there && m_statement.whenExists == sql::WhenExists::Keep)
            return result(0);
        if (there && !replace)
            return fail(
                alreadyExistsError(QStringLiteral("table %1 is there already").arg(name.text())));
        m_reader.restrict(*m_statement.query);
        IVM_TRY(const auto described,
                translateQuery(*m_statement.query, m_context.input(m_reader)));
        IVM_TRY(const TableSpec spec, specOf(name, described.columns));
        IVM_TRY(const Draft draft, draftOf(spec, std::move(there), m_context.warehouse));
        auto made = make(draft);
        const bool isUnknown = !made && made.error().kind == ErrorKind::CommitUnknown;
        if (!made && !draft.replaces && !isUnknown)
            removeFolder(draft.table.metadata);
        return made ? result(*made) : conflictIfThere(std::move(made).error(), replace);
    }

private:
    Result<TableSpec> specOf(const TableName &name, const QList<Column> &columns) const
    {
        sql::CreateTable head{.name = m_statement.name,
                              .whenExists = m_statement.whenExists,
                              .elements = {},
                              .comment = m_statement.comment,
                              .properties = m_statement.properties};
        IVM_TRY(TableSpec spec, tableSpec(head, name, m_context.text));
        spec.columns = columns;
        const auto &aliases = m_statement.columnAliases;
        if (!aliases.empty() && qsizetype(aliases.size()) != columns.size()) {
            return fail(
                placed(invalidError(QStringLiteral(
                                        "there are %1 column names for the %2 columns of the query")
                                        .arg(aliases.size())
                                        .arg(columns.size())),
                       aliases.front().span, m_context.text));
        }
        for (size_t i = 0; i < aliases.size(); ++i)
            spec.columns[qsizetype(i)].name = aliases[i].value;
        return spec;
    }

    // How many rows the table has now.
    Result<qint64> make(const Draft &draft)
    {
        if (m_statement.withData)
            return makeWithRows(draft);
        IVM_CHECK(commitDraft(draft, {}, m_context.warehouse));
        return 0;
    }

    Result<qint64> makeWithRows(const Draft &draft)
    {
        IVM_TRY(const QString rows, rowsFor(draft.table));
        IVM_TRY(NewFiles files,
                writeFiles(draft.table, rows, m_context.connection, m_context.call));
        const qint64 count = files.rows();
        const auto committed = commitDraft(draft, files.files(), m_context.warehouse);
        if (committed || committed.error().kind == ErrorKind::CommitUnknown)
            files.keep();
        IVM_CHECK(committed);
        return count;
    }

    // The query's rows under the names and of the types of the table's columns.
    Result<QString> rowsFor(const iceberg::Table &table)
    {
        const auto columns = iceberg::columnsOf(table.metadata.currentSchema());
        IVM_TRY(const auto translated,
                translateInsert(*m_statement.query, columns, m_context.input(m_reader)));
        QStringList positions;
        QStringList values;
        for (const auto &column : columns) {
            IVM_TRY(const QString type, duckdbType(column.type));
            positions.append(QStringLiteral("v%1").arg(positions.size()));
            values.append(QStringLiteral("CAST(%1 AS %2) AS %3")
                              .arg(positions.back(), type, quotedIdentifier(column.name)));
        }
        return QStringLiteral("SELECT %1 FROM (%2) AS v(%3)")
            .arg(values.join(QStringLiteral(", ")), translated.sql,
                 positions.join(QStringLiteral(", ")));
    }

    StatementResult result(qint64 rows) const
    {
        const auto counts = m_reader.counts();
        return {.statementId = {},
                .updateType = QStringLiteral("CREATE TABLE"),
                .rowsAffected = rows,
                .rowsRead = counts.rows,
                .bytesRead = counts.bytes};
    }

    static void removeFolder(const iceberg::TableMetadata &metadata)
    {
        if (const auto folder = localPath(metadata.location))
            QDir(*folder).removeRecursively();
    }

    const sql::CreateTableAs &m_statement;
    const StatementContext &m_context;
    TableReader m_reader;
};

}  // namespace

Result<StatementResult> runCreateTableAs(const sql::CreateTableAs &create,
                                         const StatementContext &context)
{
    auto made = retried(context.call, [&] { return TableMaker(create, context).run(); });
    if (!made && made.error().kind == ErrorKind::AlreadyExists)
        return fail(placed(std::move(made).error(), create.name.span, context.text));
    return made;
}

Result<StatementResult> runReplaceTable(const sql::CreateTable &statement,
                                        const AlterContext &context)
{
    return retried(context.call, [&]() -> Result<StatementResult> {
        IVM_TRY(const TableName name, wholeName(statement.name, context.warehouse.defaults()));
        IVM_TRY(const TableSpec spec, tableSpec(statement, name, context.text));
        IVM_TRY(auto there, tableNow(name, context.warehouse));
        IVM_TRY(const Draft draft, draftOf(spec, std::move(there), context.warehouse));
        const auto made = commitDraft(draft, {}, context.warehouse);
        if (!made)
            return conflictIfThere(made.error(), true);
        return StatementResult{.statementId = {}, .updateType = QStringLiteral("CREATE TABLE")};
    });
}

}  // namespace ivm::duckdb
