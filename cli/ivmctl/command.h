// What a command is, and what it is given.
//
// Threads: commands run on the main thread. Lifetime: a Context lasts as long as the command.
#pragma once

#include "cli/ivmctl/arguments.h"
#include "cli/ivmctl/terminal.h"
#include "framework/base/call.h"
#include "framework/host/host.h"

#include <functional>

namespace ivm::ctl {

enum class Exit {
    Done = 0,
    Failed = 1,
    Usage = 2,    // or configuration
    Partly = 3,   // some of it was done
    Differs = 4,  // verify: a target from its query; migrate: drift, or something is left
};

struct Context {
    const Arguments &arguments;
    Terminal &terminal;
    std::function<Host &()> host;  // made when it is first asked for
    Call call;                     // stopped by SIGINT and SIGTERM
};

struct Command {
    CommandSpec spec;
    Exit (*run)(Context &context);
};

// Every command, in the order in which help lists them.
const QList<Command> &commands();

// One a file in commands/.
Command checkCommand();
Command completionCommand();
Command explainCommand();
Command helpCommand();
Command migrateCommand();
Command migrateCheckCommand();
Command migrateDowngradeCommand();
Command migrateHistoryCommand();
Command migrateInitCommand();
Command migratePlanCommand();
Command migrateRepairCommand();
Command migrateRevisionCommand();
Command migrateStampCommand();
Command migrateStatusCommand();
Command migrateUnlockCommand();
Command migrateUpgradeCommand();
Command pluginsCommand();
Command pluginsNewCommand();
Command refreshCommand();
Command sqlCommand();
Command tablesCommand();
Command verifyCommand();
Command viewsCommand();

// The help of one command, or of all when there is no such command.
QString helpText(const QString &command);

// Reports the error, on stdout too with --json, and gives the code to end with.
Exit failWith(Context &context, const Error &error, Exit exit = Exit::Failed);

// False, with everything reported, when the configuration is not usable; else as configured and
// ready.
bool isConfigured(Context &context);
// Nothing where all views are known; else the code to end with, and why is reported.
std::optional<Exit> whyNoViews(Context &context);

// The named views in the order in which they are to be refreshed; all when none is named. A name
// that is unknown is reported, and gives nothing.
std::optional<QList<const Definition *>> selectViews(Context &context, const QStringList &names);

}  // namespace ivm::ctl
