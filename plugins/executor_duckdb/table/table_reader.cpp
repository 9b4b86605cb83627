#include "plugins/executor_duckdb/table/table_reader.h"

#include "framework/iceberg/schema_change.h"
#include "framework/iceberg/snapshot_log.h"
#include "plugins/executor_duckdb/table/metadata_tables.h"
#include "plugins/executor_duckdb/table/table_functions.h"

#include <algorithm>

namespace ivm::duckdb {

namespace {

// A statement with more constants than these to look at is not worth the trouble.
constexpr int kMostEvaluations = 256;
// Tables whose files may lack field ids say so (Iceberg table spec, "Column Projection").
const QString kNameMapping = QStringLiteral("schema.name-mapping.default");

// Whether the table was replaced since: its head has nothing in common with the snapshot.
bool isReplacedSince(const iceberg::TableMetadata &metadata, const iceberg::Snapshot &snapshot)
{
    QList<iceberg::SnapshotNode> nodes;
    for (const auto &known : metadata.snapshots)
        nodes.append({known.id, known.parent, {}});
    const auto path = iceberg::SnapshotLog(nodes).path(snapshot.id, *metadata.currentSnapshotId);
    return path ? !path->ancestor
                : !canReadAs(metadata.schemaOf(snapshot), metadata.currentSchema());
}

// The table with the columns that a snapshot is read with: those of now, but those of its time when
// it is from before the table was replaced.
iceberg::Table readAs(const iceberg::Table &table, const std::optional<SnapshotId> &snapshot)
{
    iceberg::Table read = table;
    auto &metadata = read.metadata;
    const auto *at = snapshot ? metadata.snapshot(*snapshot) : nullptr;
    if (at && metadata.currentSnapshotId && at->id != *metadata.currentSnapshotId &&
        isReplacedSince(metadata, *at))
        metadata.currentSchemaId = metadata.schemaOf(*at).id;
    return read;
}

}  // namespace

Result<TableName> wholeName(const sql::QualifiedName &name, const TableName &defaults)
{
    QStringList parts;
    for (const auto &part : name.parts)
        parts.append(part.value.toLower());
    if (parts.size() > 3)
        return fail(invalidError(QStringLiteral("'%1' is not a table name").arg(parts.join(u'.')))
                        .withHint(u"Write table, schema.table or catalog.schema.table"));
    if (parts.size() == 3 && parts[0] != defaults.catalog)
        return fail(
            notFoundError(QStringLiteral("catalog '%1' does not exist").arg(parts[0]))
                .withHint(
                    QStringLiteral("This executor's catalog is called %1").arg(defaults.catalog)));
    return TableName{defaults.catalog, parts.size() > 1 ? parts[parts.size() - 2] : defaults.schema,
                     parts.back()};
}

std::optional<iceberg::ScanFilter> mainFilter(const QList<iceberg::ScanFilter> &filters,
                                              const iceberg::TableMetadata &metadata)
{
    if (filters.isEmpty())
        return {};
    for (const auto &filter : filters) {
        const auto &fields = metadata.defaultSpec().fields;
        if (std::ranges::any_of(
                fields, [&](const auto &field) { return field.sourceId == filter.fieldId; }))
            return filter;
    }
    return filters.front();
}

void TableReader::restrict(const sql::Query &query) { m_restrictions = restrictionsOf(query); }

Result<const iceberg::Table *> TableReader::load(const TableName &name)
{
    const auto known = m_tables.find(name);
    if (known != m_tables.end())
        return &known->second;
    IVM_TRY(const auto warehouse, m_warehouse.reading());
    IVM_TRY(iceberg::Table table, iceberg::loadTable(warehouse, name));
    return &m_tables.emplace(name, std::move(table)).first->second;
}

Result<iceberg::LiveFiles> TableReader::files(const iceberg::Table &table,
                                              const std::optional<SnapshotId> &snapshot,
                                              const FileFilter &filter)
{
    if (!snapshot)
        return iceberg::LiveFiles{};
    const auto *at = table.metadata.snapshot(*snapshot);
    if (!at)
        return fail(notFoundError(QStringLiteral("table %1 has no snapshot %2")
                                      .arg(table.name.text(), QString::number(*snapshot)))
                        .withHint(u"Its snapshots are in \"<table>$snapshots\""));
    IVM_TRY(const auto warehouse, m_warehouse.reading());
    IVM_TRY(auto live, iceberg::liveFiles(warehouse.io, table.metadata, *at,
                                          mainFilter(filter.columns, table.metadata), m_call));
    std::erase_if(live.data,
                  [&](const auto &file) { return !mayMatch(file.file, filter, table.metadata); });
    count(live);
    IVM_CHECK(checkFieldIds(table, live));
    IVM_CHECK(checkEqualityDeletes(live));
    return live;
}

Status TableReader::checkFieldIds(const iceberg::Table &table, const iceberg::LiveFiles &files)
{
    if (!table.metadata.properties.contains(kNameMapping) || files.data.empty())
        return {};
    QStringList literals;
    for (const auto &file : files.data) {
        IVM_TRY(const QString path, localPath(file.file.path));
        literals.append(quotedLiteral(path));
    }
    const QString sql =
        QStringLiteral("SELECT min(file_name) FROM parquet_schema(%1) WHERE field_id IS NULL AND "
                       "num_children IS NULL AND name NOT IN ('element', 'key', 'value')")
            .arg(listSql(literals));
    IVM_TRY(const auto rows, m_connection.rows(sql, {}, m_call));
    if (!rows.empty() && !rows.front().front().isNull()) {
        return fail(
            unsupportedError(
                QStringLiteral("data file %1 of table %2 has columns without field ids, which this "
                               "engine cannot read")
                    .arg(rows.front().front().text(), table.name.text()))
                .withHint(u"Rewrite it with the program that added it"));
    }
    return {};
}

// A column that such a file has not would be read as NULL, and rows be deleted that it does not
// mean.
Status TableReader::checkEqualityDeletes(const iceberg::LiveFiles &files)
{
    QSet<qsizetype> used;
    for (const auto &data : files.data)
        used.unite(QSet<qsizetype>(data.deletes.begin(), data.deletes.end()));
    for (const qsizetype index : std::as_const(used)) {
        const auto &file = files.deletes[size_t(index)].file;
        if (file.content != iceberg::FileContent::EqualityDeletes)
            continue;
        IVM_TRY(const QString path, localPath(file.path));
        IVM_TRY(const auto rows,
                m_connection.rows(QStringLiteral("SELECT field_id FROM parquet_schema(%1) WHERE "
                                                 "field_id IS NOT NULL")
                                      .arg(quotedLiteral(path)),
                                  {}, m_call));
        QSet<qint64> ids;
        for (const auto &row : rows) {
            if (const auto *id = std::get_if<qint64>(&row.front().data))
                ids.insert(*id);
        }
        for (const int id : file.equalityIds) {
            if (!ids.contains(id))
                return fail(corruptError(
                    QStringLiteral("file %1 deletes rows by column %2, which it does not have")
                        .arg(path, QString::number(id))));
        }
    }
    return {};
}

void TableReader::count(const iceberg::LiveFiles &files)
{
    QSet<QString> paths;
    const auto add = [&](const iceberg::DataFile &file) {
        if (const auto path = localPath(file.path))
            paths.insert(*path);
        if (m_counted.contains(file.path))
            return;
        m_counted.insert(file.path);
        ++m_counts.files;
        m_counts.rows += file.recordCount;
        m_counts.bytes += file.sizeInBytes;
    };
    for (const auto &live : files.data) {
        add(live.file);
        for (const qsizetype index : live.deletes)
            add(files.deletes[size_t(index)].file);
    }
    m_connection.readsFiles(paths);
}

FileFilter TableReader::filterOf(const sql::ExprPtr &where, const iceberg::Table &table)
{
    return where ? filterOf({{table.name.table, true}, where}, table) : FileFilter();
}

FileFilter TableReader::filterOf(const Restriction &restriction, const iceberg::Table &table)
{
    return fileFilter(restriction, table.metadata.currentSchema(),
                      [this](const sql::ExprPtr &constant) { return evaluate(constant); });
}

// By the engine itself, so that its calendar is the one that decides.
std::optional<QString> TableReader::evaluate(const sql::ExprPtr &constant)
{
    if (++m_evaluated > kMostEvaluations)
        return {};
    sql::SelectItem item;
    item.expression = constant;
    sql::Select select;
    select.items.push_back(item);
    sql::Query query;
    query.body = std::make_shared<sql::QueryBody>(sql::QueryBody{.node = select, .span = {}});
    const auto translated = translateQuery(query, {.text = {}, .relations = *this});
    if (!translated || translated->columns.size() != 1)
        return {};
    const auto rows =
        m_connection.rows(translated->sql, {translated->columns.front().type}, m_call);
    if (!rows || rows->size() != 1 || rows->front().front().isNull())
        return {};
    return rows->front().front().text();
}

Result<std::optional<SnapshotId>> TableReader::snapshotOf(const iceberg::Table &table,
                                                          const TableVersion &version) const
{
    if (const auto *id = std::get_if<SnapshotId>(&version))
        return *id;
    if (const auto *name = std::get_if<QString>(&version)) {
        if (const auto ref = table.metadata.refs.constFind(*name);
            ref != table.metadata.refs.cend())
            return ref->snapshot;
        if (*name != iceberg::kMainBranch)
            return fail(notFoundError(QStringLiteral("table %1 has no branch or tag '%2'")
                                          .arg(table.name.text(), *name)));
    }
    return table.metadata.currentSnapshotId;
}

Result<BoundRelation> TableReader::table(const sql::QualifiedName &name,
                                         const TableVersion &version)
{
    IVM_TRY(TableName whole, wholeName(name, m_warehouse.defaults()));
    if (const auto metadataTable = metadataTableName(whole.table)) {
        if (!std::holds_alternative<std::monostate>(version))
            return fail(unsupportedError(
                QStringLiteral("metadata table '%1' has no versions").arg(whole.table)));
        whole.table = metadataTable->table;
        IVM_TRY(const auto *source, load(whole));
        IVM_TRY(const auto warehouse, m_warehouse.reading());
        return metadataRelation(*source, metadataTable->suffix, warehouse.io, m_call);
    }
    IVM_TRY(const auto *found, load(whole));
    IVM_TRY(const auto snapshot, snapshotOf(*found, version));
    const iceberg::Table read = readAs(*found, snapshot);
    const auto restriction = m_restrictions.constFind(name.span.begin);
    const auto filter =
        restriction == m_restrictions.cend() ? FileFilter() : filterOf(*restriction, read);
    IVM_TRY(auto live, files(read, snapshot, filter));
    IVM_TRY(const QString sql, relationSql({read.metadata, std::move(live)}, WithRow::No));
    const Column path{.name = kPathColumn.toString(), .type = {.kind = TypeKind::Varchar}};
    return BoundRelation{.name = whole,
                         .columns = iceberg::columnsOf(read.metadata.currentSchema()),
                         .sql = sql,
                         .hidden = {path}};
}

Result<BoundRelation> TableReader::tableFunction(const QString &name,
                                                 const QList<FunctionArgument> &arguments)
{
    return fileRelation(name, arguments, m_connection, m_call);
}

}  // namespace ivm::duckdb
