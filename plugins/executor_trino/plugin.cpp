#include "framework/api/plugin.h"
#include "plugins/executor_trino/executor.h"

namespace ivm::trino {

class TrinoPlugin final : public QObject, public ExecutorFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_EXECUTOR_IID FILE "trino.json")
    Q_INTERFACES(ivm::ExecutorFactory)

public:
    Result<std::unique_ptr<Executor>> create(const PluginOptions &options, SafeHorizon) override
    {
        IVM_TRY(auto checked, readOptions(options));
        return std::make_unique<TrinoExecutor>(std::move(checked));
    }
};

}  // namespace ivm::trino

#include "plugin.moc"
