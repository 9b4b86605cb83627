// A plugin that names an interface and does not implement it.
#include "framework/api/plugin.h"

#include <QObject>

class EmptyExecutor final : public QObject {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_EXECUTOR_IID FILE "plugin.json")
};

#include "plugin.moc"
