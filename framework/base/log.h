// Log lines of a running refresh or host: one line a fact, on stderr, never on stdout.
//
// A thin layer over Qt's logging categories, which are thread-safe; logRefresh is "ivm.refresh":
// qCWarning(logRefresh, "view %s: …", qPrintable(name)).
#pragma once

#include "framework/base/result.h"

#include <QLoggingCategory>

namespace ivm {

enum class LogLevel { Quiet, Normal, Verbose };

// Installs the line format and the level for the whole process; call once, from main().
void setUpLogging(LogLevel level);

// Of a host: with the time, and what it does told too.
enum class LogForm { Text, Json };
Result<LogForm> logFormFromName(QStringView name);  // Invalid for others than "text" and "json"
void setUpHostLogging(LogForm form);

Q_DECLARE_LOGGING_CATEGORY(logHost)
Q_DECLARE_LOGGING_CATEGORY(logRefresh)
Q_DECLARE_LOGGING_CATEGORY(logPlugin)
Q_DECLARE_LOGGING_CATEGORY(logExecutor)
Q_DECLARE_LOGGING_CATEGORY(logStore)
Q_DECLARE_LOGGING_CATEGORY(logMigrate)

}  // namespace ivm
