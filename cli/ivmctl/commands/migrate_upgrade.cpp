// ivmctl migrate upgrade: applies migrations.
#include "cli/ivmctl/commands/migrate_parts.h"

namespace ivm::ctl {

namespace {

Exit run(Context &context)
{
    return runMigrations(context, migrate::Direction::Upgrade,
                         context.arguments.words.value(0, QStringLiteral("head")));
}

}  // namespace

Command migrateUpgradeCommand()
{
    return {{.name = QStringLiteral("migrate upgrade"),
             .words = QStringLiteral("[N|head|+n]"),
             .summary = QStringLiteral("applies migrations"),
             .details = QStringLiteral(
                 "Applies the migrations up to N, or n more, or all (head). One run at a time: "
                 "another ends\n"
                 "with an error that says who is at work, or waits with --wait. A run that failed "
                 "or died is\n"
                 "gone on with where it stopped; nothing is done twice. What destroys rows is "
                 "asked for on a\n"
                 "terminal, and refused elsewhere without --yes. Ends with 3 when a part was done, "
                 "with 4 when\n"
                 "the files are not those that were applied."),
             .examples = {QStringLiteral("ivmctl migrate upgrade"),
                          QStringLiteral("ivmctl migrate upgrade +1"),
                          QStringLiteral("ivmctl migrate upgrade --wait 600 --yes")},
             .options = runOptions(),
             .leastWords = 0,
             .mostWords = 1},
            run};
}

}  // namespace ivm::ctl
