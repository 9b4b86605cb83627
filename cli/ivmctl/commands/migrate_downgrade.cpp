// ivmctl migrate downgrade: takes migrations back.
#include "cli/ivmctl/commands/migrate_parts.h"

namespace ivm::ctl {

namespace {

Exit run(Context &context)
{
    return runMigrations(context, migrate::Direction::Downgrade, context.arguments.words.first());
}

}  // namespace

Command migrateDowngradeCommand()
{
    return {{.name = QStringLiteral("migrate downgrade"),
             .words = QStringLiteral("N|-n"),
             .summary = QStringLiteral("takes migrations back"),
             .details = QStringLiteral(
                 "Takes back the migrations after N, or the last n, the newest first. A view that "
                 "was replaced\n"
                 "gets its old definition and rows back, and catches up. Nothing is begun when one "
                 "of them\n"
                 "cannot be taken back. What destroys rows is asked for on a terminal, and refused "
                 "elsewhere\n"
                 "without --yes."),
             .examples = {QStringLiteral("ivmctl migrate downgrade -1"),
                          QStringLiteral("ivmctl migrate downgrade 0 --yes")},
             .options = runOptions(),
             .leastWords = 1,
             .mostWords = 1},
            run};
}

}  // namespace ivm::ctl
