#include "cli/ivmctl/command.h"
#include "framework/host/documents.h"

#include <algorithm>

namespace ivm::ctl {

const QList<Command> &commands()
{
    static const QList<Command> all{checkCommand(),
                                    viewsCommand(),
                                    explainCommand(),
                                    refreshCommand(),
                                    verifyCommand(),
                                    sqlCommand(),
                                    tablesCommand(),
                                    migrateCommand(),
                                    migrateInitCommand(),
                                    migrateRevisionCommand(),
                                    migratePlanCommand(),
                                    migrateUpgradeCommand(),
                                    migrateDowngradeCommand(),
                                    migrateStatusCommand(),
                                    migrateHistoryCommand(),
                                    migrateCheckCommand(),
                                    migrateStampCommand(),
                                    migrateRepairCommand(),
                                    migrateUnlockCommand(),
                                    pluginsCommand(),
                                    pluginsNewCommand(),
                                    completionCommand(),
                                    helpCommand()};
    return all;
}

namespace {

void reportAsDocument(Context &context, const Error &error)
{
    if (context.terminal.isJson())
        context.terminal.json(
            {{QStringLiteral("error"), errorJson(context.terminal.shown(error))}});
}

bool reportAll(Context &context, const QList<Error> &problems)
{
    if (problems.isEmpty())
        return true;
    for (const auto &problem : problems)
        context.terminal.error(problem);
    reportAsDocument(context, problems.first());
    return false;
}

}  // namespace

Exit failWith(Context &context, const Error &error, Exit exit)
{
    context.terminal.error(error);
    reportAsDocument(context, error);
    return exit;
}

bool isConfigured(Context &context) { return reportAll(context, context.host().problems()); }

std::optional<Exit> whyNoViews(Context &context)
{
    if (!isConfigured(context) || !reportAll(context, context.host().definitions().problems()))
        return Exit::Usage;
    if (const auto &outage = context.host().historyOutage())
        return failWith(context, *outage);
    return std::nullopt;
}

std::optional<QList<const Definition *>> selectViews(Context &context, const QStringList &names)
{
    const Definitions &definitions = context.host().definitions();
    for (const QString &name : names) {
        if (!definitions.find(name)) {
            failWith(context, definitions.view(name).error());
            return std::nullopt;
        }
    }
    const auto isWanted = [&](const Definition &definition) {
        return names.isEmpty() || names.contains(definition.spec.name);
    };
    for (const auto &definition : definitions.all()) {
        if (definition.contradiction && isWanted(definition))
            context.terminal.warning(*definition.contradiction);
    }
    QList<const Definition *> out;
    for (const auto &view : definitions.views()) {
        const Definition *definition = definitions.find(view.spec.name);
        if (isWanted(*definition))
            out.append(definition);
    }
    for (const auto &definition : definitions.all()) {
        if (definition.isRefused() && isWanted(definition))
            out.append(&definition);
    }
    return out;
}

}  // namespace ivm::ctl
