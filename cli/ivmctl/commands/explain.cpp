// ivmctl explain: what a refresh of a view would do now, and why. Writes nothing.
#include "cli/ivmctl/command.h"
#include "framework/host/documents.h"

namespace ivm::ctl {

namespace {

constexpr qsizetype kRangesShown = 20;

QString snapshotText(const std::optional<TableHead> &head)
{
    if (!head)
        return QStringLiteral("none");
    return head->snapshot ? QString::number(*head->snapshot) : QStringLiteral("no snapshot");
}

void printSources(Terminal &terminal, const RefreshPlan &plan)
{
    for (const auto &source : plan.sources) {
        terminal.line(QStringLiteral("  %1 (%2): bookmark %3, head %4")
                          .arg(visible(source.mark.table.text()),
                               source.mark.role == SourceRole::Driving ? QStringLiteral("driving")
                                                                       : QStringLiteral("other"),
                               snapshotText(source.before), snapshotText(source.mark.head)));
        const auto &files = source.files;
        if (source.snapshots > 0)
            terminal.line(QStringLiteral("    snapshots %1, files added %2, removed %3, deleted "
                                         "from %4; %5 %6 in them")
                              .arg(source.snapshots)
                              .arg(files.added)
                              .arg(files.removed)
                              .arg(files.deletedFrom)
                              .arg(files.records)
                              .arg(files.records == 1 ? u"row" : u"rows"));
    }
}

void printRanges(Terminal &terminal, const View &view, const RefreshPlan &plan)
{
    const auto ranges = rangesOf(view, plan);
    const QString open = QStringLiteral("…");
    for (const auto &range : ranges.mid(0, kRangesShown))
        terminal.line(QStringLiteral("  from %1 to before %2")
                          .arg(range.from.value_or(open), range.to.value_or(open)));
    if (ranges.size() > kRangesShown)
        terminal.line(QStringLiteral("  and %1 more ranges").arg(ranges.size() - kRangesShown));
    if (plan.ranges.hasNullBucket())
        terminal.line(QStringLiteral("  the bucket NULL"));
}

void print(Terminal &terminal, const View &view, const Explanation &explanation)
{
    const RefreshPlan &plan = explanation.plan;
    terminal.line(terminal.paint(Colour::Bold, view.spec.name) +
                  QStringLiteral(": strategy %1 (%2)")
                      .arg(strategyName(view.shape.strategy), visible(view.shape.why)));
    terminal.line(QStringLiteral("A refresh would do: %1 (%2)")
                      .arg(actionName(plan.action), visible(plan.reason)));
    printSources(terminal, plan);
    printRanges(terminal, view, plan);
    if (explanation.statement.isEmpty())
        return;
    terminal.line(QStringLiteral("The rows would come from:"));
    for (const QString &line : explanation.statement.split(u'\n'))
        terminal.line(QStringLiteral("  ") + visible(line));
}

Exit run(Context &context)
{
    if (const auto why = whyNoViews(context))
        return *why;
    const auto view = context.host().definitions().view(context.arguments.words.first());
    if (!view)
        return failWith(context, view.error(), Exit::Usage);
    auto services = context.host().services();
    if (!services)
        return failWith(context, services.error());
    const auto explanation = Refresher(*std::move(services)).explain(*view, context.call);
    if (!explanation)
        return failWith(context, explanation.error());
    if (context.terminal.isJson())
        context.terminal.json(explanationJson(*view, *explanation));
    else
        print(context.terminal, *view, *explanation);
    return Exit::Done;
}

}  // namespace

Command explainCommand()
{
    return {
        {.name = QStringLiteral("explain"),
         .words = QStringLiteral("VIEW"),
         .summary = QStringLiteral("what a refresh would do now, and why"),
         .details = QStringLiteral(
             "Tells what a refresh of the view would do at this moment: its strategy and why, the\n"
             "snapshots and files that changed, the ranges of buckets they touch, and the query "
             "that\n"
             "would give the new rows. Writes nothing."),
         .examples = {QStringLiteral("ivmctl explain departures_hourly"),
                      QStringLiteral("ivmctl explain departures_hourly --json")},
         .options = {},
         .leastWords = 1,
         .mostWords = 1},
        run};
}

}  // namespace ivm::ctl
