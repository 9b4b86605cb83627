// The plugin `sqlite`: state and the history of migrations in one SQLite file.
#include "framework/api/plugin.h"
#include "plugins/store_sqlite/sqlite_history.h"
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
    Result<std::unique_ptr<HistoryStore>> createHistory(const PluginOptions &options,
                                                        ExecutorProvider executor,
                                                        DetectorProvider) override
    {
        static const SystemClock clock;
        return std::make_unique<SqliteHistory>(options.value(u"path").toString(), clock,
                                               std::move(executor));
    }
};

}  // namespace ivm::sqlite

#include "plugin.moc"
