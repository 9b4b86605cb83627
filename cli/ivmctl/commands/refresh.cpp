// ivmctl refresh: makes targets equal to their views, sources before those that read them.
#include "cli/ivmctl/command.h"
#include "framework/host/documents.h"

#include <QLocale>

#include <algorithm>

namespace ivm::ctl {

namespace {

constexpr QStringView kFull = u"--full";
constexpr QStringView kAdopt = u"--adopt";

QString number(qint64 value) { return QLocale(QLocale::English).toString(value); }

QString details(const RefreshOutcome &outcome)
{
    if (outcome.error)
        return outcome.error->code;
    if (outcome.action == Action::None)
        return outcome.reason;
    QStringList parts;
    if (outcome.action == Action::Incremental)
        parts.append(
            counted(outcome.ranges.size() + (outcome.nullBucket ? 1 : 0), "range", "ranges"));
    parts.append(counted(outcome.rowsRead, "row read", "rows read"));
    parts.append(QStringLiteral("%1 written").arg(number(outcome.rowsWritten)));
    parts.append(QStringLiteral("%1 deleted").arg(number(outcome.rowsDeleted)));
    parts.append(QStringLiteral("%1 s").arg(outcome.seconds, 0, 'f', 3));
    if (outcome.action != Action::Incremental)
        parts.append(outcome.reason);
    return parts.join(QStringLiteral(", "));
}

Colour colourOf(Action action)
{
    switch (action) {
    case Action::None: return Colour::Dim;
    case Action::Error: return Colour::Red;
    default: return Colour::Green;
    }
}

class Run {
public:
    Run(Context &context, const QList<const Definition *> &selected) : m_context(context)
    {
        for (const Definition *definition : selected) {
            m_nameWidth = std::max(m_nameWidth, definition->spec.name.size());
            if (definition->isRefused())
                m_refused.append(definition);
            else
                m_views.append({definition->spec, *definition->shape});
        }
    }

    Exit run()
    {
        const auto failed = refresh();
        for (const Definition *definition : std::as_const(m_refused))
            take(errorOutcome(definition->spec.name, definition->problems.first()));
        if (failed)
            m_context.terminal.error(*failed);
        if (m_context.terminal.isJson())
            printDocument(failed);
        return exitCode(failed.has_value());
    }

private:
    // The error of the whole, where no view could be looked at.
    std::optional<Error> refresh()
    {
        if (m_views.isEmpty())
            return std::nullopt;
        auto services = m_context.host().services();
        if (!services)
            return services.error();
        Refresher refresher(*std::move(services));
        const auto outcomes = refresher.refresh(
            m_views, mode(), m_context.call, [this](const View &view) { start(view); },
            [this](const RefreshOutcome &outcome) { take(outcome); });
        return outcomes ? std::nullopt : std::optional(outcomes.error());
    }

    RefreshMode mode() const
    {
        if (m_context.arguments.has(kAdopt.toString()))
            return RefreshMode::Adopt;
        return m_context.arguments.has(kFull.toString()) ? RefreshMode::Full
                                                         : RefreshMode::IfChanged;
    }

    void start(const View &view)
    {
        ++m_started;
        m_context.terminal.progress(
            QStringLiteral("%1 (%2 of %3) …")
                .arg(view.spec.name, QString::number(m_started), QString::number(m_views.size())));
    }

    void take(const RefreshOutcome &outcome)
    {
        Terminal &terminal = m_context.terminal;
        if (outcome.error) {
            terminal.error(*outcome.error);
            ++m_failed;
        }
        m_outcomes.append(outcome);
        if (terminal.isJson())
            return;
        const QString action = actionName(outcome.action);
        constexpr qsizetype kLongestAction = 11;
        terminal.line(terminal.paint(Colour::Bold, outcome.view) +
                      QString(m_nameWidth - outcome.view.size() + 2, u' ') +
                      terminal.paint(colourOf(outcome.action), action) +
                      QString(kLongestAction - action.size() + 2, u' ') +
                      visible(details(outcome)));
    }

    // With a link to the engine's own page of the statement, where it has one.
    QJsonObject outcomeDocument(const RefreshOutcome &outcome)
    {
        QJsonObject out = outcomeJson(outcome);
        if (outcome.statementId.isEmpty())
            return out;
        const auto executor = m_context.host().executor();
        const QString uri = executor ? (*executor)->statementUri(outcome.statementId) : QString();
        if (!uri.isEmpty())
            out.insert(QStringLiteral("statement_url"), uri);
        return out;
    }

    void printDocument(const std::optional<Error> &failed)
    {
        QJsonArray views;
        for (auto outcome : m_outcomes) {
            if (outcome.error)
                outcome.error = m_context.terminal.shown(*outcome.error);
            views.append(outcomeDocument(outcome));
        }
        QJsonObject document{{QStringLiteral("views"), views}};
        if (failed)
            document.insert(QStringLiteral("error"), errorJson(m_context.terminal.shown(*failed)));
        m_context.terminal.json(document);
    }

    Exit exitCode(bool failedWhole) const
    {
        if (failedWhole)
            return Exit::Failed;
        if (m_failed == 0)
            return Exit::Done;
        if (m_failed < m_outcomes.size())
            return Exit::Partly;
        return m_views.isEmpty() ? Exit::Usage : Exit::Failed;
    }

    Context &m_context;
    QList<View> m_views;
    QList<const Definition *> m_refused;
    QList<RefreshOutcome> m_outcomes;
    qsizetype m_nameWidth = 0;
    qsizetype m_started = 0;
    qsizetype m_failed = 0;
};

Exit run(Context &context)
{
    if (context.arguments.has(kFull.toString()) && context.arguments.has(kAdopt.toString()))
        return failWith(context,
                        invalidError(QStringLiteral("--full and --adopt exclude each other"))
                            .withCode(u"usage")
                            .withHint(u"A table that is taken over is recomputed anyway"),
                        Exit::Usage);
    if (context.arguments.has(kAdopt.toString()) && context.arguments.words.isEmpty())
        return failWith(context,
                        invalidError(QStringLiteral("--adopt takes the names of the views"))
                            .withCode(u"usage")
                            .withHint(u"It deletes the rows of others in their tables: say which"),
                        Exit::Usage);
    if (const auto why = whyNoViews(context))
        return *why;
    const auto selected = selectViews(context, context.arguments.words);
    if (!selected)
        return Exit::Usage;
    if (selected->isEmpty())
        context.terminal.note(u"there are no views");
    return Run(context, *selected).run();
}

}  // namespace

Command refreshCommand()
{
    return {
        {.name = QStringLiteral("refresh"),
         .words = QStringLiteral("[VIEW…]"),
         .summary = QStringLiteral("makes targets equal to their views"),
         .details = QStringLiteral(
             "Refreshes the named views, or all, in the order of their dependencies, and prints "
             "for\n"
             "each what was done: none (nothing changed), incremental (touched buckets were\n"
             "recomputed), diff (all was recomputed, and what differed was written), rebuild (the\n"
             "target was made), error. A view that fails does not stop the others: the code is "
             "then 3."),
         .examples = {QStringLiteral("ivmctl refresh"),
                      QStringLiteral("ivmctl refresh departures_hourly --full"),
                      QStringLiteral("ivmctl refresh --json | jq '.views[].action'")},
         .options = {{kFull.toString(),
                      {},
                      QStringLiteral("recompute everything, and write what differs")},
                     {kAdopt.toString(),
                      {},
                      QStringLiteral("take over a target with rows of others: they are deleted")}},
         .leastWords = 0,
         .mostWords = -1},
        run};
}

}  // namespace ivm::ctl
