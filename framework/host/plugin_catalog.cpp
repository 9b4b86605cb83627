#include "framework/host/plugin_catalog.h"

#include "framework/base/log.h"
#include "framework/base/nearest.h"
#include "framework/host/plugin_guard.h"

#include <QDir>
#include <QFileInfo>
#include <QPluginLoader>

#include <algorithm>

namespace ivm {

struct PluginCatalog::Plugin {
    PluginEntry entry;
    std::unique_ptr<QPluginLoader> loader;

    void failWith(Error error)
    {
        entry.state = PluginState::Failed;
        entry.reason = std::move(error).during(QStringLiteral("plugin %1").arg(entry.path));
    }
};

namespace {

bool comesBefore(const PluginEntry &a, const PluginEntry &b)
{
    if (a.metadata && b.metadata)
        return std::tie(a.metadata->kind, a.metadata->name) <
               std::tie(b.metadata->kind, b.metadata->name);
    if (!a.metadata && !b.metadata)
        return a.path < b.path;
    return a.metadata.has_value();
}

}  // namespace

QString pluginStateName(PluginState state)
{
    switch (state) {
    case PluginState::Found: return QStringLiteral("found");
    case PluginState::Checked: return QStringLiteral("checked");
    case PluginState::Loaded: return QStringLiteral("loaded");
    case PluginState::Ready: return QStringLiteral("ready");
    case PluginState::Failed: return QStringLiteral("failed");
    }
    Q_UNREACHABLE();
}

PluginCatalog::PluginCatalog(const QStringList &folders)
{
    for (const QString &folder : folders) {
        const QString path = QFileInfo(folder).canonicalFilePath();
        if (path.isEmpty() || m_folders.contains(path))
            continue;
        m_folders.append(path);
        for (const auto &file :
             QDir(path).entryInfoList({QStringLiteral("*.so")}, QDir::Files, QDir::Name))
            add(file.absoluteFilePath());
    }
}

PluginCatalog::~PluginCatalog() = default;

void PluginCatalog::add(const QString &path)
{
    Plugin &plugin = m_plugins.emplace_back();
    plugin.entry.path = path;
    if (QFileInfo(path).size() == 0)
        return plugin.failWith(
            invalidError(QStringLiteral("this is not a Qt plugin: the file is empty"))
                .withCode(u"plugin_format"));
    plugin.loader = std::make_unique<QPluginLoader>(path);
    // A function that is nowhere is a reason not to load it; found out when it is called, it would
    // end the process.
    plugin.loader->setLoadHints(plugin.loader->loadHints() | QLibrary::ResolveAllSymbolsHint);
    const QJsonObject found = plugin.loader->metaData();
    if (found.isEmpty())
        return plugin.failWith(
            invalidError(
                QStringLiteral("this is not a Qt plugin: %1").arg(plugin.loader->errorString()))
                .withCode(u"plugin_format"));
    auto metadata = readPluginMetadata(found);
    if (!metadata)
        return plugin.failWith(std::move(metadata).error());
    for (const Plugin &other : m_plugins) {
        if (other.entry.metadata && other.entry.metadata->kind == metadata->kind &&
            other.entry.metadata->name == metadata->name)
            return plugin.failWith(
                alreadyExistsError(
                    QStringLiteral("another %1 plugin named '%2' was found first: %3")
                        .arg(pluginKindName(metadata->kind), metadata->name, other.entry.path))
                    .withCode(u"plugin_name"));
    }
    plugin.entry.metadata = *std::move(metadata);
    plugin.entry.state = PluginState::Checked;
}

QList<PluginEntry> PluginCatalog::entries() const
{
    QMutexLocker lock(&m_mutex);
    QList<PluginEntry> out;
    for (const Plugin &plugin : m_plugins)
        out.append(plugin.entry);
    std::ranges::stable_sort(out, comesBefore);
    return out;
}

Result<PluginCatalog::Plugin *> PluginCatalog::find(PluginKind kind, const QString &name) const
{
    QStringList known;
    for (const Plugin &plugin : m_plugins) {
        if (!plugin.entry.metadata || plugin.entry.metadata->kind != kind)
            continue;
        if (plugin.entry.metadata->name == name) {
            if (plugin.entry.reason)
                return fail(*plugin.entry.reason);
            return const_cast<Plugin *>(&plugin);
        }
        known.append(plugin.entry.metadata->name);
    }
    // The library that should hold it may be there and be broken.
    const QString file = QStringLiteral("lib%1_%2.so").arg(pluginKindName(kind), name);
    for (const Plugin &plugin : m_plugins) {
        if (plugin.entry.reason && QFileInfo(plugin.entry.path).fileName() == file)
            return fail(*plugin.entry.reason);
    }
    auto error = notFoundError(
        QStringLiteral("there is no %1 plugin named '%2'").arg(pluginKindName(kind), name));
    const QString hint = known.isEmpty()
                             ? QStringLiteral("Set IVM_PLUGIN_PATH to the folder of the plugins")
                             : nearestHint(name, known);
    return fail(std::move(error).withCode(u"no_plugin").withHint(hint));
}

Result<PluginMetadata> PluginCatalog::metadata(PluginKind kind, const QString &name) const
{
    QMutexLocker lock(&m_mutex);
    IVM_TRY(const Plugin *plugin, find(kind, name));
    return *plugin->entry.metadata;
}

Result<QObject *> PluginCatalog::load(Plugin &plugin)
{
    // Should it end the process, the log's last line is about it.
    if (plugin.entry.state == PluginState::Checked)
        qCInfo(logPlugin).noquote() << "loading plugin" << plugin.entry.path;
    const auto instance = guarded(
        [&]() -> Result<QObject *> {
            if (!plugin.loader->load())
                return fail(
                    unavailableError(
                        QStringLiteral("it cannot be loaded: %1").arg(plugin.loader->errorString()))
                        .withCode(u"plugin_load"));
            QObject *object = plugin.loader->instance();
            if (!object)
                return fail(
                    invalidError(QStringLiteral("it has no root object")).withCode(u"plugin_root"));
            return object;
        },
        pluginException);
    if (!instance) {
        plugin.failWith(instance.error());
        return fail(*plugin.entry.reason);
    }
    if (plugin.entry.state == PluginState::Checked)
        plugin.entry.state = PluginState::Loaded;
    return *instance;
}

void PluginCatalog::loadAll()
{
    QMutexLocker lock(&m_mutex);
    for (Plugin &plugin : m_plugins) {
        if (plugin.entry.state == PluginState::Checked)
            (void)load(plugin);
    }
}

template <typename Factory, typename Create>
auto PluginCatalog::make(PluginKind kind, const QString &name, Create create)
{
    using Made = decltype(create(std::declval<Factory &>()));
    QMutexLocker lock(&m_mutex);
    const auto plugin = find(kind, name);
    if (!plugin)
        return Made(fail(plugin.error()));
    const auto object = load(**plugin);
    if (!object)
        return Made(fail(object.error()));
    auto *factory = qobject_cast<Factory *>(*object);
    if (!factory) {
        (*plugin)->failWith(
            invalidError(
                QStringLiteral("its root object does not implement %1").arg(pluginInterface(kind)))
                .withCode(u"plugin_root"));
        return Made(fail(*(*plugin)->entry.reason));
    }
    lock.unlock();
    bool isBroken = false;
    Made made = guarded([&] { return create(*factory); },
                        [&](const QString &what) {
                            isBroken = true;
                            return pluginException(what);
                        });
    if (made && !*made) {
        isBroken = true;
        made = fail(internalError(QStringLiteral("it made nothing")));
    }
    lock.relock();
    if (isBroken) {
        (*plugin)->failWith(made.error());
        made = fail(*(*plugin)->entry.reason);
    } else if (made) {
        (*plugin)->entry.state = PluginState::Ready;
        made = guard(*std::move(made), (*plugin)->entry.path);
    }
    return made;
}

Result<std::unique_ptr<Executor>>
PluginCatalog::makeExecutor(const QString &name, const PluginOptions &options, SafeHorizon horizon)
{
    return make<ExecutorFactory>(PluginKind::Executor, name, [&](ExecutorFactory &factory) {
        return factory.create(options, std::move(horizon));
    });
}

Result<std::unique_ptr<Detector>> PluginCatalog::makeDetector(const QString &name,
                                                              const PluginOptions &options,
                                                              ExecutorProvider executor)
{
    return make<DetectorFactory>(PluginKind::Detector, name, [&](DetectorFactory &factory) {
        return factory.create(options, std::move(executor));
    });
}

Result<std::unique_ptr<StateStore>> PluginCatalog::makeStateStore(const QString &name,
                                                                  const PluginOptions &options,
                                                                  ExecutorProvider executor)
{
    return make<StoreFactory>(PluginKind::Store, name, [&](StoreFactory &factory) {
        return factory.createState(options, std::move(executor));
    });
}

Result<std::unique_ptr<HistoryStore>> PluginCatalog::makeHistoryStore(const QString &name,
                                                                      const PluginOptions &options,
                                                                      ExecutorProvider executor,
                                                                      DetectorProvider detector)
{
    return make<StoreFactory>(PluginKind::Store, name, [&](StoreFactory &factory) {
        return factory.createHistory(options, std::move(executor), std::move(detector));
    });
}

QStringList pluginFolders(const QString &programFolder, const QString &pluginPath)
{
    QStringList folders{QDir::cleanPath(programFolder + QStringLiteral("/../lib/ivm/plugins"))};
    folders += pluginPath.split(u':', Qt::SkipEmptyParts);
    return folders;
}

}  // namespace ivm
