#include "cli/ivmctl/arguments.h"

#include "framework/base/nearest.h"

#include <algorithm>

namespace ivm::ctl {

namespace {

Error usageError(QString message) { return invalidError(std::move(message)).withCode(u"usage"); }

const CommandSpec *find(const QList<CommandSpec> &commands, const QString &name)
{
    const auto found = std::ranges::find(commands, name, &CommandSpec::name);
    return found == commands.end() ? nullptr : &*found;
}

// A word, as in `migrate downgrade -2`: no option is a number.
bool isNegativeNumber(QStringView text)
{
    const auto isDigit = [](QChar c) { return c >= u'0' && c <= u'9'; };
    return text.size() > 1 && text.startsWith(u'-') && std::ranges::all_of(text.sliced(1), isDigit);
}

class Parser {
public:
    Parser(const QStringList &arguments, const QList<CommandSpec> &commands, Arguments &read)
        : m_left(arguments), m_commands(commands), m_read(read)
    {
    }

    Status parse()
    {
        while (!m_left.isEmpty()) {
            const QString argument = m_left.takeFirst();
            if (argument == u"--" && !m_onlyWords)
                m_onlyWords = true;
            else if (!m_onlyWords && argument.size() > 1 && argument.startsWith(u'-') &&
                     !isNegativeNumber(argument))
                IVM_CHECK(takeOption(argument));
            else
                IVM_CHECK(takeWord(argument));
        }
        return checkWords();
    }

private:
    Status takeWord(const QString &word)
    {
        if (m_command && m_read.words.isEmpty() && takePart(word))
            return {};
        if (m_command) {
            m_read.words.append(word);
            return {};
        }
        m_command = find(m_commands, word);
        if (m_command) {
            m_read.command = word;
            return {};
        }
        QStringList names;
        for (const auto &command : m_commands) {
            if (!command.name.contains(u' '))
                names.append(command.name);
        }
        return fail(usageError(QStringLiteral("unknown command '%1'").arg(word))
                        .withHint(nearestHint(word, names)));
    }

    // The second word of a command of two. Options that were read so far are those that both know.
    bool takePart(const QString &word)
    {
        const auto *part = find(m_commands, QString(m_command->name + u' ' + word));
        if (part) {
            m_command = part;
            m_read.command = part->name;
        }
        return part;
    }

    Status takeOption(const QString &argument)
    {
        if (argument.startsWith(u"--"))
            return takeLong(argument.section(u'=', 0, 0), argument);
        const OptionSpec *spec = specOf(argument.first(2), &OptionSpec::letter);
        if (!spec)
            return unknown(argument);
        if (!spec->value.isEmpty())
            return takeValue(spec->name, argument.sliced(2));
        return argument.size() == 2 ? set(spec->name, {}) : unknown(argument);
    }

    Status takeLong(const QString &name, const QString &argument)
    {
        const std::optional<QString> value =
            argument.contains(u'=') ? std::optional(argument.section(u'=', 1)) : std::nullopt;
        const OptionSpec *spec = specOf(name);
        if (!spec)
            return unknown(name);
        if (!spec->value.isEmpty())
            return value ? set(name, *value) : takeValue(name, {});
        if (value)
            return fail(usageError(QStringLiteral("option '%1' takes no value").arg(name)));
        return set(name, {});
    }

    Status takeValue(const QString &name, const QString &attached)
    {
        if (!attached.isEmpty())
            return set(name, attached);
        if (m_left.isEmpty())
            return fail(usageError(
                QStringLiteral("option '%1' needs a value: %2").arg(name, specOf(name)->value)));
        return set(name, m_left.takeFirst());
    }

    const OptionSpec *specOf(const QString &name, QString OptionSpec::*by = &OptionSpec::name) const
    {
        const auto in = [&](const QList<OptionSpec> &options) -> const OptionSpec * {
            const auto found = std::ranges::find(options, name, by);
            return found == options.end() ? nullptr : &*found;
        };
        const OptionSpec *common = in(commonOptions());
        return common || !m_command ? common : in(m_command->options);
    }

    Status set(const QString &name, const QString &value)
    {
        if (name == u"--config")
            m_read.config = value;
        else if (name == u"--views")
            m_read.views = value;
        else if (name == u"--json")
            m_read.json = true;
        else if (name == u"--quiet")
            m_read.quiet = true;
        else if (name == u"--verbose")
            m_read.verbose = true;
        else if (name == u"--no-color")
            m_read.noColour = true;
        else if (name == u"--help")
            m_read.help = true;
        else if (name == u"--version")
            m_read.version = true;
        else
            m_read.options.insert(name, value);
        return {};
    }

    Status unknown(const QString &name) const
    {
        QStringList names;
        for (const auto &option : commonOptions())
            names.append(option.name);
        if (m_command) {
            for (const auto &option : m_command->options)
                names.append(option.name);
        }
        auto error = usageError(
            m_command
                ? QStringLiteral("unknown option '%1' of 'ivmctl %2'").arg(name, m_command->name)
                : QStringLiteral("unknown option '%1'").arg(name));
        const QString question = didYouMean(name, names);
        const QString help =
            m_command ? QStringLiteral("See 'ivmctl help %1'").arg(m_command->name)
                      : QStringLiteral("Options of a command stand after it; see 'ivmctl help'");
        return fail(std::move(error).withHint(question.isEmpty() ? help : question));
    }

    Status checkWords() const
    {
        if (!m_command || m_read.help)
            return {};
        const auto count = m_read.words.size();
        const QString usage =
            QStringLiteral("Usage: ivmctl %1 %2").arg(m_command->name, m_command->words).trimmed();
        if (count < m_command->leastWords)
            return fail(
                usageError(
                    QStringLiteral("'ivmctl %1' needs %2").arg(m_command->name, m_command->words))
                    .withHint(usage));
        if (m_command->mostWords >= 0 && count > m_command->mostWords)
            return fail(usageError(QStringLiteral("'%1' is too much for 'ivmctl %2'")
                                       .arg(m_read.words[m_command->mostWords], m_command->name))
                            .withHint(usage));
        return {};
    }

    QStringList m_left;
    const QList<CommandSpec> &m_commands;
    Arguments &m_read;
    const CommandSpec *m_command = nullptr;
    bool m_onlyWords = false;
};

}  // namespace

const QList<OptionSpec> &commonOptions()
{
    static const QList<OptionSpec> options{
        {QStringLiteral("--config"), QStringLiteral("FILE"),
         QStringLiteral("default ivm.yaml, else config.yaml, else the embedded engine"),
         QStringLiteral("-c")},
        {QStringLiteral("--views"), QStringLiteral("FILE"),
         QStringLiteral("the views; default views.yaml")},
        {QStringLiteral("--json"), {}, QStringLiteral("one JSON document on stdout")},
        {QStringLiteral("--quiet"), {}, QStringLiteral("results and errors only")},
        {QStringLiteral("--verbose"),
         {},
         QStringLiteral("each step on stderr"),
         QStringLiteral("-v")},
        {QStringLiteral("--no-color"),
         {},
         QStringLiteral("no colours; also with NO_COLOR set, and in a pipe")},
        {QStringLiteral("--help"),
         {},
         QStringLiteral("what the command does"),
         QStringLiteral("-h")},
        {QStringLiteral("--version"), {}, QStringLiteral("the version")},
    };
    return options;
}

Status parseArguments(const QStringList &arguments, const QList<CommandSpec> &commands,
                      Arguments &read)
{
    return Parser(arguments, commands, read).parse();
}

}  // namespace ivm::ctl
