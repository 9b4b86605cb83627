// A plugin of the same kind and name as the one that throws.
#include "framework/api/plugin.h"

#include <QObject>

class Twin final : public QObject, public ivm::ExecutorFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_EXECUTOR_IID FILE "plugin.json")
    Q_INTERFACES(ivm::ExecutorFactory)

public:
    ivm::Result<std::unique_ptr<ivm::Executor>> create(const ivm::PluginOptions &,
                                                       ivm::SafeHorizon) override
    {
        return ivm::fail(ivm::internalError(QStringLiteral("this must never run")));
    }
};

#include "plugin.moc"
