// The plugin's root object: makes the store from options that the host has checked against
// example.json. For the history of migrations, too, add the word "history" to its capabilities and
// implement createHistory().
#include "framework/api/plugin.h"
#include "store.h"

#include <QObject>

namespace example_plugin {

class ExamplePlugin final : public QObject, public ivm::StoreFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_STORE_IID FILE "example.json")
    Q_INTERFACES(ivm::StoreFactory)

public:
    ivm::Result<std::unique_ptr<ivm::StateStore>> createState(const ivm::PluginOptions &options,
                                                              ivm::ExecutorProvider) override
    {
        static const ivm::SystemClock clock;
        return ExampleStore::open(options.value(u"path").toString(), clock);
    }
};

}  // namespace example_plugin

#include "plugin.moc"
