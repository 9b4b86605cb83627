// ivmctl plugins: each plugin, its kind, version and state, and when it failed, why; its options.
#include "cli/ivmctl/command.h"
#include "cli/ivmctl/table_printer.h"
#include "framework/base/nearest.h"
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

// What the list calls it: its file, where its metadata does not say.
QString nameOf(const PluginEntry &entry)
{
    return entry.metadata ? entry.metadata->name : QFileInfo(entry.path).fileName();
}

QJsonObject optionJson(const PluginOption &option)
{
    QJsonObject out{{QStringLiteral("name"), option.name},
                    {QStringLiteral("type"), optionTypeName(option.type)},
                    {QStringLiteral("required"), option.required},
                    {QStringLiteral("secret"), option.secret},
                    {QStringLiteral("env"), option.environment},
                    {QStringLiteral("text"), option.text}};
    if (!option.defaultValue.isUndefined())
        out.insert(QStringLiteral("default"), option.defaultValue);
    return out;
}

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
        QJsonArray options;
        for (const auto &option : entry.metadata->options)
            options.append(optionJson(option));
        out.insert(QStringLiteral("options"), options);
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
                       nameOf(entry),
                       {},
                       state,
                       entry.reason ? entry.reason->text() : QString()});
    }
    table.finish();
}

// One that is a secret is not written into the configuration, but a file with it is named there.
void printOptions(Terminal &terminal, const QList<PluginOption> &options)
{
    if (options.isEmpty())
        return terminal.line(QStringLiteral("no options"));
    TablePrinter table(terminal, {{QStringLiteral("OPTION")},
                                  {QStringLiteral("TYPE")},
                                  {QStringLiteral("DEFAULT")},
                                  {QStringLiteral("VARIABLE")},
                                  {QStringLiteral("WHAT IT IS")}});
    for (const auto &option : options)
        table.row({option.secret ? QString(option.name + QStringLiteral("_file")) : option.name,
                   option.secret ? QStringLiteral("file with it") : optionTypeName(option.type),
                   option.required ? QStringLiteral("(needed)")
                                   : option.defaultValue.toVariant().toString(),
                   option.environment, option.text});
    table.finish();
}

void printOne(Terminal &terminal, const PluginEntry &entry)
{
    const QString state = pluginStateName(entry.state);
    if (entry.metadata)
        terminal.line(visible(QStringLiteral("%1 %2 %3, %4: %5")
                                  .arg(pluginKindName(entry.metadata->kind), entry.metadata->name,
                                       entry.metadata->version, state, entry.metadata->text)));
    else
        terminal.line(visible(QStringLiteral("%1, %2").arg(nameOf(entry), state)));
    terminal.line(visible(entry.path));
    if (entry.reason)
        terminal.line(visible(entry.reason->text()));
    if (entry.metadata)
        printOptions(terminal, entry.metadata->options);
}

// The configured engine and detector are made, too, which takes no more than finding their
// libraries; why one could not be is in its entry.
void loadThem(Host &host)
{
    host.plugins().loadAll();
    (void)host.executor();
    (void)host.detector();
}

// Those that the user names; NotFound (code `no_plugin`) where there is none.
Result<QList<PluginEntry>> named(const QString &name, const QList<PluginEntry> &entries)
{
    QList<PluginEntry> out;
    QStringList known;
    for (const auto &entry : entries) {
        known.append(nameOf(entry));
        if (known.last() == name)
            out.append(entry);
    }
    if (!out.isEmpty())
        return out;
    known.removeDuplicates();
    return fail(notFoundError(QStringLiteral("there is no plugin named '%1'").arg(name))
                    .withCode(u"no_plugin")
                    .withHint(nearestHint(name, known)));
}

Exit list(Context &context, QList<PluginEntry> entries)
{
    const QStringList &names = context.arguments.words;
    if (!names.isEmpty()) {
        auto wanted = named(names.first(), entries);
        if (!wanted)
            return failWith(context, wanted.error(), Exit::Usage);
        entries = *std::move(wanted);
    }
    if (context.terminal.isJson()) {
        QJsonArray list;
        for (const auto &entry : entries)
            list.append(entryJson(entry));
        context.terminal.json({{QStringLiteral("plugins"), list}});
    } else if (entries.isEmpty()) {
        context.terminal.note(u"no plugins were found; set IVM_PLUGIN_PATH to their folder");
    } else if (names.isEmpty()) {
        printTable(context.terminal, entries);
    } else {
        for (const auto &entry : entries) {
            if (&entry != &entries.first())
                context.terminal.line({});
            printOne(context.terminal, entry);
        }
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
         .words = QStringLiteral("[NAME]"),
         .summary = QStringLiteral("each plugin, its kind, version and state, and why one failed; "
                                   "the options of one"),
         .details = QStringLiteral(
             "Lists the executors (engines), detectors (what changed?) and stores (what was "
             "done?)\n"
             "that were found: in lib/ivm/plugins beside the program's folder, and in the folders "
             "that\n"
             "IVM_PLUGIN_PATH lists, separated by ':'. None of them is loaded for this, but with\n"
             "--load, in a process of its own: a plugin that ends it is named. With a NAME, those "
             "of\n"
             "that name, and what ivm.yaml may say of them."),
         .examples = {QStringLiteral("ivmctl plugins"), QStringLiteral("ivmctl plugins duckdb"),
                      QStringLiteral("IVM_PLUGIN_PATH=~/plugins ivmctl plugins --json")},
         .options = {{kLoad, {}, QStringLiteral("load each, to see whether it can be")},
                     {kProbe, QStringLiteral("PLUGIN"),
                      QStringLiteral("load that library alone, in this process")}},
         .leastWords = 0,
         .mostWords = 1},
        run};
}

}  // namespace ivm::ctl
