// The plugin's root object.
#include "framework/api/plugin.h"
#include "plugins/executor_duckdb/executor.h"

#include <QDir>

namespace ivm::duckdb {

class DuckdbPlugin final : public QObject, public ExecutorFactory {
    Q_OBJECT
    Q_PLUGIN_METADATA(IID IVM_EXECUTOR_IID FILE "executor_duckdb.json")
    Q_INTERFACES(ivm::ExecutorFactory)

public:
    Result<std::unique_ptr<Executor>> create(const PluginOptions &options,
                                             SafeHorizon horizon) override
    {
        const ExecutorOptions chosen{
            .warehouse = QDir::cleanPath(options.value(u"warehouse").toString()),
            .catalog = options.value(u"catalog").toString(QStringLiteral("iceberg")).toLower(),
            .schema = options.value(u"schema").toString(QStringLiteral("main")).toLower(),
            .threads = options.value(u"threads").toInt(),
            .memoryLimit = options.value(u"memory_limit").toString()};
        if (!QDir::isAbsolutePath(chosen.warehouse))
            return fail(invalidError(
                QStringLiteral("option warehouse: '%1' is not a path").arg(chosen.warehouse)));
        if (chosen.catalog.isEmpty() || chosen.schema.isEmpty())
            return fail(invalidError(QStringLiteral("option %1 is empty")
                                         .arg(chosen.catalog.isEmpty() ? u"catalog" : u"schema")));
        constexpr int kMostThreads = 1024;
        if (chosen.threads < 0 || chosen.threads > kMostThreads)
            return fail(invalidError(QStringLiteral("option threads: %1 is not a number of threads")
                                         .arg(chosen.threads))
                            .withHint(QStringLiteral("Write 1 to %1, or 0 for one a processor")
                                          .arg(kMostThreads)));
        return std::make_unique<EmbeddedExecutor>(chosen, std::move(horizon));
    }
};

}  // namespace ivm::duckdb

#include "plugin.moc"
