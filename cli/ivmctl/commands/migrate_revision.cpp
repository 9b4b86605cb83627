// ivmctl migrate revision: makes the next migration file.
#include "cli/ivmctl/commands/migrate_parts.h"
#include "framework/migrate/revision.h"

namespace ivm::ctl {

namespace {

const QString kMessage = QStringLiteral("--message");

Exit run(Context &context)
{
    if (!isConfigured(context))
        return Exit::Usage;
    const auto request = folderRequest(context);
    const auto folder = migrate::readFolder(request);
    if (!folder.problems.isEmpty())
        return failWith(context, folder.problems.first(), Exit::Usage);
    const QString message = context.arguments.options.value(kMessage);
    const auto made = migrate::makeRevision(folder, message);
    if (!made)
        return failWith(context, made.error(), exitFor(made.error()));
    if (context.terminal.isJson())
        context.terminal.json({{QStringLiteral("file"), *made}});
    else
        context.terminal.line(QStringLiteral("made %1").arg(visible(*made)));
    return Exit::Done;
}

}  // namespace

Command migrateRevisionCommand()
{
    return {
        {.name = QStringLiteral("migrate revision"),
         .words = {},
         .summary = QStringLiteral("makes the next migration file"),
         .details = QStringLiteral("Makes a file with the next number and a name made of the "
                                   "text, for you to fill in."),
         .examples = {QStringLiteral("ivmctl migrate revision -m 'add departures per hour'")},
         .options = migrateOptions({{kMessage, QStringLiteral("TEXT"),
                                     QStringLiteral("what it is about"), QStringLiteral("-m")}}),
         .leastWords = 0,
         .mostWords = 0},
        run};
}

}  // namespace ivm::ctl
