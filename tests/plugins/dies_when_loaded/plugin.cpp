// A plugin that ends the process as soon as its code is in it.
#include "framework/api/plugin.h"

#include <QObject>

#include <csignal>

namespace {

const int kDeath = raise(SIGSEGV);

}  // namespace

class DeadStore final : public QObject, public ivm::StoreFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_STORE_IID FILE "plugin.json")
    Q_INTERFACES(ivm::StoreFactory)

public:
    int death() const { return kDeath; }
};

#include "plugin.moc"
