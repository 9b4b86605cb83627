// ivmctl migrate plan: what a run would do.
#include "cli/ivmctl/commands/migrate_parts.h"
#include "framework/host/documents.h"

namespace ivm::ctl {

namespace {

using namespace migrate;

const QString kSql = QStringLiteral("--sql");
const QString kDown = QStringLiteral("--downgrade");

void printStep(Terminal &terminal, const PlannedStep &step)
{
    QString line = QStringLiteral("  %1  %2")
                       .arg(step.number, 3)
                       .arg(visible(operationText(step.step->operation)));
    if (step.state == StepState::Done)
        line += QStringLiteral("  (done)");
    terminal.line(line);
    if (step.state == StepState::Done)
        return;
    for (const auto &statement : step.statements) {
        for (const auto &part : statement.split(u'\n'))
            terminal.line(QStringLiteral("         ") + terminal.paint(Colour::Dim, visible(part)));
    }
    for (const auto &read : step.reads) {
        const QString rows = !read.isThere ? (read.isMade ? QStringLiteral("a step before makes it")
                                                          : QStringLiteral("not there"))
                             : read.rows   ? QStringLiteral("%1 rows").arg(*read.rows)
                                           : QStringLiteral("rows not known");
        terminal.line(QStringLiteral("       reads %1 (%2)").arg(visible(read.table.text()), rows));
    }
    if (step.view && step.changes)
        terminal.line(QStringLiteral("       builds %1").arg(visible(step.changes->text())));
    if (!step.how.isEmpty())
        terminal.line(QStringLiteral("       ") + visible(step.how));
    if (!step.loss.isEmpty())
        terminal.line(QStringLiteral("       ") + terminal.paint(Colour::Red, step.loss));
}

// A script that another program could run; what no SQL says is a comment.
void printSql(Terminal &terminal, const MigrationPlan &plan)
{
    for (const auto &planned : plan.migrations) {
        for (const auto &step : planned.steps) {
            if (step.state == StepState::Done)
                continue;
            terminal.line(QStringLiteral("-- %1, %2, step %3: %4")
                              .arg(planned.migration->label(), directionName(planned.direction),
                                   QString::number(step.number),
                                   visible(operationText(step.step->operation))));
            const bool isView = isOnView(step.step->operation);
            for (const auto &statement : step.statements) {
                for (const auto &part : statement.split(u'\n'))
                    terminal.line(isView ? QStringLiteral("--   ") + visible(part)
                                         : terminal.forReader(part));
                if (!isView)
                    terminal.line(QStringLiteral(";"));
            }
        }
    }
}

void print(Terminal &terminal, const MigrationPlan &plan)
{
    for (const auto &planned : plan.migrations) {
        terminal.line(terminal.paint(Colour::Bold, planned.migration->label()) +
                      QStringLiteral("  %1%2: %3")
                          .arg(directionName(planned.direction),
                               planned.goesOn ? QStringLiteral(" (goes on)") : QString(),
                               visible(planned.migration->description)));
        for (const auto &step : planned.steps)
            printStep(terminal, step);
    }
}

Exit run(Context &context)
{
    const bool isDown = context.arguments.has(kDown);
    const QString word = context.arguments.words.value(0);
    if (isDown && !word.isEmpty())
        return failWith(
            context,
            invalidError(QStringLiteral("'%1' is too much: --downgrade says how far").arg(word))
                .withCode(u"usage")
                .withHint(u"Without --downgrade it is the goal of an upgrade"),
            Exit::Usage);
    auto opened = Migrating::open(context);
    if (const auto *exit = std::get_if<Exit>(&opened))
        return *exit;
    auto &migrating = *std::get<std::unique_ptr<Migrating>>(opened);
    const QString goal = isDown           ? context.arguments.options.value(kDown)
                         : word.isEmpty() ? QStringLiteral("head")
                                          : word;
    const auto request =
        migrating.request(isDown ? Direction::Downgrade : Direction::Upgrade, goal);
    auto look = migrating.runner().look(request, context.call);
    if (!look)
        return failWith(context, look.error(), exitFor(look.error()));
    const auto wrong = migrating.estimate(*look, request.others, context.call);
    if (!wrong)
        return failWith(context, wrong.error());
    QJsonArray problems;
    for (const auto &error : *wrong) {
        context.terminal.error(error);
        problems.append(errorJson(context.terminal.shown(error)));
    }
    if (context.terminal.isJson())
        context.terminal.json({{QStringLiteral("steps"), planJson(look->plan)},
                               {QStringLiteral("problems"), problems}});
    else if (context.arguments.has(kSql))
        printSql(context.terminal, look->plan);
    else
        print(context.terminal, look->plan);
    if (look->plan.migrations.isEmpty())
        context.terminal.note(QStringLiteral("nothing to do: at %1").arg(look->state.current()));
    return wrong->isEmpty() ? Exit::Done : Exit::Failed;
}

}  // namespace

Command migratePlanCommand()
{
    return {{.name = QStringLiteral("migrate plan"),
             .words = QStringLiteral("[N|head|+n]"),
             .summary = QStringLiteral("what an upgrade or a downgrade would do"),
             .details = QStringLiteral(
                 "Shows each step with its statements, what it reads and builds, and what it "
                 "destroys. Writes\n"
                 "nothing. Ends with 1 when the catalog tells that a step would fail."),
             .examples = {QStringLiteral("ivmctl migrate plan"),
                          QStringLiteral("ivmctl migrate plan --downgrade -1"),
                          QStringLiteral("ivmctl migrate plan --sql > upgrade.sql")},
             .options = migrateOptions(
                 {{kSql, {}, QStringLiteral("as one script of SQL; steps on views are comments")},
                  {kDown, QStringLiteral("N|-n"), QStringLiteral("of the way down instead")}}),
             .leastWords = 0,
             .mostWords = 1},
            run};
}

}  // namespace ivm::ctl
