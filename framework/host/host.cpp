#include "framework/host/host.h"

#include "framework/base/log.h"
#include "framework/host/fallback_detector.h"
#include "framework/yaml/fields.h"
#include "framework/host/plugin_options.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QSysInfo>

namespace ivm {

namespace {

const QString kCatalogDetector = QStringLiteral("catalog");
const QString kServerDetector = QStringLiteral("trino");
const QString kStateFile = QStringLiteral("/state.db");
const QString kHistoryCache = QStringLiteral("/history-cache.json");

// A view that is gone holds nothing; where the definitions cannot be read, it may be there. What is
// built beside a view (view@2) belongs to it.
bool mayBeDefined(const QString &view, const Definitions &definitions)
{
    return definitions.find(view.section(u'@', 0, 0)) || !definitions.problems().isEmpty();
}

// What the views' bookmarks name of a table, as a source or as a target, and what migrations may
// come back to.
QList<HeldSnapshot> heldSnapshots(const QList<Bookmark> &bookmarks, const Definitions &definitions,
                                  const TableName &table)
{
    QList<HeldSnapshot> held;
    const auto hold = [&](const Bookmark &bookmark, const TableName &name, const TableHead &head) {
        if (name == table && head.snapshot)
            held.append({bookmark.view, *head.snapshot});
    };
    for (const auto &bookmark : bookmarks) {
        if (!mayBeDefined(bookmark.view, definitions))
            continue;
        for (const auto &source : bookmark.sources)
            hold(bookmark, source.table, source.head);
        hold(bookmark, bookmark.target, bookmark.targetHead);
    }
    for (const auto &definition : definitions.all()) {
        if (definition.spec.target != table)
            continue;
        for (const auto snapshot : definition.held)
            held.append({definition.spec.name, snapshot});
    }
    return held;
}

// What a plugin refuses as it is made is what its section says; that a server is away is not.
template <typename T>
Result<T> inSection(const PluginChoice &choice, Result<T> made)
{
    if (made)
        return made;
    switch (made.error().kind) {
    case ErrorKind::Invalid:
    case ErrorKind::Unsupported:
    case ErrorKind::NotFound: return fail(std::move(made).error().at(choice.place));
    default: return made;
    }
}

}  // namespace

Host::Host(const HostRequest &request) : m_request(request), m_config(loadConfig(request.config)) {}

Host::~Host() = default;

PluginCatalog &Host::plugins()
{
    const std::scoped_lock lock(m_mutex);
    if (!m_plugins)
        m_plugins = std::make_unique<PluginCatalog>(m_request.pluginFolders);
    return *m_plugins;
}

const QList<Error> &Host::problems()
{
    options();
    return m_config.problems;
}

Status Host::ready()
{
    if (const auto &all = problems(); !all.isEmpty())
        return fail(all.first());
    return {};
}

QJsonObject Host::optionsOf(PluginKind kind, const PluginChoice &choice,
                            const QJsonObject &inherited)
{
    const auto metadata = plugins().metadata(kind, choice.plugin);
    if (!metadata) {
        auto error = metadata.error();
        m_config.problems.append(std::move(error).at(choice.place));
        return {};
    }
    // What a store can keep are the sections that it may be named in.
    if (kind == PluginKind::Store && !metadata->capabilities.contains(choice.section)) {
        m_config.problems.append(
            invalidError(QStringLiteral("%1: store plugin '%2' keeps no %1")
                             .arg(choice.section, choice.plugin))
                .at(choice.place)
                .withHint(u"Name another plugin; 'ivmctl plugins --json' says what each can do"));
        return {};
    }
    const OptionSources sources{choice, config().environment, config().folder, inherited};
    return completeOptions(*metadata, sources, m_config.problems);
}

const Host::Options &Host::options()
{
    const std::scoped_lock lock(m_mutex);
    if (m_options)
        return *m_options;
    m_options.emplace();
    // With a broken file the choice of plugins means nothing.
    if (!m_config.problems.isEmpty())
        return *m_options;
    m_options->executor = optionsOf(PluginKind::Executor, config().executor, {});
    QJsonObject ofEngine = m_options->executor;
    const QString catalog =
        ofEngine.value(u"catalog").toString(QStringLiteral("iceberg")).toLower();
    ofEngine.insert(QStringLiteral("engine_catalog"), catalog);
    m_options->detector = optionsOf(PluginKind::Detector, config().detector, ofEngine);
    m_options->state = optionsOf(
        PluginKind::Store, config().state,
        {{QStringLiteral("catalog"), catalog}, {QStringLiteral("path"), usualStatePath()}});
    m_options->history =
        optionsOf(PluginKind::Store, config().history, historyDefaults(catalog, m_options->state));
    sortByPlace(m_config.problems);
    return *m_options;
}

// What the history's plugin is not told itself: the engine's catalog, and places beside the state.
QJsonObject Host::historyDefaults(const QString &catalog, const QJsonObject &state)
{
    const QString path = state.value(u"path").toString(usualStatePath());
    const QString cache = QFileInfo(path).absolutePath() + kHistoryCache;
    return {{QStringLiteral("catalog"), catalog},
            {QStringLiteral("path"), path},
            {QStringLiteral("cache"), cache}};
}

// The folder of the embedded engine's tables; empty for an engine that has none.
QString Host::warehouse() { return options().executor.value(u"warehouse").toString(); }

QString Host::usualStatePath()
{
    const QString folder = warehouse();
    return (folder.isEmpty() ? QFileInfo(config().viewsFile).absolutePath() : folder) + kStateFile;
}

TableName Host::tableDefaults()
{
    const QJsonObject &known = options().executor;
    return {known.value(u"catalog").toString(QStringLiteral("iceberg")).toLower(),
            known.value(u"schema").toString(QStringLiteral("main")).toLower(), QString()};
}

Definitions Host::definitionsOfFile()
{
    const auto defaults = tableDefaults();
    return {readViewsFile(config().viewsFile, defaults), defaults};
}

const Definitions &Host::definitions()
{
    const std::scoped_lock lock(m_mutex);
    if (m_definitions)
        return *m_definitions;
    const auto past = migrationHistory();
    if (!past)
        m_historyOutage = past.error();
    m_definitions = readDefinitions(past ? &*past : nullptr);
    return *m_definitions;
}

Definitions Host::readDefinitions(const MigrationHistory *past)
{
    ViewsFile file = readViewsFile(config().viewsFile, tableDefaults());
    // Where migrations own the views there need be no file.
    if (past && !past->records.isEmpty() && !QFileInfo::exists(config().viewsFile))
        file.problems.clear();
    return Definitions(file, tableDefaults(), past ? past->views : QList<MigratedView>());
}

const std::optional<Error> &Host::historyOutage()
{
    const std::scoped_lock lock(m_mutex);
    definitions();
    return m_historyOutage;
}

Result<MigrationHistory> Host::migrationHistory()
{
    IVM_TRY(HistoryStore * store, history());
    return store->history({});
}

Result<Executor *> Host::executor()
{
    const std::scoped_lock lock(m_mutex);
    if (m_executor)
        return m_executor.get();
    IVM_CHECK(ready());
    IVM_TRY(auto made, inSection(config().executor,
                                 plugins().makeExecutor(config().executor.plugin,
                                                        options().executor, safeHorizon())));
    const auto expected = tableDefaults();
    if (made->defaults() != expected)
        return fail(internalError(
            QStringLiteral(
                "executor plugin '%1' looks bare names up in %2.%3, but its options say %4.%5")
                .arg(config().executor.plugin, made->defaults().catalog, made->defaults().schema,
                     expected.catalog, expected.schema)));
    m_executor = std::move(made);
    return m_executor.get();
}

ExecutorProvider Host::executorProvider()
{
    return [this] { return executor(); };
}

// Asked during a statement, so never while the executor is being made. What a migration has just
// made, or may come back to, is held too.
SafeHorizon Host::safeHorizon()
{
    return [this](const TableName &table) -> Result<QList<HeldSnapshot>> {
        IVM_TRY(StateStore * store, state());
        IVM_TRY(const auto bookmarks, store->bookmarks());
        IVM_TRY(const auto past, migrationHistory());
        return heldSnapshots(bookmarks, readDefinitions(&past), table);
    };
}

Result<Detector *> Host::detector()
{
    const std::scoped_lock lock(m_mutex);
    if (!m_detector) {
        IVM_CHECK(ready());
        IVM_TRY(m_detector,
                inSection(config().detector,
                          plugins().makeDetector(config().detector.plugin, options().detector,
                                                 executorProvider())));
        // An engine that is a server reads tables where we may not.
        if (config().detector.plugin == kCatalogDetector && !config().isEmbedded())
            m_detector = std::make_unique<FallbackDetector>(std::move(m_detector), [this] {
                return plugins().makeDetector(kServerDetector, {}, executorProvider());
            });
    }
    return m_detector.get();
}

Status Host::makeWarehouse()
{
    const QString folder = warehouse();
    if (folder.isEmpty() || QFileInfo::exists(folder))
        return {};
    if (!QDir().mkpath(folder))
        return fail(unavailableError(QStringLiteral("warehouse %1 cannot be made").arg(folder))
                        .withHint(u"Let this user write to the folder above it, or set "
                                  u"executor.warehouse to another"));
    qCInfo(logHost, "made the warehouse %s; its first tables are made with 'ivmctl sql'",
           qPrintable(folder));
    return {};
}

Status Host::warehouseIsThere()
{
    const QString folder = warehouse();
    if (folder.isEmpty() || QFileInfo(folder).isDir())
        return {};
    if (QFileInfo::exists(folder))
        return fail(invalidError(QStringLiteral("warehouse %1: this is not a folder").arg(folder))
                        .withCode(u"warehouse_not_a_folder")
                        .withHint(u"Set executor.warehouse to a folder"));
    return fail(notFoundError(QStringLiteral("warehouse %1: there is no such folder").arg(folder))
                    .withCode(u"no_warehouse")
                    .withHint(u"Make its first table with 'ivmctl sql', or set executor.warehouse "
                              u"to the folder of another"));
}

Result<StateStore *> Host::state()
{
    const std::scoped_lock lock(m_mutex);
    if (!m_state) {
        IVM_CHECK(ready());
        // The state's usual place, or that of the tables: where it is missing, it is what the user
        // has to hear of.
        const QString usual = usualStatePath();
        if (options().state.value(u"path").toString(usual) == usual)
            IVM_CHECK(warehouseIsThere());
        IVM_TRY(m_state, inSection(config().state,
                                   plugins().makeStateStore(config().state.plugin, options().state,
                                                            executorProvider())));
    }
    return m_state.get();
}

QString Host::owner() const
{
    return QStringLiteral("%1 on %2 (process %3)")
        .arg(m_request.program, QSysInfo::machineHostName(),
             QString::number(QCoreApplication::applicationPid()));
}

Result<HistoryStore *> Host::history()
{
    const std::scoped_lock lock(m_mutex);
    if (!m_history) {
        IVM_CHECK(ready());
        IVM_TRY(m_history, inSection(config().history,
                                     plugins().makeHistoryStore(
                                         config().history.plugin, options().history,
                                         executorProvider(), [this] { return detector(); })));
    }
    return m_history.get();
}

Result<RefreshServices> Host::services()
{
    IVM_TRY(StateStore * store, state());
    IVM_TRY(Detector * found, detector());
    return RefreshServices{executorProvider(), *found, *store, m_clock, owner()};
}

}  // namespace ivm
