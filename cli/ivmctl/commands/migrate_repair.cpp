// ivmctl migrate repair: explains and mends what a run left that died.
#include "cli/ivmctl/commands/migrate_parts.h"
#include "framework/host/migration_documents.h"

namespace ivm::ctl {

namespace {

using namespace migrate;

const QString kDone = QStringLiteral("--step-done");
const QString kNotDone = QStringLiteral("--step-not-done");

Exit settle(Context &context, Migrating &migrating, Repair::Outcome outcome)
{
    const auto settled = migrating.repair().settleStep(migrating.folder(), outcome, context.call);
    if (!settled)
        return failWith(context, settled.error());
    if (context.terminal.isJson()) {
        context.terminal.json({{QStringLiteral("settled"), true},
                               {QStringLiteral("left"), QJsonArray::fromStringList(*settled)}});
    } else {
        context.terminal.line(QStringLiteral("noted"));
        for (const auto &line : *settled)
            context.terminal.line(QStringLiteral("to do:  ") + visible(line));
    }
    return settled->isEmpty() ? Exit::Done : Exit::Differs;
}

Exit run(Context &context)
{
    const bool isDone = context.arguments.has(kDone);
    const bool isNotDone = context.arguments.has(kNotDone);
    if (isDone && isNotDone)
        return failWith(
            context,
            invalidError(QStringLiteral("%1 and %2 exclude each other").arg(kDone, kNotDone))
                .withCode(u"usage"),
            Exit::Usage);
    auto opened = Migrating::open(context);
    if (const auto *exit = std::get_if<Exit>(&opened))
        return *exit;
    auto &migrating = *std::get<std::unique_ptr<Migrating>>(opened);
    if (isDone || isNotDone)
        return settle(context, migrating,
                      isDone ? Repair::Outcome::Done : Repair::Outcome::NotDone);
    const auto repaired = migrating.repair().repair(migrating.folder(), context.call);
    if (!repaired)
        return failWith(context, repaired.error());
    if (context.terminal.isJson()) {
        context.terminal.json(
            {{QStringLiteral("found"), QJsonArray::fromStringList(repaired->found)},
             {QStringLiteral("done"), QJsonArray::fromStringList(repaired->done)},
             {QStringLiteral("left"), QJsonArray::fromStringList(repaired->left)}});
    } else {
        for (const auto &line : repaired->found)
            context.terminal.line(QStringLiteral("found:  ") + visible(line));
        for (const auto &line : repaired->done)
            context.terminal.line(QStringLiteral("did:    ") + visible(line));
        for (const auto &line : repaired->left)
            context.terminal.line(QStringLiteral("to do:  ") + visible(line));
    }
    if (repaired->found.isEmpty())
        context.terminal.note(u"nothing to repair");
    return repaired->left.isEmpty() ? Exit::Done : Exit::Differs;
}

}  // namespace

Command migrateRepairCommand()
{
    return {{.name = QStringLiteral("migrate repair"),
             .words = {},
             .summary = QStringLiteral("explains and mends what a run left that died"),
             .details = QStringLiteral(
                 "Says what it finds: a lock of a run that is gone, steps whose outcome is not "
                 "known, tables\n"
                 "that a rollout was building. It removes the lock and the tables that no run will "
                 "go on with,\n"
                 "and says what is left to you: most steps are looked at by the run that goes on. "
                 "A statement\n"
                 "of yours whose outcome nobody can see is settled by --step-done or "
                 "--step-not-done: look\n"
                 "first, 'ivmctl tables NAME --snapshots' shows what was committed. It says also "
                 "how an upgrade\n"
                 "that did not end is given up. Ends with 4 while something is left."),
             .examples = {QStringLiteral("ivmctl migrate repair"),
                          QStringLiteral("ivmctl migrate repair --step-done")},
             .options = migrateOptions(
                 {{kDone, {}, QStringLiteral("the step of unknown outcome did take effect")},
                  {kNotDone, {}, QStringLiteral("it did not")}}),
             .leastWords = 0,
             .mostWords = 0},
            run};
}

}  // namespace ivm::ctl
