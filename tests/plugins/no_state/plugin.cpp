// A store plugin that keeps the history of migrations alone, as it says.
#include "framework/api/plugin.h"

#include <QObject>

class DiaryFactory final : public QObject, public ivm::StoreFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_STORE_IID FILE "plugin.json")
    Q_INTERFACES(ivm::StoreFactory)
};

#include "plugin.moc"
