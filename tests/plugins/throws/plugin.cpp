// A plugin that throws when it is asked for an executor.
#include "framework/api/plugin.h"

#include <QObject>

#include <stdexcept>

class ThrowingFactory final : public QObject, public ivm::ExecutorFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_EXECUTOR_IID FILE "plugin.json")
    Q_INTERFACES(ivm::ExecutorFactory)

public:
    ivm::Result<std::unique_ptr<ivm::Executor>> create(const ivm::PluginOptions &options,
                                                       ivm::SafeHorizon) override
    {
        if (options.value(u"what").toString() == u"number")
            throw 5;
        throw std::runtime_error("the engine is on fire");
    }
};

#include "plugin.moc"
