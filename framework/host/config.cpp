#include "framework/host/config.h"

#include "framework/yaml/fields.h"

#include <QDir>
#include <QFileInfo>

namespace ivm {

namespace {

const QString kPlugin = QStringLiteral("plugin");

QString absolutePath(const QString &folder, const QString &path)
{
    return QDir::cleanPath(QDir(folder).absoluteFilePath(path));
}

yaml::Node emptyMap()
{
    yaml::Node map;
    map.kind = yaml::Node::Kind::Map;
    return map;
}

class Reader {
public:
    Reader(const ConfigRequest &request, ConfigOutcome &out)
        : m_request(request), m_out(out), m_config(out.config)
    {
    }

    void read(const yaml::Node &root)
    {
        if (root.kind != yaml::Node::Kind::Map && root.kind != yaml::Node::Kind::Null) {
            Fields(root, {}, m_out.problems)
                .report(QStringLiteral("the file holds %1, expected a map of sections")
                            .arg(root.kindName()),
                        root.place);
            return;
        }
        Fields top(root, {}, m_out.problems);
        readServer(top);
        readRefresh(top);
        readExecutor(top);
        readDetector(top);
        readState(top);
        readHistory(top);
        top.finish();
    }

private:
    QString variable(const char *name) const
    {
        return m_request.environment.value(QString::fromLatin1(name));
    }

    template <typename Read>
    void section(Fields &top, const QString &name, Read read)
    {
        const yaml::Node *node = top.map(name);
        if (!node)
            return;
        Fields fields(*node, name, m_out.problems);
        read(fields);
        fields.finish();
    }

    void readServer(Fields &top)
    {
        section(top, QStringLiteral("server"), [&](Fields &server) {
            m_config.port =
                int(server.integer(QStringLiteral("port"), 0, 65535).value_or(m_config.port));
            m_config.listen = server.text(QStringLiteral("listen")).value_or(m_config.listen);
            m_config.reloadInterval =
                server.seconds(QStringLiteral("config_reload_interval_seconds"))
                    .value_or(m_config.reloadInterval);
            m_config.shutdownGrace = server.seconds(QStringLiteral("shutdown_grace_seconds"))
                                         .value_or(m_config.shutdownGrace);
            if (const yaml::Node *path = server.node(QStringLiteral("state_db_path"));
                path && server.text(QStringLiteral("state_db_path")))
                m_statePath = *path;
        });
    }

    void readRefresh(Fields &top)
    {
        section(top, QStringLiteral("refresh"), [&](Fields &refresh) {
            m_config.parallelRefreshes = int(refresh.integer(QStringLiteral("parallel"), 1, 64)
                                                 .value_or(m_config.parallelRefreshes));
            m_config.longestRetry = refresh.seconds(QStringLiteral("retry_max_seconds"))
                                        .value_or(m_config.longestRetry);
        });
    }

    // A section that names its plugin. What is not in `own` is left to the plugin.
    std::optional<PluginChoice> choice(Fields &top, const QString &name,
                                       const QString &defaultPlugin, QStringList own = {})
    {
        const yaml::Node *node = top.map(name);
        if (!node)
            return std::nullopt;
        Fields fields(*node, name, m_out.problems);
        const auto plugin =
            node->find(kPlugin) ? fields.requiredText(kPlugin) : fields.text(kPlugin);
        own.append(kPlugin);
        return PluginChoice{name, plugin.value_or(defaultPlugin), *node, own, node->place};
    }

    // executor: beats trino: beats TRINO_URL beats the embedded engine.
    void readExecutor(Fields &top)
    {
        const yaml::Node *trino = top.map(QStringLiteral("trino"));
        if (trino)
            checkTrino(*trino);
        const QString name = QStringLiteral("executor");
        if (auto named = choice(top, name, QStringLiteral("duckdb"))) {
            m_config.executor = std::move(*named);
        } else if (trino) {
            m_config.executor = {name, QStringLiteral("trino"), *trino, {}, trino->place};
            requireTrinoVariables(*trino);
        } else {
            const bool hasUrl = !variable("TRINO_URL").isEmpty();
            m_config.executor = {name,
                                 hasUrl ? QStringLiteral("trino") : QStringLiteral("duckdb"),
                                 emptyMap(),
                                 {},
                                 {}};
        }
    }

