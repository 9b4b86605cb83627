// ivmctl: what a person or a script asks of the views, one command a run.
#include "cli/ivmctl/command.h"
#include "cli/ivmctl/stop_signals.h"
#include "framework/base/log.h"

#include <QCoreApplication>
#include <QDir>
#include <QProcessEnvironment>

#include <clocale>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <langinfo.h>

namespace ivm::ctl {

namespace {

// Qt warns, and spells names wrongly, where the locale's text is not UTF-8.
void useUtf8()
{
    std::setlocale(LC_ALL, "");
    if (std::strcmp(nl_langinfo(CODESET), "UTF-8") != 0)
        setenv("LC_ALL", "C.UTF-8", 1);
}

QList<CommandSpec> specs()
{
    QList<CommandSpec> out;
    for (const auto &command : commands())
        out.append(command.spec);
    return out;
}

HostRequest hostRequest(const Arguments &arguments)
{
    HostRequest request;
    const auto environment = QProcessEnvironment::systemEnvironment();
    for (const QString &name : environment.keys())
        request.config.environment.insert(name, environment.value(name));
    request.config.folder = QDir::currentPath();
    request.config.file = arguments.config;
    request.config.viewsFile = arguments.views.value_or(request.config.viewsFile);
    request.pluginFolders = pluginFolders(QCoreApplication::applicationDirPath(),
                                          environment.value(QStringLiteral("IVM_PLUGIN_PATH")));
    request.program = QStringLiteral("ivmctl");
    return request;
}

Exit runCommand(const Arguments &arguments, Terminal &terminal, int &argc, char **argv)
{
    for (const auto &command : commands()) {
        if (command.spec.name != arguments.command)
            continue;
        const QCoreApplication application(argc, argv);
        setUpLogging(arguments.verbose ? LogLevel::Verbose
                     : arguments.quiet ? LogLevel::Quiet
                                       : LogLevel::Normal);
        std::unique_ptr<Host> host;
        Context context{arguments, terminal,
                        [&]() -> Host & {
                            if (!host)
                                host = std::make_unique<Host>(hostRequest(arguments));
                            return *host;
                        },
                        Call{.stop = stopOnSignals(), .deadline = {}}};
        return command.run(context);
    }
    return Exit::Usage;
}

void printHelp(Terminal &terminal, const QString &command)
{
    terminal.raw(helpText(command).toUtf8());
}

Exit run(int &argc, char **argv)
{
    QStringList words;
    for (int i = 1; i < argc; ++i)
        words.append(QString::fromUtf8(argv[i]));
    Arguments arguments;
    Status parsed = parseArguments(words, specs(), arguments);
    if (parsed && arguments.command.isEmpty() && !arguments.version && !arguments.help)
        parsed = fail(
            invalidError(QStringLiteral("no command was given")).withHint(u"See 'ivmctl help'"));
    // What is wrong may stand before it.
    const bool json = arguments.json || (!parsed && words.contains(QStringLiteral("--json")));
    Terminal terminal({.json = json,
                       .quiet = arguments.quiet,
                       .colour = !arguments.noColour && qEnvironmentVariableIsEmpty("NO_COLOR"),
                       .folder = QDir::currentPath()});
    Exit exit = Exit::Done;
    if (!parsed) {
        terminal.error(parsed.error());
        if (terminal.isJson())
            terminal.json({{QStringLiteral("error"), errorJson(parsed.error())}});
        exit = Exit::Usage;
    } else if (arguments.version) {
        terminal.line(QStringLiteral("ivmctl ") + hostVersion());
    } else if (arguments.help) {
        printHelp(terminal, arguments.command);
    } else {
        exit = runCommand(arguments, terminal, argc, argv);
    }
    if (!terminal.flush() && exit == Exit::Done) {
        terminal.error(unavailableError(QStringLiteral("the output could not be written")));
        return Exit::Failed;
    }
    return exit;
}

}  // namespace

}  // namespace ivm::ctl

int main(int argc, char **argv)
{
    ivm::ctl::useUtf8();
    return int(ivm::ctl::run(argc, argv));
}
