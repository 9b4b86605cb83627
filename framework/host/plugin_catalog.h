// The plugins of this installation: found, checked by their metadata, and loaded when one is asked
// for by name.
//
// A broken plugin is an entry with a reason, never a crash: what a plugin throws ends here, and
// what one has made is behind a guard (plugin_guard.h). Threads: any; one mutex inside. Lifetime:
// until the process ends; plugins are never unloaded.
#pragma once

#include "framework/api/plugin.h"
#include "framework/host/plugin_metadata.h"

#include <QMutex>

#include <deque>
#include <memory>

class QPluginLoader;

namespace ivm {

enum class PluginState {
    Found,    // a library in a plugin folder
    Checked,  // its metadata is right
    Loaded,   // its code is in the process
    Ready,    // it has made what was asked for
    Failed,   // `reason` says why
};

QString pluginStateName(PluginState state);  // "found" … "failed"

struct PluginEntry {
    QString path;
    PluginState state = PluginState::Found;
    std::optional<PluginMetadata> metadata;  // none when it could not be read
    std::optional<Error> reason;             // of Failed
};

class PluginCatalog {
public:
    // Looks through the folders in their order; a folder that does not exist is passed over. Of two
    // plugins of one kind and name the first counts.
    explicit PluginCatalog(const QStringList &folders);
    ~PluginCatalog();

    // In the order of kind and name; those without metadata last, by path.
    QList<PluginEntry> entries() const;

    // What the plugin says about itself. NotFound, naming those there are; the plugin's own error
    // if it failed.
    Result<PluginMetadata> metadata(PluginKind kind, const QString &name) const;

    // Loads every plugin that has not failed, so that one that cannot be loaded says so.
    void loadAll();

    // Load the plugin if need be and let it make one. As metadata() and the factory's create();
    // Internal when it throws.
    Result<std::unique_ptr<Executor>>
    makeExecutor(const QString &name, const PluginOptions &options, SafeHorizon horizon = {});
    Result<std::unique_ptr<Detector>>
    makeDetector(const QString &name, const PluginOptions &options, ExecutorProvider executor);
    Result<std::unique_ptr<StateStore>>
    makeStateStore(const QString &name, const PluginOptions &options, ExecutorProvider executor);
    Result<std::unique_ptr<HistoryStore>> makeHistoryStore(const QString &name,
                                                           const PluginOptions &options,
                                                           ExecutorProvider executor,
                                                           DetectorProvider detector);

private:
    struct Plugin;

    void add(const QString &path);
    Result<Plugin *> find(PluginKind kind, const QString &name) const;
    Result<QObject *> load(Plugin &plugin);
    template <typename Factory, typename Create>
    auto make(PluginKind kind, const QString &name, Create create);

    QStringList m_folders;
    mutable QMutex m_mutex;
    // A deque: entries stay where they are, and are made in place.
    std::deque<Plugin> m_plugins;
};

// Where plugins are: ../lib/ivm/plugins from the program's folder, then the folders that the
// variable IVM_PLUGIN_PATH lists, separated by ':'.
QStringList pluginFolders(const QString &programFolder, const QString &pluginPath);

}  // namespace ivm
