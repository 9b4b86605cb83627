// ivmctl views: the definitions and their state.
#include "cli/ivmctl/command.h"
#include "framework/host/host_client.h"
#include "framework/host/view_state.h"
#include "cli/ivmctl/table_printer.h"

#include <algorithm>

namespace ivm::ctl {

namespace {

// What the host that runs on the state says of its views; nothing where none runs.
QHash<QString, QJsonObject> toldByHost(Context &context, StateStore *store)
{
    const auto holder = store ? store->leaseHolder(hostPlace()) : QString();
    const QUrl address = holder ? addressIn(*holder) : QUrl();
    if (address.isEmpty())
        return {};
    const auto &environment = context.host().config().environment;
    const QString token = environment.value(QStringLiteral("IVM_API_READ_TOKEN"),
                                            environment.value(QStringLiteral("IVM_API_TOKEN")));
    const auto views = viewsOfHost(address, token.toUtf8());
    if (!views)
        context.terminal.warning(views.error());
    return views.value_or(QHash<QString, QJsonObject>());
}

// What only the host knows: how far the view is behind, and why.
QJsonObject withHost(QJsonObject view, const QJsonObject &told)
{
    for (const auto *key :
         {u"lag_seconds", u"target_lag_seconds", u"lag_met", u"waiting", u"next_attempt"}) {
        if (!told.isEmpty())
            view.insert(QStringView(key), told.value(QStringView(key)));
    }
    return view;
}

// "12 s, over 10 s: failing, next attempt …"; "up to date".
QString lagText(const QJsonObject &told)
{
    if (told.isEmpty())
        return QStringLiteral("no host");
    const double lag = told.value(u"lag_seconds").toDouble();
    const QString waiting = told.value(u"waiting").toString();
    if (lag == 0 && waiting.isEmpty())
        return QStringLiteral("up to date");
    QString text = QStringLiteral("%1 s").arg(lag, 0, 'f', 0);
    if (told.value(u"lag_met") == QJsonValue(false))
        text += QStringLiteral(", over %1 s")
                    .arg(told.value(u"target_lag_seconds").toDouble(), 0, 'f', 0);
    if (!waiting.isEmpty())
        text += QStringLiteral(": ") + waiting;
    if (const QString next = told.value(u"next_attempt").toString(); !next.isEmpty())
        text += QStringLiteral(", next attempt ") + next;
    return text;
}

void printTable(Terminal &terminal, const QList<ViewState> &states,
                const QHash<QString, QJsonObject> &told)
{
    TablePrinter table(terminal, {{QStringLiteral("VIEW")},
                                  {QStringLiteral("STATUS")},
                                  {QStringLiteral("STRATEGY")},
                                  {QStringLiteral("SOURCES")},
                                  {QStringLiteral("TARGET")},
                                  {QStringLiteral("LAST REFRESH")},
                                  {QStringLiteral("ACTION")},
                                  {QStringLiteral("BEHIND")}});
    for (const auto &state : states) {
        const auto &shape = state.definition->shape;
        const RefreshRecord *success = state.lastSuccess();
        table.row({state.definition->spec.name, state.status(),
                   shape ? strategyName(shape->strategy) : QString(),
                   state.sources().join(QStringLiteral(", ")), state.definition->spec.target.text(),
                   success ? timeText(success->started) : QStringLiteral("never"),
                   state.records.isEmpty() ? QString() : state.records.first().action,
                   lagText(told.value(state.definition->spec.name))});
    }
    table.finish();
    for (const auto &state : states) {
        if (const QString error = state.error(); !error.isEmpty())
            terminal.line(terminal.paint(Colour::Red, state.definition->spec.name) +
                          QStringLiteral(": ") + visible(error));
    }
}

void printOne(Terminal &terminal, const ViewState &state, const QJsonObject &told)
{
    const auto line = [&](const QString &what, const QString &text) {
        if (!text.isEmpty())
            terminal.line(
                QStringLiteral("%1 %2").arg(QString(what + u':').leftJustified(14), visible(text)));
    };
    const Definition &definition = *state.definition;
    line(QStringLiteral("view"), definition.spec.name);
    line(QStringLiteral("status"), state.status());
    line(QStringLiteral("error"), state.error());
    line(QStringLiteral("sources"), state.sources().join(QStringLiteral(", ")));
    line(QStringLiteral("target"), definition.spec.target.text());
    if (definition.shape)
        line(QStringLiteral("strategy"),
             QStringLiteral("%1 (%2)").arg(strategyName(definition.shape->strategy),
                                           definition.shape->why));
    if (state.bookmark) {
        for (const auto &source : state.bookmark->sources)
            line(QStringLiteral("bookmark"),
                 QStringLiteral("%1 at snapshot %2")
                     .arg(source.table.text(), source.head.snapshot
                                                   ? QString::number(*source.head.snapshot)
                                                   : QStringLiteral("none")));
    }
    line(QStringLiteral("behind"), lagText(told));
    line(QStringLiteral("last refresh"),
         state.lastSuccess() ? timeText(state.lastSuccess()->started) : QStringLiteral("never"));
    for (const auto &record : state.records.mid(0, 5))
        line(QStringLiteral("refresh"),
             QStringLiteral("%1  %2  %3 written, %4 deleted, %5 s  %6")
                 .arg(timeText(record.started), record.action, QString::number(record.rowsWritten),
                      QString::number(record.rowsDeleted), QString::number(record.seconds, 'f', 3),
                      record.reason));
    terminal.line(QStringLiteral("query:"));
    for (const QString &text : definition.spec.query.split(u'\n'))
        terminal.line(QStringLiteral("  ") + visible(text));
}

// The store, or null where nothing was ever refreshed into it.
Result<StateStore *> storeIfAny(Context &context)
{
    auto store = context.host().state();
    if (!store && store.error().code == u"no_warehouse")
        return nullptr;
    return store;
}

Exit run(Context &context)
{
    if (!isConfigured(context))
        return Exit::Usage;
    const auto &problems = context.host().definitions().problems();
    if (!problems.isEmpty())
        return failWith(context, problems.first(), Exit::Usage);
    // What is known without it is still worth telling.
    if (const auto &outage = context.host().historyOutage())
        context.terminal.warning(Error(*outage).during(u"the views of migrations are not known"));
    const QStringList &names = context.arguments.words;
    if (!names.isEmpty() && !context.host().definitions().find(names.first()))
        return failWith(context, context.host().definitions().view(names.first()).error(),
                        Exit::Usage);
    const auto store = storeIfAny(context);
    if (!store)
        return failWith(context, store.error());
    QList<ViewState> states;
    for (const auto &definition : context.host().definitions().all()) {
        if (!names.isEmpty() && !names.contains(definition.spec.name))
            continue;
        if (definition.contradiction)
            context.terminal.warning(*definition.contradiction);
        auto state = viewStateOf(definition, *store);
        if (!state)
            return failWith(context, state.error());
        states.append(*std::move(state));
    }
    const auto told = toldByHost(context, *store);
    if (context.terminal.isJson()) {
        QJsonArray list;
        for (const auto &state : states)
            list.append(withHost(viewJson(state, SystemClock().now()),
                                 told.value(state.definition->spec.name)));
        context.terminal.json({{QStringLiteral("views"), list}});
    } else if (states.isEmpty()) {
        context.terminal.note(u"there are no views");
    } else if (names.isEmpty()) {
        printTable(context.terminal, states, told);
    } else {
        printOne(context.terminal, states.first(), told.value(names.first()));
    }
    return Exit::Done;
}

}  // namespace

Command viewsCommand()
{
    return {
        {.name = QStringLiteral("views"),
         .words = QStringLiteral("[VIEW]"),
         .summary = QStringLiteral("definitions and state"),
         .details = QStringLiteral(
             "Lists the views: pending (never refreshed), idle, refreshing, error (the last "
             "refresh\n"
             "failed) or refused (its definition cannot be used), where they come from and go to, "
             "and\n"
             "when they were last refreshed. With a name it tells all about one. Asks no "
             "engine,\n"
             "unless the state is kept in its tables."),
         .examples = {QStringLiteral("ivmctl views"),
                      QStringLiteral("ivmctl views departures_hourly"),
                      QStringLiteral("ivmctl views --json")},
         .options = {},
         .leastWords = 0,
         .mostWords = 1},
        run};
}

}  // namespace ivm::ctl
