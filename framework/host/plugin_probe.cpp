#include "framework/host/plugin_probe.h"

#include <QPluginLoader>

#include <exception>

namespace ivm {

Status probePlugin(const QString &path)
{
    try {
        QPluginLoader loader(path);
        loader.setLoadHints(loader.loadHints() | QLibrary::ResolveAllSymbolsHint);
        if (!loader.load())
            return fail(unavailableError(QStringLiteral("plugin %1: it cannot be loaded: %2")
                                             .arg(path, loader.errorString())));
        if (!loader.instance())
            return fail(invalidError(QStringLiteral("plugin %1: it has no root object").arg(path)));
        return {};
    } catch (const std::exception &problem) {
        return fail(internalError(QStringLiteral("plugin %1: it threw an exception: %2")
                                      .arg(path, QString::fromLocal8Bit(problem.what()))));
    }
}

}  // namespace ivm
