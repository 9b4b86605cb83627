#include "plugins/executor_duckdb/engine/database.h"

#include "plugins/executor_duckdb/engine/functions.h"

namespace ivm::duckdb {

namespace {

struct Config {
    duckdb_config handle = nullptr;
    Config() { duckdb_create_config(&handle); }
    ~Config() { duckdb_destroy_config(&handle); }
    Config(const Config &) = delete;
    Config &operator=(const Config &) = delete;

    Status set(const char *name, const QString &value, QStringView option)
    {
        if (duckdb_set_config(handle, name, value.toUtf8().constData()) == DuckDBSuccess)
            return {};
        return fail(
            invalidError(QStringLiteral("option %1: '%2' is not a value that DuckDB takes for %3")
                             .arg(option, value, QString::fromLatin1(name))));
    }
};

Status fill(Config &config, const DatabaseOptions &options)
{
    // What a statement may reach is decided by the translation, which knows every function; here
    // only the doors that nothing needs are shut: downloads, and settings that a statement could
    // change.
    for (const auto *name : {"autoinstall_known_extensions", "autoload_known_extensions",
                             "allow_community_extensions", "allow_persistent_secrets"})
        IVM_CHECK(config.set(name, QStringLiteral("false"), u"-"));
    IVM_CHECK(config.set("temp_directory", options.spillFolder, u"warehouse"));
    if (options.threads > 0)
        IVM_CHECK(config.set("threads", QString::number(options.threads), u"threads"));
    if (!options.memoryLimit.isEmpty())
        IVM_CHECK(config.set("memory_limit", options.memoryLimit, u"memory_limit"));
    return {};
}

}  // namespace

Result<std::shared_ptr<Database>> Database::open(const DatabaseOptions &options)
{
    Config config;
    IVM_CHECK(fill(config, options));
    duckdb_database handle = nullptr;
    char *problem = nullptr;
    if (duckdb_open_ext(":memory:", &handle, config.handle, &problem) != DuckDBSuccess) {
        const QString text = QString::fromUtf8(problem);
        duckdb_free(problem);
        return fail(unavailableError(QStringLiteral("DuckDB did not start: %1").arg(text)));
    }
    auto database = std::make_shared<Database>(handle);
    IVM_CHECK(registerFunctions(handle));
    return database;
}

Database::~Database() { duckdb_close(&m_handle); }

}  // namespace ivm::duckdb
