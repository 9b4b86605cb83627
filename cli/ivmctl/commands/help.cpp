// ivmctl help: what there is, and what a command does.
#include "cli/ivmctl/command.h"

#include "framework/base/nearest.h"

#include <algorithm>

namespace ivm::ctl {

namespace {

QString optionLines(const QList<OptionSpec> &options)
{
    qsizetype width = 0;
    QStringList names;
    const bool haveLetters = std::ranges::any_of(
        options, [](const OptionSpec &option) { return !option.letter.isEmpty(); });
    for (const auto &option : options) {
        QString name = option.name;
        if (haveLetters)
            name.prepend(option.letter.isEmpty() ? QStringLiteral("    ")
                                                 : QString(option.letter + u", "));
        names.append(option.value.isEmpty() ? name : QString(name + u' ' + option.value));
        width = std::max(width, names.last().size());
    }
    QString out;
    for (qsizetype i = 0; i < options.size(); ++i)
        out += QStringLiteral("  %1  %2\n").arg(names[i].leftJustified(width), options[i].text);
    return out;
}

QString helpOfAll()
{
    QString out =
        QStringLiteral("Keeps views over Apache Iceberg tables exactly equal to their SQL.\n\n"
                       "Usage: ivmctl COMMAND [OPTION…] [WORD…]\n\nCommands:\n");
    qsizetype width = 0;
    const auto isPart = [](const Command &command) { return command.spec.name.contains(u' '); };
    for (const auto &command : commands()) {
        if (!isPart(command))
            width = std::max(width, command.spec.name.size());
    }
    for (const auto &command : commands()) {
        if (!isPart(command))
            out += QStringLiteral("  %1  %2\n")
                       .arg(command.spec.name.leftJustified(width), command.spec.summary);
    }
    out += QStringLiteral("\nOptions for all:\n") + optionLines(commonOptions());
    out += QStringLiteral(
        "\nExit codes: 0 done, 1 failed, 2 usage or configuration, 3 partly done, 4 differs.\n"
        "See 'ivmctl help COMMAND' for the options of a command.\n");
    return out;
}

QString helpOf(const CommandSpec &spec)
{
    QString out = QStringLiteral("Usage: ivmctl %1 %2").arg(spec.name, spec.words).trimmed() +
                  QStringLiteral("\n\n");
    out += spec.details + QStringLiteral("\n");
    if (!spec.options.isEmpty())
        out += QStringLiteral("\nOptions:\n") + optionLines(spec.options);
    out += QStringLiteral("\nExamples:\n");
    for (const QString &example : spec.examples)
        out += QStringLiteral("  %1\n").arg(example);
    return out;
}

Exit run(Context &context)
{
    const QString name = context.arguments.words.join(u' ');
    QStringList names;
    for (const auto &command : commands()) {
        if (!command.spec.name.contains(u' ') || name.contains(u' '))
            names.append(command.spec.name);
    }
    if (!name.isEmpty() && !names.contains(name))
        return failWith(context,
                        invalidError(QStringLiteral("unknown command '%1'").arg(name))
                            .withCode(u"usage")
                            .withHint(nearestHint(name, names)),
                        Exit::Usage);
    context.terminal.raw(helpText(name).toUtf8());
    return Exit::Done;
}

}  // namespace

QString helpText(const QString &name)
{
    for (const auto &command : commands()) {
        if (command.spec.name == name)
            return helpOf(command.spec);
    }
    return helpOfAll();
}

Command helpCommand()
{
    return {
        {.name = QStringLiteral("help"),
         .words = QStringLiteral("[COMMAND]"),
         .summary = QStringLiteral("what a command does"),
         .details = QStringLiteral(
             "Lists the commands, or tells what one of them does, with its options and examples."),
         .examples = {QStringLiteral("ivmctl help refresh"),
                      QStringLiteral("ivmctl help migrate upgrade")},
         .options = {},
         .leastWords = 0,
         .mostWords = 2},
        run};
}

}  // namespace ivm::ctl
