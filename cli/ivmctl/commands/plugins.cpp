// ivmctl plugins: each plugin, its kind, version and state, and when it failed, why.
#include "cli/ivmctl/command.h"
#include "cli/ivmctl/table_printer.h"
#include "framework/host/documents.h"
#include "framework/host/plugin_probe.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QProcess>

#include <cstring>

namespace ivm::ctl {

namespace {

const QString kLoad = QStringLiteral("--load");
const QString kProbe = QStringLiteral("--probe");
const QString kAll = QStringLiteral("all");
const QString kExecutor = QStringLiteral("executor");
const QString kDetector = QStringLiteral("detector");
constexpr int kLongestProbe = 60'000;  // milliseconds

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

Exit list(Context &context, const QList<PluginEntry> &entries)
{
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

// A process of our own that loads plugins, since one may end the process that it is in.
struct Probe {
    QProcess process;
    QByteArray answer;
    bool isLate = false;

    // False where it did not come to its end.
    bool run(const QString &what)
    {
        const QStringList arguments = QCoreApplication::arguments().mid(1);
        process.start(QCoreApplication::applicationFilePath(),
                      arguments + QStringList{kProbe, what});
        process.closeWriteChannel();
        isLate = !process.waitForFinished(kLongestProbe);
        if (isLate) {
            process.kill();
            process.waitForFinished();
        }
        answer = process.readAllStandardOutput();
        return !isLate && process.exitStatus() == QProcess::NormalExit && !answer.isEmpty();
    }

    QString howItEnded() const
    {
        if (isLate)
            return QStringLiteral("it did not come back within %1 seconds")
                .arg(kLongestProbe / 1000);
        const int code = process.exitCode();
        if (process.exitStatus() == QProcess::NormalExit)
            return QStringLiteral("it ended the process that it was in (exit code %1)").arg(code);
        return QStringLiteral("it ended the process that it was in (signal %1: %2)")
            .arg(QString::number(code), QString::fromLocal8Bit(strsignal(code)));
    }
};

// What loading or making the plugin came to, `what` being the probe's word for it.
void probe(PluginEntry &entry, const QString &what, PluginState good, QStringView doing)
{
    if (entry.state == PluginState::Failed)
        return;
    Probe one;
    const bool ended = one.run(what);
    if (ended && one.process.exitCode() == int(Exit::Done)) {
        entry.state = good;
        return;
    }
    entry.state = PluginState::Failed;
    if (!ended) {
        entry.reason =
            internalError(QStringLiteral("plugin %1: %2").arg(entry.path, one.howItEnded()))
                .during(doing)
                .withCode(u"plugin_crash")
                .withHint(u"Take it out of the folder, and tell its authors; a host that uses it "
                          u"ends the same way");
        return;
    }
    const auto error = QJsonDocument::fromJson(one.answer).object().value(u"error").toObject();
    entry.reason = internalError(error.value(u"message").toString())
                       .withCode(error.value(u"code").toString())
                       .withHint(error.value(u"hint").toString());
}

// One by one, each in a process of its own: which of them is it?
QList<PluginEntry> probeEach(Host &host)
{
    auto entries = host.plugins().entries();
    const auto isChosen = [&](const PluginEntry &entry, PluginKind kind, const QString &name) {
        return entry.metadata && entry.metadata->kind == kind && entry.metadata->name == name;
    };
    for (auto &entry : entries) {
        probe(entry, entry.path, PluginState::Loaded, u"loading it");
        if (isChosen(entry, PluginKind::Executor, host.config().executor.plugin))
            probe(entry, kExecutor, PluginState::Ready, u"making the executor");
        else if (isChosen(entry, PluginKind::Detector, host.config().detector.plugin))
            probe(entry, kDetector, PluginState::Ready, u"making the detector");
    }
    return entries;
}

// What a probe does; in JSON, whatever the user asked for.
Exit runProbe(Context &context, const QString &what)
{
    const auto told = [&](const auto &done) {
        context.terminal.json(
            done ? QJsonObject() : QJsonObject{{QStringLiteral("error"), errorJson(done.error())}});
        return done ? Exit::Done : Exit::Failed;
    };
    if (what == kExecutor)
        return told(context.host().executor());
    if (what == kDetector)
        return told(context.host().detector());
    if (what != kAll)
        return told(probePlugin(what));
    loadThem(context.host());
    return list(context, context.host().plugins().entries());
}

Exit load(Context &context)
{
    Probe all;
    if (!all.run(kAll))
        return list(context, probeEach(context.host()));
    context.terminal.raw(all.answer);
    for (const auto &line : all.process.readAllStandardError().trimmed().split('\n')) {
        if (!line.isEmpty())
            context.terminal.note(QString::fromUtf8(line));
    }
    return Exit(all.process.exitCode());
}

Exit run(Context &context)
{
    if (context.arguments.has(kProbe))
        return runProbe(context, context.arguments.options.value(kProbe));
    if (context.arguments.has(kLoad))
        return load(context);
    return list(context, context.host().plugins().entries());
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
             "--load, in a process of its own: a plugin that ends it is named."),
         .examples = {QStringLiteral("ivmctl plugins"),
                      QStringLiteral("IVM_PLUGIN_PATH=~/plugins ivmctl plugins --json")},
         .options = {{kLoad, {}, QStringLiteral("load each, to see whether it can be")},
                     {kProbe, QStringLiteral("PLUGIN"),
                      QStringLiteral("load that library alone, in this process")}},
         .leastWords = 0,
         .mostWords = 0},
        run};
}

}  // namespace ivm::ctl
