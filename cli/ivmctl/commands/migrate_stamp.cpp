// ivmctl migrate stamp: says what is applied, without applying it.
#include "cli/ivmctl/commands/migrate_parts.h"

namespace ivm::ctl {

namespace {

Exit run(Context &context)
{
    auto opened = Migrating::open(context);
    if (const auto *exit = std::get_if<Exit>(&opened))
        return *exit;
    auto &migrating = *std::get<std::unique_ptr<Migrating>>(opened);
    const QString word = context.arguments.words.first();
    bool isNumber = false;
    const qint64 version = word == u"head" ? migrating.folder().head() : word.toLongLong(&isNumber);
    if (word != u"head" && (!isNumber || version < 0))
        return failWith(context,
                        invalidError(QStringLiteral("'%1' is no version").arg(word.left(40)))
                            .withCode(u"usage")
                            .withHint(u"Say a number (0: nothing is applied), or head"),
                        Exit::Usage);
    if (const auto done = migrating.repair().stamp(migrating.folder(), version, context.call);
        !done)
        return failWith(context, done.error(), exitFor(done.error()));
    if (context.terminal.isJson())
        context.terminal.json({{QStringLiteral("current"), version}});
    else
        context.terminal.line(QStringLiteral("the history says %1 now").arg(version));
    return Exit::Done;
}

}  // namespace

Command migrateStampCommand()
{
    return {{.name = QStringLiteral("migrate stamp"),
             .words = QStringLiteral("N|head"),
             .summary = QStringLiteral("says what is applied, without applying it"),
             .details = QStringLiteral(
                 "Writes into the history that the migrations up to N are applied as their files "
                 "are now, and\n"
                 "those after it are not, and runs nothing. For a catalog that was brought there "
                 "by hand; views\n"
                 "that a later migration made are taken back by 'ivmctl migrate downgrade' "
                 "alone."),
             .examples = {QStringLiteral("ivmctl migrate stamp 3")},
             .options = migrateOptions(),
             .leastWords = 1,
             .mostWords = 1},
            run};
}

}  // namespace ivm::ctl