    void checkTrino(const yaml::Node &trino)
    {
        Fields fields(trino, QStringLiteral("trino"), m_out.problems);
        (void)fields.text(QStringLiteral("catalog"));
        (void)fields.text(QStringLiteral("schema"));
        fields.finish();
    }

    void requireTrinoVariables(const yaml::Node &trino)
    {
        QStringList missing;
        for (const char *name : {"TRINO_URL", "TRINO_USER"}) {
            if (variable(name).isEmpty())
                missing.append(QString::fromLatin1(name));
        }
        if (missing.isEmpty())
            return;
        const QString what = missing.join(QStringLiteral(" and "));
        Fields(trino, QStringLiteral("trino"), m_out.problems)
            .report(
                QStringLiteral("%1 %2 not set in the environment")
                    .arg(what, missing.size() == 1 ? QStringLiteral("is") : QStringLiteral("are")),
                trino.place,
                QStringLiteral("Set %1, or name another engine under 'executor:'").arg(what));
    }

    void readDetector(Fields &top)
    {
        const QString name = QStringLiteral("detector");
        const QString plugin =
            m_config.isEmbedded() ? QStringLiteral("catalog") : QStringLiteral("trino");
        const QString interval = QStringLiteral("poll_interval_seconds");
        // A look costs a cluster one statement, and a catalog of one's own one small query.
        constexpr std::chrono::seconds kBetweenStatements(10);
        if (!m_config.isEmbedded())
            m_config.pollInterval = kBetweenStatements;
        if (const yaml::Node *node = top.map(name)) {
            m_config.pollInterval = Fields(*node, name, m_out.problems)
                                        .seconds(interval)
                                        .value_or(m_config.pollInterval);
            m_config.detector = *choice(top, name, plugin, {interval});
        } else {
            m_config.detector = {name, plugin, emptyMap(), {}, {}};
        }
    }

    void readState(Fields &top)
    {
        const QString name = QStringLiteral("state");
        const QString plugin = QStringLiteral("sqlite");
        m_config.state =
            choice(top, name, plugin).value_or(PluginChoice{name, plugin, emptyMap(), {}, {}});
        const QString path = QStringLiteral("path");
        if (m_statePath && !m_config.state.options.find(path))
            m_config.state.options.entries.push_back({path, m_statePath->place, *m_statePath});
    }

    void readHistory(Fields &top)
    {
        const QString name = QStringLiteral("history");
        const QString plugin = QStringLiteral("iceberg");
        m_config.history =
            choice(top, name, plugin).value_or(PluginChoice{name, plugin, emptyMap(), {}, {}});
    }

    const ConfigRequest &m_request;
    ConfigOutcome &m_out;
    Config &m_config;
    std::optional<yaml::Node> m_statePath;
};

QString findFile(const ConfigRequest &request)
{
    if (request.file)
        return absolutePath(request.folder, *request.file);
    for (const QString &name : {QStringLiteral("ivm.yaml"), QStringLiteral("config.yaml")}) {
        const QString path = absolutePath(request.folder, name);
        if (QFileInfo::exists(path))
            return path;
    }
    return {};
}

}  // namespace

ConfigOutcome loadConfig(const ConfigRequest &request)
{
    ConfigOutcome out;
    out.config.file = findFile(request);
    out.config.folder =
        out.config.file.isEmpty() ? request.folder : QFileInfo(out.config.file).absolutePath();
    out.config.viewsFile = absolutePath(request.folder, request.viewsFile);
    out.config.environment = request.environment;
    yaml::Node root;
    if (!out.config.file.isEmpty()) {
        auto parsed = yaml::parseFile(out.config.file);
        if (!parsed) {
            out.problems.append(std::move(parsed).error());
            return out;
        }
        root = *std::move(parsed);
    }
    Reader(request, out).read(root);
    sortByPlace(out.problems);
    return out;
}

}  // namespace ivm
