#include "plugins/store_sqlite/schema.h"

#include <QThread>

namespace ivm::sqlite {

namespace {

Result<qint64> number(Database &database, const QString &sql)
{
    IVM_TRY(auto query, database.run(sql));
    return query.next() ? query.value(0).toLongLong() : 0;
}

Result<qint64> versionOf(Database &database, qsizetype known)
{
    IVM_TRY(const qint64 version, number(database, QStringLiteral("PRAGMA user_version")));
    IVM_TRY(const qint64 mark, number(database, QStringLiteral("PRAGMA application_id")));
    if (mark != kApplicationId) {
        IVM_TRY(const qint64 tables,
                number(database, QStringLiteral("SELECT count(*) FROM sqlite_master")));
        if (mark != 0 || version != 0 || tables != 0)
            return fail(invalidError(database.about(u"this is the database of another program"))
                            .withCode(u"state_foreign")
                            .withHint(u"Set state.path in the configuration to another file"));
    }
    if (version > known)
        return fail(
            unsupportedError(
                database.about(
                    QStringLiteral("it has schema version %1, this program knows versions up to %2")
                        .arg(version)
                        .arg(known)))
                .withCode(u"state_newer")
                .withHint(u"Use the newer program that wrote it, or set state.path in the "
                          u"configuration to another file"));
    return version;
}

// Readers then do not wait for writers. SQLite's busy timeout does not cover this switch, so two
// processes that make the store at once are kept apart here. Where WAL cannot be had, the file
// works without.
Status switchToWal(Database &database)
{
    for (int attempt = 0;; ++attempt) {
        const auto switched = database.run(QStringLiteral("PRAGMA journal_mode = WAL"));
        if (switched)
            return {};
        if (switched.error().code != u"state_locked" || attempt == 100)
            return fail(switched.error());
        QThread::msleep(20);  // lint: allow sleep: SQLite tells of no end to wait for
    }
}

}  // namespace

const UpgradeSteps &upgradeSteps()
{
    static const UpgradeSteps steps{
        {
            QStringLiteral(
                "CREATE TABLE bookmarks (view TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID"),
            QStringLiteral(
                "CREATE TABLE intents (view TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID"),
            // Times in milliseconds since 1970 (UTC); machine, pid and started as in
            // ProcessIdentity.
            QStringLiteral(
                "CREATE TABLE leases (target TEXT PRIMARY KEY, token TEXT NOT NULL UNIQUE, "
                "owner TEXT NOT NULL, "
                "machine TEXT NOT NULL, pid INTEGER NOT NULL, started INTEGER NOT NULL, "
                "since INTEGER NOT NULL, "
                "until INTEGER NOT NULL) WITHOUT ROWID"),
            QStringLiteral(
                "CREATE TABLE records (id INTEGER PRIMARY KEY AUTOINCREMENT, view TEXT NOT "
                "NULL, action TEXT NOT NULL, "
                "reason TEXT NOT NULL, started INTEGER NOT NULL, seconds REAL NOT NULL, "
                "rows_read INTEGER NOT NULL, "
                "rows_written INTEGER NOT NULL, rows_deleted INTEGER NOT NULL, statement_id "
                "TEXT NOT NULL, "
                "error TEXT NOT NULL)"),
            QStringLiteral("CREATE INDEX records_of_view ON records (view, id)"),
        },
        {
            // The history of migrations. Times as above, lifetimes in milliseconds, `held` a JSON
            // array.
            QStringLiteral(
                "CREATE TABLE migration_history (line TEXT NOT NULL, version INTEGER NOT "
                "NULL, description TEXT NOT NULL, applied_at INTEGER NOT NULL, status TEXT "
                "NOT NULL, error TEXT NOT NULL, checksum TEXT NOT NULL, duration_ms INTEGER "
                "NOT NULL, applied_by TEXT NOT NULL, PRIMARY KEY (line, version)) WITHOUT "
                "ROWID"),
            QStringLiteral(
                "CREATE TABLE migration_events (number INTEGER PRIMARY KEY AUTOINCREMENT, "
                "id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, version INTEGER NOT NULL, "
                "line TEXT NOT NULL, event TEXT NOT NULL, step INTEGER NOT NULL, actor TEXT "
                "NOT NULL, host TEXT NOT NULL, tool_version TEXT NOT NULL, checksum TEXT "
                "NOT NULL, detail TEXT NOT NULL)"),
            QStringLiteral("CREATE INDEX events_of_line ON migration_events (line, at)"),
            QStringLiteral(
                "CREATE TABLE migration_views (name TEXT PRIMARY KEY, line TEXT NOT NULL, "
                "version INTEGER NOT NULL, definition TEXT NOT NULL, earlier TEXT NOT NULL, "
                "held TEXT NOT NULL) WITHOUT ROWID"),
            QStringLiteral(
                "CREATE TABLE migration_locks (line TEXT PRIMARY KEY, token TEXT NOT NULL, "
                "owner TEXT NOT NULL, machine TEXT NOT NULL, pid INTEGER NOT NULL, started "
                "INTEGER NOT NULL, doing TEXT NOT NULL, since INTEGER NOT NULL, heartbeat "
                "INTEGER NOT NULL, lifetime INTEGER NOT NULL) WITHOUT ROWID"),
        }};
    return steps;
}

Result<qint64> schemaVersion(Database &database)
{
    qint64 version = 0;
    const Status looked = database.read([&]() -> Status {
        IVM_TRY(version, versionOf(database, upgradeSteps().size()));
        return {};
    });
    IVM_CHECK(looked);
    return version;
}

Status bringUpToDate(Database &database, const UpgradeSteps &steps)
{
    qint64 version = 0;
    // In one transaction: another process may be making the tables at this moment.
    const Status looked = database.read([&]() -> Status {
        IVM_TRY(version, versionOf(database, steps.size()));
        return {};
    });
    IVM_CHECK(looked);
    if (version == steps.size())
        return {};
    IVM_CHECK(switchToWal(database));
    return database.write(Durability::PowerLoss, [&]() -> Status {
        // Another process may have been faster.
        IVM_TRY(version, versionOf(database, steps.size()));
        for (qint64 i = version; i < steps.size(); ++i) {
            for (const QString &statement : steps[i])
                IVM_CHECK(database.run(statement));
        }
        IVM_CHECK(database.run(QStringLiteral("PRAGMA application_id = %1").arg(kApplicationId)));
        IVM_CHECK(database.run(QStringLiteral("PRAGMA user_version = %1").arg(steps.size())));
        return {};
    });
}

}  // namespace ivm::sqlite
