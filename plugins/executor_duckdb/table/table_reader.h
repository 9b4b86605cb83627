// The tables that one statement reads: each at one state for as long as the statement runs.
//
// Threads: one. Lifetime: one statement; warehouse, connection and call outlive it.
#pragma once

#include "framework/base/call.h"
#include "plugins/executor_duckdb/engine/connection.h"
#include "plugins/executor_duckdb/table/prune.h"
#include "plugins/executor_duckdb/table/relation.h"
#include "plugins/executor_duckdb/table/warehouse_folder.h"
#include "plugins/executor_duckdb/translate/translate.h"

#include <QSet>

namespace ivm::duckdb {

// What was read, by the lists of files that were left after pruning; each file counts once.
struct ReadCounts {
    qint64 files = 0;
    qint64 rows = 0;
    qint64 bytes = 0;
};

class TableReader final : public RelationSource {
public:
    TableReader(WarehouseFolder &warehouse, Connection &connection, const Call &call)
        : m_warehouse(warehouse), m_connection(connection), m_call(call)
    {
        m_connection.readsNoFiles();
    }

    // Conditions that rows have to meet, for pruning; before the query is translated.
    void restrict(const sql::Query &query);

    // The table as the statement sees it. NotFound, Unavailable, Corrupt, Unsupported.
    Result<const iceberg::Table *> load(const TableName &name);
    // The files of the head, without those that cannot hold rows that pass every filter. Counted.
    Result<iceberg::LiveFiles> files(const iceberg::Table &table,
                                     const std::optional<SnapshotId> &snapshot,
                                     const FileFilter &filter);
    // What a WHERE over one row of the table says about its files.
    FileFilter filterOf(const sql::ExprPtr &where, const iceberg::Table &table);
    FileFilter filterOf(const Restriction &restriction, const iceberg::Table &table);

    Result<BoundRelation> table(const sql::QualifiedName &name,
                                const TableVersion &version) override;
    Result<BoundRelation> tableFunction(const QString &name,
                                        const QList<FunctionArgument> &arguments) override;

    ReadCounts counts() const { return m_counts; }

private:
    Result<std::optional<SnapshotId>> snapshotOf(const iceberg::Table &table,
                                                 const TableVersion &version) const;
    std::optional<QString> evaluate(const sql::ExprPtr &constant);
    Status checkFieldIds(const iceberg::Table &table, const iceberg::LiveFiles &files);
    Status checkEqualityDeletes(const iceberg::LiveFiles &files);
    void count(const iceberg::LiveFiles &files);

    WarehouseFolder &m_warehouse;
    Connection &m_connection;
    const Call &m_call;
    QHash<qsizetype, Restriction> m_restrictions;
    std::map<TableName, iceberg::Table> m_tables;
    QSet<QString> m_counted;
    ReadCounts m_counts;
    int m_evaluated = 0;
};

// A name of one to three parts as a table's, completed from `defaults`. Invalid for more parts;
// NotFound for another catalog.
Result<TableName> wholeName(const sql::QualifiedName &name, const TableName &defaults);

// The filter that prunes best, for liveFiles(): of a column that the table is partitioned by, else
// any; none without filters.
std::optional<iceberg::ScanFilter> mainFilter(const QList<iceberg::ScanFilter> &filters,
                                              const iceberg::TableMetadata &metadata);

}  // namespace ivm::duckdb
