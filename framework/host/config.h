// The host's configuration: ivm.yaml, or the config.yaml of the system it can replace, or nothing
// at all.
//
// Plain data; any thread. Everything from outside is passed in: no environment and no working
// folder is read here. Options of plugins are kept as they were written: plugin_options.h checks
// them against the plugin's own list.
#pragma once

#include "framework/yaml/yaml.h"

#include <QMap>

#include <chrono>
#include <optional>

namespace ivm {

using Environment = QMap<QString, QString>;

struct ConfigRequest {
    QString folder;               // relative paths start here; absolute
    std::optional<QString> file;  // as the user named it; must exist then
    QString viewsFile = QStringLiteral("views.yaml");
    Environment environment;
};

// A section that names a plugin and holds its options.
struct PluginChoice {
    QString section;  // "executor", "detector", "state", "history"
    QString plugin;
    yaml::Node options = {};    // the whole section, a map
    QStringList hostKeys = {};  // those of its keys that are not for the plugin
    Place place = {};           // of the section; empty when nothing was written
};

struct Config {
    QString file;       // absolute; empty when there is none
    QString folder;     // of the file, or the working folder: relative paths in it start here
    QString viewsFile;  // absolute

    int port = 8000;  // 0: any that is free
    QString listen = QStringLiteral("127.0.0.1");
    std::chrono::milliseconds reloadInterval{30'000};
    std::chrono::milliseconds shutdownGrace{10'000};

    PluginChoice executor;
    PluginChoice detector;
    PluginChoice state;
    PluginChoice history;
    std::chrono::milliseconds pollInterval{1000};

    int parallelRefreshes = 4;
    std::chrono::milliseconds longestRetry{300'000};

    // Plugins' options may come from it; their metadata says from which variables.
    Environment environment;

    // Whether the engine is in this process, with its tables on this machine.
    bool isEmbedded() const { return executor.plugin == u"duckdb"; }
};

struct ConfigOutcome {
    Config config;
    QList<Error> problems;  // the config must not be used unless this is empty
};

// Finds the file (the one asked for, else ivm.yaml, else config.yaml, else none), reads and checks
// it.
ConfigOutcome loadConfig(const ConfigRequest &request);

}  // namespace ivm
