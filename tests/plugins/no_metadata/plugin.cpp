// A plugin that says nothing about itself.
#include <QObject>
#include <QtPlugin>

#include "framework/api/plugin.h"

class SilentStore final : public QObject {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_STORE_IID)
};

#include "plugin.moc"
