// A plugin that ends the process when it is asked for an executor.
#include "framework/api/plugin.h"

#include <QObject>

#include <csignal>

#include <unistd.h>

class DyingFactory final : public QObject, public ivm::ExecutorFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_EXECUTOR_IID FILE "plugin.json")
    Q_INTERFACES(ivm::ExecutorFactory)

public:
    ivm::Result<std::unique_ptr<ivm::Executor>> create(const ivm::PluginOptions &options,
                                                       ivm::SafeHorizon) override
    {
        if (options.value(u"how").toString() == u"exit")
            _exit(0);
        raise(SIGSEGV);
        return ivm::fail(ivm::internalError(QStringLiteral("it did not die")));
    }
};

#include "plugin.moc"
