// ivmctl migrate unlock: takes the lock away from a run.
#include "cli/ivmctl/commands/migrate_parts.h"

namespace ivm::ctl {

namespace {

const QString kForce = QStringLiteral("--force");

Exit run(Context &context)
{
    auto opened = Migrating::open(context, BrokenFiles::Warn);
    if (const auto *exit = std::get_if<Exit>(&opened))
        return *exit;
    auto &migrating = *std::get<std::unique_ptr<Migrating>>(opened);
    const QString line = migrating.folder().line;
    const auto from = context.arguments.has(kForce) ? migrate::Repair::From::Anybody
                                                    : migrate::Repair::From::TheDead;
    const auto broken = migrating.repair().unlock(line, from, context.call);
    if (!broken)
        return failWith(context, broken.error());
    if (context.terminal.isJson())
        context.terminal.json({{QStringLiteral("unlocked"), true}});
    else
        context.terminal.line(QStringLiteral("took the lock from %1").arg(visible(*broken)));
    return Exit::Done;
}

}  // namespace

Command migrateUnlockCommand()
{
    return {
        {.name = QStringLiteral("migrate unlock"),
         .words = {},
         .summary = QStringLiteral("takes the lock away from a run"),
         .details = QStringLiteral(
             "Removes a lock whose holder gives no sign of life any more. The next run would "
             "do so by\n"
             "itself; this is for somebody who wants to see it gone. One that is alive keeps "
             "its lock,\n"
             "unless --force is given: its run then begins no further step, and is told to stop "
             "the one that\n"
             "it is in within half a minute; stop it yourself, if you can, before another is "
             "begun."),
         .examples = {QStringLiteral("ivmctl migrate unlock")},
         .options =
             migrateOptions({{kForce, {}, QStringLiteral("also from a holder that is alive")}}),
         .leastWords = 0,
         .mostWords = 0},
        run};
}

}  // namespace ivm::ctl
