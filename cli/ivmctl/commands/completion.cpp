// ivmctl completion: scripts for shells, made from the same list of commands as the help.
#include "cli/ivmctl/command.h"

#include <algorithm>

namespace ivm::ctl {

namespace {

// The commands of one word; one that has parts takes their names as a word, and all their options.
QList<CommandSpec> topCommands()
{
    QList<CommandSpec> out;
    for (const auto &command : commands()) {
        const QString first = command.spec.name.section(u' ', 0, 0);
        if (first == command.spec.name) {
            out.append(command.spec);
            continue;
        }
        CommandSpec &whole = out.last();
        const QString part = command.spec.name.section(u' ', 1);
        const bool isList = !whole.words.isEmpty() && whole.words == whole.words.toLower();
        whole.words = isList ? QString(whole.words + u'|' + part) : part;
        whole.mostWords = 1;
        for (const auto &option : command.spec.options) {
            if (std::ranges::find(whole.options, option.name, &OptionSpec::name) ==
                whole.options.end())
                whole.options.append(option);
        }
    }
    return out;
}

// What stands at an argument's place.
enum class Words { None, Views, Commands, Listed };

Words wordsOf(const CommandSpec &spec)
{
    if (spec.words.contains(u"VIEW"))
        return Words::Views;
    if (spec.words.contains(u"COMMAND"))
        return Words::Commands;
    return !spec.words.isEmpty() && spec.words == spec.words.toLower() ? Words::Listed
                                                                       : Words::None;
}

QStringList listedWords(const CommandSpec &spec)
{
    switch (wordsOf(spec)) {
    case Words::Listed: return spec.words.split(u'|');
    case Words::Commands: break;
    default: return {};
    }
    QStringList names;
    for (const auto &command : topCommands())
        names.append(command.name);
    return names;
}

bool takesFile(const OptionSpec &option) { return option.value == u"FILE"; }

QStringList spellings(const OptionSpec &option)
{
    return option.letter.isEmpty() ? QStringList{option.name}
                                   : QStringList{option.letter, option.name};
}

QStringList spellings(const QList<OptionSpec> &options,
                      const std::function<bool(const OptionSpec &)> &isWanted)
{
    QStringList out;
    for (const auto &option : options) {
        if (isWanted(option))
            out += spellings(option);
    }
    return out;
}

QString longNames(const QList<OptionSpec> &options)
{
    QStringList names;
    for (const auto &option : options)
        names.append(option.name);
    return names.join(u' ');
}

// In single quotes, as POSIX shells and zsh read them.
QString quoted(QString text)
{
    return u'\'' + text.replace(u'\'', QStringLiteral("'\\''")) + u'\'';
}

// The tokens of an option and its value may be two or, around a '=', three. Names of views have
// letters, digits and '_' alone, so that no JSON has to be undone.
const QString kBash =
    QStringLiteral(R"sh(# bash completion for ivmctl, printed by: ivmctl completion bash
_ivmctl_views() {
    "$@" views --json 2>/dev/null | grep -o '"name":"[A-Za-z0-9_]*"' | cut -d '"' -f 4
}

_ivmctl() {
    local current=${COMP_WORDS[COMP_CWORD]} shared=() command='' given=0 option='' word i
    local options='@COMMON@' words='' most=0
    [[ $current == '=' ]] && current=''
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        case $word in
            @VALUED@)
                option=$word
                ((i++))
                [[ ${COMP_WORDS[i]} == '=' ]] && ((i++))
                if ((i >= COMP_CWORD)); then
                    break
                fi
                case $option in
                    @FILES@) shared+=("$option" "${COMP_WORDS[i]/#\~/$HOME}") ;;
                esac
                option=''
                ;;
            -?*) ;;
            *) if [[ -z $command ]]; then command=$word; else ((given++)); fi ;;
        esac
    done

    COMPREPLY=()
    case $option in
        @FILES@)
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
            return
            ;;
        ?*) return ;;
    esac
    case $command in
        '') words='@COMMANDS@' most=1 ;;
@CASES@    esac
    if [[ $current == -* ]]; then
        words=$options
    elif ((most >= 0 && given >= most)); then
        words=''
    elif [[ $words == VIEWS ]]; then
        words=$(_ivmctl_views "${COMP_WORDS[0]/#\~/$HOME}" "${shared[@]}")
    fi
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -F _ivmctl ivmctl
)sh");

