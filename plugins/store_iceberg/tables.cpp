#include "plugins/store_iceberg/tables.h"

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

}  // namespace ivm::store_iceberg
