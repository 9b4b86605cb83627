#include "plugins/store_iceberg/tables.h"

#include <QCryptographicHash>

namespace ivm::store_iceberg {

namespace {

const Type kText{.kind = TypeKind::Varchar};
const Type kNumber{.kind = TypeKind::Bigint};
const Type kTime{.kind = TypeKind::TimestampWithTimeZone, .precision = 6};

Column column(const char *name, const Type &type, const char *comment = "")
{
    return {
        .name = QString::fromLatin1(name), .type = type, .comment = QString::fromLatin1(comment)};
}

}  // namespace

HistoryTables historyTables(const QString &catalog, const QString &schema)
{
    const auto named = [&](const char *name) {
        return TableName{catalog, schema, QString::fromLatin1(name)};
    };
    return {.history = named("migration_history"),
            .events = named("migration_events"),
            .views = named("migration_views"),
            .locks = named("migration_lock")};
}

QList<TableSpec> tableSpecs(const HistoryTables &tables)
{
    return {
        {.name = tables.history,
         .columns = {column("version", kNumber), column("namespace", kText),
                     column("description", kText), column("applied_at", kTime),
                     column("status", kText, "applied, rolled_back or failed"),
                     column("error", kText),
                     column("checksum", kText, "SHA-256 of the file with LF line ends"),
                     column("duration_ms", kNumber), column("applied_by", kText)},
         .comment = QStringLiteral("iceberg-ivm: how each migration stands, one row for each "
                                   "version and namespace")},
        {.name = tables.events,
         .columns = {column("event_id", kText), column("at", kTime), column("version", kNumber),
                     column("namespace", kText), column("event", kText),
                     column("step", kNumber, "from 1; 0: the migration as a whole"),
                     column("actor", kText), column("host", kText), column("tool_version", kText),
                     column("checksum", kText), column("detail", kText, "JSON")},
         .comment = QStringLiteral("iceberg-ivm: what migrations did, step by step; rows are only "
                                   "added")},
        {.name = tables.views,
         .columns = {column("name", kText), column("namespace", kText),
                     column("version", kNumber, "of the migration that gave it this definition"),
                     column("definition", kText, "JSON, as an entry of views.yaml"),
                     column("earlier", kText, "JSON: what a downgrade brings back"),
                     column("held", kText, "JSON: snapshots of the target that must be kept")},
         .comment = QStringLiteral("iceberg-ivm: the views that migrations made, and their "
                                   "definitions")},
        {.name = tables.locks,
         .columns = {column("namespace", kText), column("token", kText), column("owner", kText),
                     column("machine", kText), column("pid", kNumber), column("started", kNumber),
                     column("doing", kText), column("since", kTime), column("heartbeat", kTime),
                     column("lifetime_seconds", kNumber)},
         .comment = QStringLiteral("iceberg-ivm: who runs migrations now, a row for each namespace "
                                   "that is being changed. Not to be partitioned: of several that "
                                   "race one must win")},
    };
}

StateTables stateTables(const QString &catalog, const QString &schema)
{
    const auto named = [&](const char *name) {
        return TableName{catalog, schema, QString::fromLatin1(name)};
    };
    return {.views = named("view_state"),
            .leases = named("view_leases"),
            .records = named("view_records")};
}

QList<TableSpec> tableSpecs(const StateTables &tables)
{
    const QList<PartitionField> byShard{
        {.transform = Transform::Identity, .column = QStringLiteral("shard")}};
    return {
        {.name = tables.views,
         .columns = {column("shard", kText, "made from the view's name"), column("view", kText),
                     column("target", kText),
                     column("token", kText, "of the last write: another one lost its lease"),
                     column("bookmark", kText, "JSON: what the target's rows are right for"),
                     column("intent", kText, "JSON: a commit whose outcome is not recorded yet")},
         .partitioning = byShard,
         .comment = QStringLiteral("iceberg-ivm: where each view stands")},
        {.name = tables.leases,
         .columns = {column("shard", kText, "made from the target's name"), column("target", kText),
                     column("token", kText), column("owner", kText), column("machine", kText),
                     column("pid", kNumber), column("started", kNumber), column("since", kTime),
                     column("until", kTime)},
         .partitioning = byShard,
         .comment = QStringLiteral("iceberg-ivm: who refreshes which target now. Not to be "
                                   "partitioned otherwise: of several that race one must win")},
        {.name = tables.records,
         .columns = {column("id", kText), column("view", kText), column("recorded", kTime),
                     column("started", kTime),
                     column("action", kText, "none, incremental, diff, rebuild or error"),
                     column("reason", kText), column("seconds", {.kind = TypeKind::Double}),
                     column("rows_read", kNumber), column("rows_written", kNumber),
                     column("rows_deleted", kNumber), column("statement_id", kText),
                     column("error", kText)},
         .comment = QStringLiteral("iceberg-ivm: the last refreshes of each view")},
    };
}

QString shardOf(const QString &key)
{
    const auto hash = QCryptographicHash::hash(key.toUtf8(), QCryptographicHash::Sha256);
    return QString::fromLatin1(hash.left(1).toHex());
}

}  // namespace ivm::store_iceberg
