#include "tests/conformance/embedded_engine.h"

#include "framework/api/plugin.h"

#include <QPluginLoader>

namespace ivm::test {

Result<std::unique_ptr<Executor>> embeddedEngine(const QString &pluginFolder,
                                                 const QString &warehouse)
{
    QPluginLoader loader(pluginFolder + QStringLiteral("/libexecutor_duckdb.so"));
    auto *factory = qobject_cast<ExecutorFactory *>(loader.instance());
    if (!factory)
        return fail(unavailableError(
            QStringLiteral("the embedded engine cannot be loaded: %1").arg(loader.errorString())));
    return factory->create({{QStringLiteral("warehouse"), warehouse}}, {});
}

}  // namespace ivm::test
