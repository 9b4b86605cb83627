// A plugin with the right interface, built with the headers of another version.
#include "framework/api/plugin.h"

#include <QObject>

class LaterStore final : public QObject, public ivm::StoreFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_STORE_IID FILE "plugin.json")
    Q_INTERFACES(ivm::StoreFactory)

public:
    ivm::Result<std::unique_ptr<ivm::StateStore>> createState(const ivm::PluginOptions &,
                                                              ivm::ExecutorProvider) override
    {
        return ivm::fail(ivm::internalError(QStringLiteral("this must never run")));
    }
};

#include "plugin.moc"
