// ivmctl plugins: each plugin, its kind, version and state, and when it failed, why.
#include "cli/ivmctl/command.h"
#include "cli/ivmctl/table_printer.h"
#include "framework/host/documents.h"

#include <QFileInfo>
#include <QJsonArray>

namespace ivm::ctl {

namespace {

QJsonObject entryJson(const PluginEntry &entry)
{
    QJsonObject out{{QStringLiteral("path"), entry.path},
                    {QStringLiteral("state"), pluginStateName(entry.state)}};
    if (entry.metadata) {
        out.insert(QStringLiteral("kind"), pluginKindName(entry.metadata->kind));
        out.insert(QStringLiteral("name"), entry.metadata->name);
        out.insert(QStringLiteral("version"), entry.metadata->version);
        out.insert(QStringLiteral("text"), entry.metadata->text);
        out.insert(QStringLiteral("capabilities"),
                   QJsonArray::fromStringList(entry.metadata->capabilities));
    }
    if (entry.reason)
        out.insert(QStringLiteral("error"), errorJson(*entry.reason));
    return out;
}

void printTable(Terminal &terminal, const QList<PluginEntry> &entries)
{
    TablePrinter table(terminal, {{QStringLiteral("KIND")},
                                  {QStringLiteral("NAME")},
                                  {QStringLiteral("VERSION")},
                                  {QStringLiteral("STATE")},
                                  {QStringLiteral("WHAT IT IS, OR WHY IT FAILED")}});
    for (const auto &entry : entries) {
        const QString state = pluginStateName(entry.state);
        if (entry.metadata)
            table.row({pluginKindName(entry.metadata->kind), entry.metadata->name,
                       entry.metadata->version, state,
                       entry.reason ? entry.reason->text() : entry.metadata->text});
        else
            table.row({QStringLiteral("?"),
                       QFileInfo(entry.path).fileName(),
                       {},
                       state,
                       entry.reason ? entry.reason->text() : QString()});
    }
    table.finish();
}

// The configured engine and detector are made, too, which takes no more than finding their
// libraries; why one could not be is in its entry.
void loadThem(Host &host)
{
    host.plugins().loadAll();
    (void)host.executor();
    (void)host.detector();
}

Exit run(Context &context)
{
    if (context.arguments.has(QStringLiteral("--load")))
        loadThem(context.host());
    const auto entries = context.host().plugins().entries();
    if (context.terminal.isJson()) {
        QJsonArray list;
        for (const auto &entry : entries)
            list.append(entryJson(entry));
        context.terminal.json({{QStringLiteral("plugins"), list}});
    } else if (entries.isEmpty()) {
        context.terminal.note(u"no plugins were found; set IVM_PLUGIN_PATH to their folder");
    } else {
        printTable(context.terminal, entries);
    }
    return Exit::Done;
}

}  // namespace

Command pluginsCommand()
{
    return {
        {.name = QStringLiteral("plugins"),
         .words = {},
         .summary = QStringLiteral("each plugin, its kind, version and state, and why one failed"),
         .details = QStringLiteral(
             "Lists the executors (engines), detectors (what changed?) and stores (what was "
             "done?)\n"
             "that were found: in lib/ivm/plugins beside the program's folder, and in the folders "
             "that\n"
             "IVM_PLUGIN_PATH lists, separated by ':'. None of them is loaded for this, but with\n"
             "--load."),
         .examples = {QStringLiteral("ivmctl plugins"),
                      QStringLiteral("IVM_PLUGIN_PATH=~/plugins ivmctl plugins --json")},
         .options = {{QStringLiteral("--load"),
                      {},
                      QStringLiteral("load each, to see whether it can be")}},
         .leastWords = 0,
         .mostWords = 0},
        run};
}

}  // namespace ivm::ctl