QString bashCase(const CommandSpec &spec)
{
    QString line = QStringLiteral("        ") + spec.name + u')';
    if (!spec.options.isEmpty())
        line += QStringLiteral(" options+=' %1'").arg(longNames(spec.options));
    const bool hasViews = wordsOf(spec) == Words::Views;
    const QString words =
        hasViews ? QStringLiteral("VIEWS") : QString(listedWords(spec).join(u' '));
    if (!words.isEmpty())
        line += QStringLiteral(" words='%1' most=%2").arg(words, QString::number(spec.mostWords));
    return line + QStringLiteral(" ;;\n");
}

QString bashScript()
{
    QStringList names;
    QString cases;
    QList<OptionSpec> options = commonOptions();
    for (const auto &command : topCommands()) {
        names.append(command.name);
        cases += bashCase(command);
        options += command.options;
    }
    const auto isValued = [](const OptionSpec &option) { return !option.value.isEmpty(); };
    return QString(kBash)
        .replace(QStringLiteral("@COMMON@"), longNames(commonOptions()))
        .replace(QStringLiteral("@VALUED@"),
                 spellings(options, isValued).join(QStringLiteral(" | ")))
        .replace(QStringLiteral("@FILES@"),
                 spellings(options, takesFile).join(QStringLiteral(" | ")))
        .replace(QStringLiteral("@COMMANDS@"), names.join(u' '))
        .replace(QStringLiteral("@CASES@"), cases);
}

const QString kZsh = QStringLiteral(R"sh(#compdef ivmctl
# zsh completion for ivmctl, printed by: ivmctl completion zsh
_ivmctl_views() {
    local -a shared names
    local option value
    for option in @FILES@; do
        value=${opt_args[$option]:-${_ivmctl_before[$option]}}
        [[ -n $value ]] && shared+=($option ${~value})
    done
    names=(${(f)"$(${~_ivmctl_program} $shared views --json 2>/dev/null |
        grep -o '"name":"[A-Za-z0-9_]*"' | cut -d '"' -f 4)"})
    compadd -a names
}

_ivmctl() {
    local _ivmctl_program=$words[1] curcontext=$curcontext state line
    local -A opt_args _ivmctl_before
    local -a common commands
    common=(
@COMMON@    )
    commands=(
@COMMANDS@    )
    _arguments -C -A '-*' $common '1:command:->command' '*::word:->word'
    _ivmctl_before=("${(@kv)opt_args}")
    case $state in
        command) _describe command commands ;;
        word)
            case $line[1] in
@CASES@            esac
            ;;
    esac
}

if [[ $funcstack[1] == _ivmctl ]]; then
    _ivmctl "$@"
else
    compdef _ivmctl ivmctl
fi
)sh");

// One word for _arguments; '*' lets an option stand before and after the command.
QString zshOption(const OptionSpec &option)
{
    QString text = option.text;
    text.replace(u'\\', QStringLiteral("\\\\"))
        .replace(u'[', QStringLiteral("\\["))
        .replace(u']', QStringLiteral("\\]"));
    const QString value =
        option.value.isEmpty()
            ? QString()
            : QStringLiteral(":%1:%2").arg(option.value.toLower(), takesFile(option)
                                                                       ? QStringLiteral("_files")
                                                                       : QStringLiteral(" "));
    QStringList words;
    for (const QString &name : spellings(option)) {
        const bool isLong = name.startsWith(u"--");
        const QString equals = option.value.isEmpty() ? QString() : QString(isLong ? u'=' : u'+');
        words.append(quoted(name + equals + u'[' + text + u']' + value));
    }
    return words.join(u' ');
}

QString zshCase(const CommandSpec &spec)
{
    QString line = QStringLiteral("                %1) _arguments $common").arg(spec.name);
    for (const auto &option : spec.options)
        line += u' ' + zshOption(option);
    const QString place = spec.mostWords < 0 ? QStringLiteral("*") : QStringLiteral("1");
    if (wordsOf(spec) == Words::Views)
        line += QStringLiteral(" '%1:view:_ivmctl_views'").arg(place);
    else if (const auto words = listedWords(spec); !words.isEmpty())
        line += QStringLiteral(" '%1:word:(%2)'").arg(place, words.join(u' '));
    return line + QStringLiteral(" ;;\n");
}

