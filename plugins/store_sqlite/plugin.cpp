// The plugin `sqlite`: a state store on one SQLite file.
#include "framework/api/plugin.h"
#include "plugins/store_sqlite/sqlite_store.h"

#include <QObject>

namespace ivm::sqlite {

class SqliteStoreFactory final : public QObject, public StoreFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_STORE_IID FILE "store_sqlite.json")
    Q_INTERFACES(ivm::StoreFactory)

public:
    Result<std::unique_ptr<StateStore>> createState(const PluginOptions &options,
                                                    ExecutorProvider) override
    {
        static const SystemClock clock;
        return SqliteStore::open(options.value(u"path").toString(), clock);
    }
};

}  // namespace ivm::sqlite

#include "plugin.moc"
