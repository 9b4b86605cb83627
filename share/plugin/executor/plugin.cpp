// The plugin's root object: makes the executor from options that the host has checked against
// example.json.
#include "executor.h"
#include "framework/api/plugin.h"

#include <QObject>

namespace example_plugin {

class ExamplePlugin final : public QObject, public ivm::ExecutorFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_EXECUTOR_IID FILE "example.json")
    Q_INTERFACES(ivm::ExecutorFactory)

public:
    ivm::Result<std::unique_ptr<ivm::Executor>> create(const ivm::PluginOptions &options,
                                                       ivm::SafeHorizon) override
    {
        return ExampleExecutor::make({.warehouse = options.value(u"warehouse").toString(),
                                      .defaults = {options.value(u"catalog").toString(),
                                                   options.value(u"schema").toString(),
                                                   {}}});
    }
};

}  // namespace example_plugin

#include "plugin.moc"
