// The plugin `iceberg`: the history of migrations and the state of the views in Iceberg tables.
#include "framework/api/plugin.h"
#include "plugins/store_iceberg/iceberg_history.h"
#include "plugins/store_iceberg/iceberg_state.h"

#include <QObject>

namespace ivm::store_iceberg {

class IcebergStoreFactory final : public QObject, public StoreFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_STORE_IID FILE "store_iceberg.json")
    Q_INTERFACES(ivm::StoreFactory)

public:
    Result<std::unique_ptr<StateStore>> createState(const PluginOptions &options,
                                                    ExecutorProvider executor) override
    {
        IVM_TRY(const QString schema, schemaOf(options, u"state"));
        return std::make_unique<IcebergState>(
            StateOptions{.catalog = catalogOf(options), .schema = schema}, std::move(executor));
    }
    Result<std::unique_ptr<HistoryStore>> createHistory(const PluginOptions &options,
                                                        ExecutorProvider executor,
                                                        DetectorProvider detector) override
    {
        IVM_TRY(const QString schema, schemaOf(options, u"history"));
        const HistoryOptions where{.catalog = catalogOf(options),
                                   .schema = schema,
                                   .cache = options.value(u"cache").toString()};
        return std::make_unique<IcebergHistory>(where, std::move(executor), std::move(detector));
    }

private:
    // In lower case, as Trino's Iceberg connector keeps names.
    static QString catalogOf(const PluginOptions &options)
    {
        return options.value(u"catalog").toString().toLower();
    }
    static Result<QString> schemaOf(const PluginOptions &options, QStringView section)
    {
        const QString schema = options.value(u"schema").toString().toLower();
        if (schema.isEmpty())
            return fail(
                invalidError(QStringLiteral("%1.schema is empty").arg(section))
                    .withHint(QStringLiteral("Name the schema of the %1's tables").arg(section)));
        return schema;
    }
};

}  // namespace ivm::store_iceberg

#include "plugin.moc"
