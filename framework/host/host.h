// Puts the parts together: configuration, plugins, definitions, and what they make: executor,
// detector, stores.
//
// Everything is made when it is first asked for, so that a command pays only for what it uses.
// Threads: made and used by one thread; executor(), state(), history() and definitions() may be
// called from any. Lifetime: what it hands out lives as long as it.
#pragma once

#include "framework/base/clock.h"
#include "framework/host/config.h"
#include "framework/host/definitions.h"
#include "framework/host/plugin_catalog.h"
#include "framework/refresh/refresh.h"

#include <mutex>

namespace ivm {

struct HostRequest {
    ConfigRequest config;
    QStringList pluginFolders;
    QString program;  // "ivmctl"; part of the name under which leases are held
};

class Host {
public:
    explicit Host(const HostRequest &request);
    ~Host();
    Host(const Host &) = delete;
    Host &operator=(const Host &) = delete;

    const Config &config() const { return m_config.config; }
    // Everything that is wrong with the configuration, plugins' options included. Nothing below
    // works then.
    const QList<Error> &problems();

    PluginCatalog &plugins();
    // Those of the file and those of the history, which is read for it. Where that did not answer,
    // those of the file alone, and historyOutage() says why.
    const Definitions &definitions();
    const std::optional<Error> &historyOutage();
    // Those of the file alone: no engine is asked.
    Definitions definitionsOfFile();

    // Catalog and schema of bare names.
    TableName tableDefaults();

    // Whether the embedded engine's folder is there; fine for an engine that has none. NotFound,
    // Invalid (not a folder).
    Status warehouseIsThere();
    // Of a host that has just been set up: an empty one, where there is none. Unavailable.
    Status makeWarehouse();

    // Errors: the configuration's first problem; as the plugins' create().
    Result<Executor *> executor();
    Result<Detector *> detector();
    Result<StateStore *> state();
    Result<HistoryStore *> history();
    // Who holds leases and locks, for people: program, machine, process.
    QString owner() const;
    // All that a refresh needs. The executor is made only when the refresh asks for it.
    Result<RefreshServices> services();

private:
    struct Options {
        QJsonObject executor;
        QJsonObject detector;
        QJsonObject state;
        QJsonObject history;
    };

    const Options &options();
    QJsonObject optionsOf(PluginKind kind, const PluginChoice &choice,
                          const QJsonObject &inherited);
    QString warehouse();
    QString usualStatePath();
    Status ready();
    Result<MigrationHistory> migrationHistory();
    QJsonObject historyDefaults(const QString &catalog, const QJsonObject &state);
    ExecutorProvider executorProvider();
    // `past` is null where the migrations' history cannot be read.
    Definitions readDefinitions(const MigrationHistory *past);
    SafeHorizon safeHorizon();

    HostRequest m_request;
    ConfigOutcome m_config;
    SystemClock m_clock;
    std::unique_ptr<PluginCatalog> m_plugins;
    std::optional<Options> m_options;
    std::optional<Definitions> m_definitions;
    std::optional<Error> m_historyOutage;
    std::recursive_mutex m_mutex;  // of all that is made when it is first asked for
    std::unique_ptr<Executor> m_executor;
    std::unique_ptr<Detector> m_detector;
    std::unique_ptr<StateStore> m_state;
    std::unique_ptr<HistoryStore> m_history;
};

}  // namespace ivm
