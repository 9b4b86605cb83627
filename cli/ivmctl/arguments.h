// The command line, taken apart: options for all commands, the command's name, its own options and
// words.
//
// Pure; any thread.
#pragma once

#include "framework/base/result.h"

#include <QMap>
#include <QStringList>

#include <optional>

namespace ivm::ctl {

struct OptionSpec {
    QString name;   // "--full"
    QString value;  // what it takes, for help ("TIME"); empty: nothing
    QString text;
    QString letter = {};  // "-c"; empty: none
};

struct CommandSpec {
    QString name;     // one word, or two: "migrate upgrade"
    QString words;    // "[VIEW…]", for help
    QString summary;  // half a sentence
    QString details;  // paragraphs
    QStringList examples;
    QList<OptionSpec> options;
    int leastWords = 0;
    int mostWords = 0;  // -1: any number
};

struct Arguments {
    std::optional<QString> config;
    std::optional<QString> views;
    bool json = false;
    bool quiet = false;
    bool verbose = false;
    bool noColour = false;
    bool help = false;
    bool version = false;
    QString command;    // empty when none was given
    QStringList words;  // after the command
    QMap<QString, QString>
        options;  // the command's own, by name; the value is empty for one that takes none

    bool has(const QString &option) const { return options.contains(option); }
};

const QList<OptionSpec> &commonOptions();

// Invalid, code `usage`: an unknown command or option (with the nearest one), a missing or
// superfluous value or word. What could be read before the mistake is in `read` either way.
Status parseArguments(const QStringList &arguments, const QList<CommandSpec> &commands,
                      Arguments &read);

}  // namespace ivm::ctl
