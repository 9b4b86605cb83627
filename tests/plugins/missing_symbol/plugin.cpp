// A plugin that calls a function that no library has.
#include "framework/api/plugin.h"

#include <QObject>

int functionThatIsNowhere();

class LackingFactory final : public QObject, public ivm::ExecutorFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_EXECUTOR_IID FILE "plugin.json")
    Q_INTERFACES(ivm::ExecutorFactory)

public:
    ivm::Result<std::unique_ptr<ivm::Executor>> create(const ivm::PluginOptions &,
                                                       ivm::SafeHorizon) override
    {
        return ivm::fail(ivm::internalError(QString::number(functionThatIsNowhere())));
    }
};

#include "plugin.moc"
