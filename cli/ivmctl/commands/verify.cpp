// ivmctl verify: recomputes views and compares their targets with them, both ways.
#include "cli/ivmctl/command.h"
#include "cli/ivmctl/table_printer.h"
#include "framework/host/value_text.h"
#include "framework/host/documents.h"

namespace ivm::ctl {

namespace {

class Run {
public:
    explicit Run(Context &context) : m_context(context) {}

    Exit run(const QList<const Definition *> &selected)
    {
        auto services = m_context.host().services();
        if (!services)
            return failWith(m_context, services.error());
        const VerifyRange range{m_context.arguments.options.value(QStringLiteral("--from")),
                                m_context.arguments.options.value(QStringLiteral("--to"))};
        for (const Definition *definition : selected) {
            m_context.terminal.progress(QStringLiteral("%1 …").arg(definition->spec.name));
            const auto outcome = definition->isRefused()
                                     ? Result<VerifyOutcome>(fail(definition->problems.first()))
                                     : verifyView(*services, {definition->spec, *definition->shape},
                                                  range, m_context.call);
            const bool badRange = !outcome && outcome.error().code == u"bad_range";
            m_refused += definition->isRefused() || badRange ? 1 : 0;
            if (outcome)
                take(*outcome);
            else
                take(definition->spec.name, outcome.error());
        }
        if (m_context.terminal.isJson())
            m_context.terminal.json({{QStringLiteral("views"), m_views}});
        return exitCode();
    }

private:
    void take(const VerifyOutcome &outcome)
    {
        outcome.equal ? ++m_equal : ++m_different;
        m_views.append(verifyJson(outcome));
        if (!m_context.terminal.isJson())
            print(outcome);
    }

    void take(const QString &view, const Error &error)
    {
        ++m_failed;
        m_context.terminal.error(error);
        m_views.append(
            QJsonObject{{QStringLiteral("name"), view},
                        {QStringLiteral("equal"), QJsonValue::Null},
                        {QStringLiteral("error"), errorJson(m_context.terminal.shown(error))}});
        if (!m_context.terminal.isJson())
            m_context.terminal.line(visible(view) + QStringLiteral(": ") +
                                    m_context.terminal.paint(Colour::Red, u"not compared"));
    }

    void print(const VerifyOutcome &outcome)
    {
        Terminal &terminal = m_context.terminal;
        const QString verdict = outcome.equal
                                    ? terminal.paint(Colour::Green, u"equal")
                                    : QString(terminal.paint(Colour::Red, u"differs") +
                                              QStringLiteral(", %1 missing and %2 extra rows")
                                                  .arg(outcome.missing)
                                                  .arg(outcome.extra));
        terminal.line(visible(outcome.view) + QStringLiteral(": ") + verdict);
        for (const auto &column : outcome.reported) {
            if (column.rows > 0)
                terminal.line(QStringLiteral("  %1 (%2) differs in %3 rows, which is not counted")
                                  .arg(visible(column.column), columnClassName(column.columnClass),
                                       QString::number(column.rows)));
        }
        printSample(outcome);
    }

    void printSample(const VerifyOutcome &outcome)
    {
        if (outcome.sample.empty())
            return;
        QList<TableColumn> columns;
        for (const auto &column : outcome.sampleColumns)
            columns.append({column.name, isNumeric(column.type) ? Align::Right : Align::Left});
        TablePrinter table(m_context.terminal, columns);
        for (const auto &row : outcome.sample) {
            QStringList cells;
            for (const auto &value : row)
                cells.append(cellText(value));
            table.row(cells);
        }
        table.finish();
    }

    Exit exitCode() const
    {
        if (m_different > 0)
            return Exit::Differs;
        if (m_failed == 0)
            return Exit::Done;
        if (m_equal > 0)
            return Exit::Partly;
        return m_failed == m_refused ? Exit::Usage : Exit::Failed;
    }

    Context &m_context;
    QJsonArray m_views;
    int m_equal = 0;
    int m_different = 0;
    int m_failed = 0;
    int m_refused = 0;  // of those that failed: the view or the range
};

Exit run(Context &context)
{
    if (const auto why = whyNoViews(context))
        return *why;
    const auto selected = selectViews(context, context.arguments.words);
    if (!selected)
        return Exit::Usage;
    if (selected->isEmpty())
        context.terminal.note(u"there are no views");
    return Run(context).run(*selected);
}

}  // namespace

Command verifyCommand()
{
    return {{.name = QStringLiteral("verify"),
             .words = QStringLiteral("[VIEW…]"),
             .summary = QStringLiteral("recomputes views and compares"),
             .details = QStringLiteral("Recomputes the named views, or all, at the snapshots that "
                                       "their targets are right for,\n"
                                       "and compares both ways. Changes no table. Ends with 4, and "
                                       "shows rows that differ, when a\n"
                                       "target is not what its query gives. Columns that are "
                                       "estimates or depend on the order of\n"
                                       "rows are reported, never the verdict."),
             .examples = {QStringLiteral("ivmctl verify"),
                          QStringLiteral(
                              "ivmctl verify departures_hourly --from 2001-03-01 --to 2001-04-01")},
             .options = {{QStringLiteral("--from"), QStringLiteral("TIME"),
                          QStringLiteral("the first bucket: 2001-03-01, '2001-03-01 12:00:00'")},
                         {QStringLiteral("--to"), QStringLiteral("TIME"),
                          QStringLiteral("the bucket after the last")}},
             .leastWords = 0,
             .mostWords = -1},
            run};
}

}  // namespace ivm::ctl
