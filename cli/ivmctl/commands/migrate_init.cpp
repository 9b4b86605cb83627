// ivmctl migrate init: makes the folder with a first file.
#include "cli/ivmctl/commands/migrate_parts.h"
#include "framework/migrate/revision.h"

namespace ivm::ctl {

namespace {

Exit run(Context &context)
{
    if (!isConfigured(context))
        return Exit::Usage;
    const auto made = migrate::makeFolder(folderRequest(context));
    if (!made)
        return failWith(context, made.error());
    if (context.terminal.isJson())
        context.terminal.json({{QStringLiteral("folder"), *made}});
    else
        context.terminal.line(QStringLiteral("made %1; write the first migration with 'ivmctl "
                                             "migrate revision -m TEXT'")
                                  .arg(visible(*made)));
    return Exit::Done;
}

}  // namespace

Command migrateInitCommand()
{
    return {{.name = QStringLiteral("migrate init"),
             .words = {},
             .summary = QStringLiteral("makes the folder of migrations"),
             .details = QStringLiteral("Makes the folder, with a README that tells what belongs "
                                       "into it. What is there is left alone."),
             .examples = {QStringLiteral("ivmctl migrate init"),
                          QStringLiteral("ivmctl migrate init --namespace sales")},
             .options = migrateOptions(),
             .leastWords = 0,
             .mostWords = 0},
            run};
}

}  // namespace ivm::ctl
