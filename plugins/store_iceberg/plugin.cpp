// The plugin `iceberg`: the history of migrations in Iceberg tables.
#include "framework/api/plugin.h"
#include "plugins/store_iceberg/iceberg_history.h"

#include <QObject>

namespace ivm::store_iceberg {

class IcebergStoreFactory final : public QObject, public StoreFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_STORE_IID FILE "store_iceberg.json")
    Q_INTERFACES(ivm::StoreFactory)

public:
    Result<std::unique_ptr<HistoryStore>> createHistory(const PluginOptions &options,
                                                        ExecutorProvider executor,
                                                        DetectorProvider detector) override
    {
        // As Trino's Iceberg connector keeps names.
        const HistoryOptions where{.catalog = options.value(u"catalog").toString().toLower(),
                                   .schema = options.value(u"schema").toString().toLower(),
                                   .cache = options.value(u"cache").toString()};
        if (where.schema.isEmpty())
            return fail(invalidError(QStringLiteral("history.schema is empty"))
                            .withHint(u"Name the schema of the history's tables"));
        return std::make_unique<IcebergHistory>(where, std::move(executor), std::move(detector));
    }
};

}  // namespace ivm::store_iceberg

#include "plugin.moc"
