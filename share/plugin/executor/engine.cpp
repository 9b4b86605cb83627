#include "engine.h"

#include "framework/api/plugin.h"

#include <QPluginLoader>

using namespace ivm;

namespace example_plugin {

Result<std::unique_ptr<Engine>> Engine::start(const EngineOptions &options)
{
    QPluginLoader loader(QStringLiteral(ENGINE_PLUGINS "/libexecutor_duckdb.so"));
    auto *factory = qobject_cast<ExecutorFactory *>(loader.instance());
    if (!factory)
        return fail(unavailableError(
            QStringLiteral("the engine cannot be loaded: %1").arg(loader.errorString())));
    auto engine = std::make_unique<Engine>();
    IVM_TRY(engine->m_engine,
            factory->create({{QStringLiteral("warehouse"), options.warehouse},
                             {QStringLiteral("catalog"), options.defaults.catalog},
                             {QStringLiteral("schema"), options.defaults.schema}},
                            {}));
    return engine;
}

Result<std::unique_ptr<Connection>> Engine::connect(const Call &call)
{
    IVM_TRY(auto session, m_engine->openSession({}, call));
    return std::make_unique<Connection>(std::move(session));
}

Result<StatementResult> Connection::run(const QString &sql, RowSink &sink, const Call &call)
{
    return m_engine->run(sql, sink, call);
}

Result<TableSpec> Connection::tableSpec(const TableName &name, const Call &call)
{
    IVM_TRY(const auto info, m_engine->tableInfo(name, call));
    return TableSpec{.name = name,
                     .columns = info.columns,
                     .partitioning = info.partitioning,
                     .sortedBy = info.sortedBy,
                     .comment = info.comment};
}

}  // namespace example_plugin
