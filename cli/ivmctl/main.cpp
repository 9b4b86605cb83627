// ivmctl: what a person or a script asks of the views, one command a run.
#include "cli/ivmctl/command.h"
#include "cli/ivmctl/stop_signals.h"
#include "cli/program/program.h"
#include "framework/base/log.h"
#include "framework/host/documents.h"

#include <QCoreApplication>
#include <QDir>

#include <memory>

namespace ivm::ctl {

namespace {

QList<CommandSpec> specs()
{
    QList<CommandSpec> out;
    for (const auto &command : commands())
        out.append(command.spec);
    return out;
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
                                host = std::make_unique<Host>(hostRequest(
                                    QStringLiteral("ivmctl"), arguments.config, arguments.views));
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
        parsed = fail(invalidError(QStringLiteral("no command was given"))
                          .withCode(u"usage")
                          .withHint(u"See 'ivmctl help'"));
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
    ivm::useUtf8();
    return int(ivm::ctl::run(argc, argv));
}