QString zshScript()
{
    QString common;
    for (const auto &option : commonOptions())
        common += QStringLiteral("        %1\n").arg(zshOption(option));
    QString names;
    QString cases;
    for (const auto &command : topCommands()) {
        names += QStringLiteral("        %1\n").arg(quoted(command.name + u':' + command.summary));
        cases += zshCase(command);
    }
    return QString(kZsh)
        .replace(QStringLiteral("@COMMON@"), common)
        .replace(QStringLiteral("@COMMANDS@"), names)
        .replace(QStringLiteral("@CASES@"), cases)
        .replace(QStringLiteral("@FILES@"), spellings(commonOptions(), takesFile).join(u' '));
}

const QString kFish =
    QStringLiteral(R"sh(# fish completion for ivmctl, printed by: ivmctl completion fish
function __ivmctl_views
    set -l tokens (commandline -opc)
    set -l shared
    for i in (seq 2 (count $tokens))
        switch $tokens[$i]
            case @FILES@
                set -a shared $tokens[$i] $tokens[(math $i + 1)]
            case @ATTACHED@
                set -a shared $tokens[$i]
        end
    end
    $tokens[1] $shared views --json 2>/dev/null |
        string match -ar '"name":"[A-Za-z0-9_]*"' | string split -f 4 '"'
end

complete -c ivmctl -f
)sh");

QString fishQuoted(QString text)
{
    return u'\'' +
           text.replace(u'\\', QStringLiteral("\\\\")).replace(u'\'', QStringLiteral("\\'")) +
           u'\'';
}

QString fishOption(const OptionSpec &option, const QString &condition)
{
    QString line = QStringLiteral("complete -c ivmctl") + condition + QStringLiteral(" -l ") +
                   option.name.sliced(2);
    if (!option.letter.isEmpty())
        line += QStringLiteral(" -s ") + option.letter.sliced(1);
    if (!option.value.isEmpty())
        line += takesFile(option) ? QStringLiteral(" -rF") : QStringLiteral(" -x");
    return line + QStringLiteral(" -d ") + fishQuoted(option.text) + u'\n';
}

QString fishScript()
{
    const QStringList files = spellings(commonOptions(), takesFile);
    QStringList attached;
    for (const QString &name : files) {
        if (name.startsWith(u"--"))
            attached.append(quoted(name + QStringLiteral("=*")));
    }
    QString out = QString(kFish)
                      .replace(QStringLiteral("@FILES@"), files.join(u' '))
                      .replace(QStringLiteral("@ATTACHED@"), attached.join(u' '));
    for (const auto &option : commonOptions())
        out += fishOption(option, {});
    for (const auto &command : topCommands())
        out += QStringLiteral("complete -c ivmctl -n __fish_use_subcommand -a %1 -d %2\n")
                   .arg(command.name, fishQuoted(command.summary));
    for (const auto &command : topCommands()) {
        const QString condition =
            QStringLiteral(" -n '__fish_seen_subcommand_from %1'").arg(command.name);
        for (const auto &option : command.options)
            out += fishOption(option, condition);
        const QString words = wordsOf(command) == Words::Views ? QStringLiteral("(__ivmctl_views)")
                                                               : listedWords(command).join(u' ');
        if (!words.isEmpty())
            out += QStringLiteral("complete -c ivmctl%1 -a '%2'\n").arg(condition, words);
    }
    return out;
}

Exit run(Context &context)
{
    const QString shell = context.arguments.words.first();
    QString script;
    if (shell == u"bash")
        script = bashScript();
    else if (shell == u"zsh")
        script = zshScript();
    else if (shell == u"fish")
        script = fishScript();
    else
        return failWith(context,
                        invalidError(QStringLiteral("there is no completion for '%1'").arg(shell))
                            .withCode(u"usage")
                            .withHint(u"Known are bash, zsh and fish"),
                        Exit::Usage);
    context.terminal.raw(script.toUtf8());
    return Exit::Done;
}

}  // namespace

Command completionCommand()
{
    return {{.name = QStringLiteral("completion"),
             .words = QStringLiteral("bash|zsh|fish"),
             .summary = QStringLiteral("a script that lets a shell complete commands and views"),
             .details = QStringLiteral(
                 "Prints a script for the shell, which then completes commands, options, files and "
                 "the\n"
                 "names of views. What is installed with the program is this script."),
             .examples = {QStringLiteral("source <(ivmctl completion bash)"),
                          QStringLiteral("source <(ivmctl completion zsh)"),
                          QStringLiteral("ivmctl completion fish | source")},
             .options = {},
             .leastWords = 1,
             .mostWords = 1},
            run};
}

}  // namespace ivm::ctl
