#include "framework/api/plugin.h"
#include "plugins/executor_jdbc/executor.h"

#include <QDir>
#include <QFileInfo>

#include <dlfcn.h>

namespace ivm::jdbc {

namespace {

// The jars lie beside the folder of the plugins, built as well as installed.
QString jarFolder()
{
    static const char here = 0;
    Dl_info info{};
    if (::dladdr(&here, &info) == 0)
        return {};
    const QFileInfo plugin(QFile::decodeName(info.dli_fname));
    return QDir::cleanPath(plugin.absolutePath() + QStringLiteral("/../jdbc"));
}

}  // namespace

class JdbcPlugin final : public QObject, public ExecutorFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_EXECUTOR_IID FILE "jdbc.json")
    Q_INTERFACES(ivm::ExecutorFactory)

public:
    Result<std::unique_ptr<Executor>> create(const PluginOptions &options, SafeHorizon) override
    {
        IVM_TRY(const auto checked, readOptions(options));
        const QString folder = jarFolder();
        if (!QFileInfo::exists(folder + QStringLiteral("/ivm-jdbc-bridge.jar")))
            return fail(
                unavailableError(
                    QStringLiteral("the folder %1 does not hold the JDBC bridge").arg(folder))
                    .withHint(u"Install the program whole: lib/ivm/jdbc belongs beside "
                              u"lib/ivm/plugins"));
        return std::make_unique<JdbcExecutor>(checked, bridgeCommand(checked, folder));
    }
};

}  // namespace ivm::jdbc

#include "plugin.moc"
