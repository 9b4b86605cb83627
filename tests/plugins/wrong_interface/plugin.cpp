// A plugin for an interface of an earlier time.
#include <QObject>
#include <QtPlugin>

class OldExecutor final : public QObject {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID "org.iceberg-ivm.Executor/0" FILE "plugin.json")
};

#include "plugin.moc"
