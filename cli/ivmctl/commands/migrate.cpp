// ivmctl migrate: brings tables and views to where the migration files say.
#include "cli/ivmctl/commands/migrate_parts.h"

namespace ivm::ctl {

namespace {

Exit run(Context &context)
{
    return runMigrations(context, migrate::Direction::Upgrade, QStringLiteral("head"));
}

}  // namespace

Command migrateCommand()
{
    return {{.name = QStringLiteral("migrate"),
             .words = {},
             .summary = QStringLiteral("rolls views and tables out and back, by numbered files"),
             .details = QStringLiteral(
                 "Applies all migrations that are pending, as 'ivmctl migrate upgrade' does. Its "
                 "parts:\n"
                 "  init       makes the folder\n"
                 "  revision   makes the next file, from the differences with --autogenerate\n"
                 "  plan       what an upgrade or a downgrade would do\n"
                 "  upgrade    applies migrations\n"
                 "  downgrade  takes migrations back\n"
                 "  status     where the catalog stands\n"
                 "  history    what was done, by whom and when\n"
                 "  check      reads the files for what may go wrong\n"
                 "  stamp      says what is applied, without applying it\n"
                 "  repair     explains and mends what a run left that died\n"
                 "  unlock     takes the lock away from a run\n"
                 "Steps of a file: create_view, replace_view, restore_view, drop_view, "
                 "rename_view, backfill, create_schema, drop_schema, create_table, drop_table, "
                 "rename_table, add_column, drop_column, rename_column, alter_column, "
                 "set_partitioning, set_sort_order, set_properties, sql. Their fields stand in the "
                 "README under 'Rolling views out', and in share/schema/migration.schema.json for "
                 "editors."),
             .examples = {QStringLiteral("ivmctl migrate"), QStringLiteral("ivmctl migrate plan"),
                          QStringLiteral("ivmctl help migrate upgrade")},
             .options = runOptions(),
             .leastWords = 0,
             .mostWords = 0},
            run};
}

}  // namespace ivm::ctl
