// ALTER TABLE … EXECUTE optimize, rollback_to_snapshot, expire_snapshots.
#include "framework/iceberg/schema_change.h"
#include "plugins/executor_duckdb/statement/expire.h"

#include <QRegularExpression>

#include <algorithm>

namespace ivm::duckdb {

namespace {

constexpr qint64 kMegabyte = 1024 * 1024;
constexpr qint64 kDefaultThreshold = 100 * kMegabyte;  // Trino's

Result<qint64> sizeOf(const QString &text)
{
    static const QRegularExpression shape(
        QStringLiteral(R"(^\s*(\d{1,12})(\.\d+)?\s*(B|kB|MB|GB|TB)\s*$)"));
    static const QMap<QString, qint64> units{{QStringLiteral("B"), 1},
                                             {QStringLiteral("kB"), 1024},
                                             {QStringLiteral("MB"), kMegabyte},
                                             {QStringLiteral("GB"), 1024 * kMegabyte},
                                             {QStringLiteral("TB"), 1024 * 1024 * kMegabyte}};
    const auto match = shape.match(text);
    if (!match.hasMatch())
        return fail(invalidError(QStringLiteral("'%1' is not a size, as in '100MB'").arg(text)));
    return static_cast<qint64>(QString(match.captured(1) + match.captured(2)).toDouble() *
                               static_cast<double>(units.value(match.captured(3))));
}

Result<qint64> thresholdOf(const sql::TableExecute &statement, QStringView text)
{
    qint64 threshold = kDefaultThreshold;
    for (const auto &argument : statement.arguments) {
        const auto *value = sql::as<sql::StringLiteral>(argument.value);
        const bool named = argument.name && argument.name->value == u"file_size_threshold";
        if (!named || !value) {
            return fail(
                placed(invalidError(QStringLiteral(
                           "optimize takes file_size_threshold => '100MB' and nothing else")),
                       argument.value->span, text));
        }
        auto size = sizeOf(value->value);
        if (!size)
            return fail(placed(std::move(size).error(), argument.value->span, text));
        threshold = *size;
    }
    return threshold;
}

size_t partitionHash(const iceberg::DataFile &file)
{
    return qHashMulti(0, file.specId, file.partition);
}

// Files to write again: those with row-level deletes or of an old partition spec, and small ones
// that are not alone.
iceberg::LiveFiles filesToMerge(const iceberg::LiveFiles &live,
                                const iceberg::TableMetadata &metadata, qint64 threshold)
{
    const auto isStale = [&](const iceberg::LiveFile &file) {
        return !file.deletes.isEmpty() || file.file.specId != metadata.defaultSpecId;
    };
    QHash<size_t, int> small;
    for (const auto &file : live.data) {
        if (isStale(file) || file.file.sizeInBytes < threshold)
            ++small[partitionHash(file.file)];
    }
    iceberg::LiveFiles merge{.data = {}, .deletes = live.deletes};
    for (const auto &file : live.data) {
        const bool joins =
            file.file.sizeInBytes < threshold && small.value(partitionHash(file.file)) > 1;
        if (isStale(file) || joins)
            merge.data.push_back(file);
    }
    return merge;
}

// The merged data files, and the delete files that no other data file needs.
QStringList removedBy(const iceberg::LiveFiles &merge, const iceberg::LiveFiles &live)
{
    QSet<QString> merged;
    QStringList removed;
    for (const auto &file : merge.data) {
        merged.insert(file.file.path);
        removed.append(file.file.path);
    }
    std::vector<bool> needed(live.deletes.size(), false);
    for (const auto &file : live.data) {
        for (const qsizetype index : file.deletes)
            needed[size_t(index)] = needed[size_t(index)] || !merged.contains(file.file.path);
    }
    for (size_t i = 0; i < live.deletes.size(); ++i) {
        if (!needed[i])
            removed.append(live.deletes[i].file.path);
    }
    return removed;
}

Result<StatementResult> optimize(const TableName &name, qint64 threshold,
                                 const StatementContext &context)
{
    TableReader reader(context.warehouse, context.connection, context.call);
    IVM_TRY(const auto *table, reader.load(name));
    IVM_TRY(const auto live, reader.files(*table, table->metadata.currentSnapshotId, {}));
    const auto merge = filesToMerge(live, table->metadata, threshold);
    const StatementResult done{.statementId = {},
                               .updateType = QStringLiteral("ALTER TABLE EXECUTE")};
    if (merge.data.empty())
        return done;
    const QStringList removed = removedBy(merge, live);
    IVM_TRY(const QString rows, relationSql({table->metadata, merge}, WithRow::No));
    const QString select = QStringLiteral("SELECT %1 FROM %2 AS t").arg(columnList(*table), rows);
    IVM_TRY(NewFiles files, writeFiles(*table, select, context.connection, context.call));
    IVM_TRY(const auto warehouse, context.warehouse.writing());
    IVM_CHECK(commitFiles(warehouse, *table,
                          {.operation = iceberg::Operation::Replace, .removed = removed}, files));
    return done;
}

Result<SnapshotId> snapshotArgument(const sql::TableExecute &statement, QStringView text)
{
    const bool one = statement.arguments.size() == 1;
    const auto &argument = one ? statement.arguments.front() : sql::CallArgument{};
    const auto *id = sql::as<sql::IntegerLiteral>(argument.value);
    const bool named = !argument.name || argument.name->value == u"snapshot_id";
    if (!id || !named) {
        return fail(
            placed(invalidError(QStringLiteral("rollback_to_snapshot takes the id of a snapshot")),
                   statement.procedure.span, text)
                .withHint(u"The ids are in \"<table>$snapshots\""));
    }
    return id->value;
}

Result<StatementResult> rollBack(const TableName &name, SnapshotId snapshot,
                                 const StatementContext &context)
{
    IVM_TRY(const auto warehouse, context.warehouse.writing());
    IVM_TRY(const auto table, iceberg::loadTable(warehouse, name));
    // The columns stay as they are now, so its rows have to be readable as those.
    const auto *before = table.metadata.snapshot(snapshot);
    if (before &&
        !iceberg::canReadAs(table.metadata.schemaOf(*before), table.metadata.currentSchema())) {
        return fail(
            unsupportedError(
                QStringLiteral(
                    "table %1 cannot go back to snapshot %2: its columns had other types")
                    .arg(name.text(), QString::number(snapshot)))
                .withHint(u"CREATE OR REPLACE TABLE … AS SELECT * FROM … FOR VERSION AS OF the "
                          u"snapshot brings its rows and columns back"));
    }
    IVM_CHECK(iceberg::setCurrentSnapshot(warehouse, table, snapshot));
    return StatementResult{.statementId = {}, .updateType = QStringLiteral("ALTER TABLE EXECUTE")};
}

}  // namespace

Result<StatementResult> runTableExecute(const sql::TableExecute &statement,
                                        const SafeHorizon &horizon, const StatementContext &context)
{
    IVM_TRY(const TableName name, wholeName(statement.table, context.warehouse.defaults()));
    const QString procedure = statement.procedure.value.toLower();
    if (statement.where) {
        return fail(
            placed(unsupportedError(
                       QStringLiteral("EXECUTE %1 … WHERE is not supported by the embedded engine")
                           .arg(procedure)),
                   statement.where->span, context.text));
    }
    if (procedure == u"optimize") {
        IVM_TRY(const qint64 threshold, thresholdOf(statement, context.text));
        return retried(context.call, [&] { return optimize(name, threshold, context); });
    }
    if (procedure == u"rollback_to_snapshot") {
        IVM_TRY(const SnapshotId snapshot, snapshotArgument(statement, context.text));
        return retried(context.call, [&] { return rollBack(name, snapshot, context); });
    }
    if (procedure == u"expire_snapshots")
        return expireSnapshots(name, statement, horizon, context);
    return fail(placed(
        unsupportedError(
            QStringLiteral("procedure '%1' is not supported by the embedded engine").arg(procedure))
            .withHint(u"There are optimize, expire_snapshots and rollback_to_snapshot"),
        statement.procedure.span, context.text));
}

}  // namespace ivm::duckdb
