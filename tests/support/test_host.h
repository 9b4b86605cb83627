// The parts of a host for tests, made from the real plugins of this build.
//
// One thread. Lifetime: of the test; a plugin that cannot be made ends the program with the reason.
#pragma once

#include "framework/host/plugin_catalog.h"
#include "framework/refresh/refresh.h"

#include <QCoreApplication>
#include <QTest>
#include <QUrl>

namespace ivm::test {

class TestHost {
public:
    struct Choice {
        QString plugin;
        PluginOptions options;
    };

    TestHost(const Choice &executor, const Choice &detector, const QString &statePath)
        : TestHost(executor, detector,
                   Choice{QStringLiteral("sqlite"), {{QStringLiteral("path"), statePath}}})
    {
    }
    TestHost(const Choice &executor, const Choice &detector, const Choice &state)
        : m_catalog({QStringLiteral(IVM_TEST_PLUGINS)})
    {
        m_executor = take(m_catalog.makeExecutor(executor.plugin, executor.options));
        const ExecutorProvider provider = [this]() -> Result<Executor *> {
            return m_executor.get();
        };
        m_detector = take(m_catalog.makeDetector(detector.plugin, detector.options, provider));
        m_store = take(m_catalog.makeStateStore(state.plugin, state.options, provider));
    }

    static TestHost embedded(const QString &warehouse)
    {
        return embedded(warehouse, warehouse + QStringLiteral("/state.db"));
    }

    static TestHost embedded(const QString &warehouse, const QString &statePath)
    {
        return embedded(warehouse,
                        Choice{QStringLiteral("sqlite"), {{QStringLiteral("path"), statePath}}});
    }

    // Its state is in tables of the warehouse.
    static TestHost embeddedWithStateTables(const QString &warehouse)
    {
        return embedded(warehouse,
                        Choice{QStringLiteral("iceberg"),
                               {{QStringLiteral("catalog"), QStringLiteral("iceberg")},
                                {QStringLiteral("schema"), QStringLiteral("_iceberg_ivm")}}});
    }

    static TestHost embedded(const QString &warehouse, const Choice &state)
    {
        const PluginOptions options{{QStringLiteral("warehouse"), warehouse},
                                    {QStringLiteral("schema"), QStringLiteral("main")},
                                    {QStringLiteral("threads"), 0},
                                    {QStringLiteral("memory_limit"), QString()}};
        return TestHost({QStringLiteral("duckdb"), options},
                        {QStringLiteral("catalog"), {{QStringLiteral("warehouse"), warehouse}}},
                        state);
    }

    // A Trino that TRINO_URL names, with its tables in `schema` of `catalog`; reached through its
    // JDBC driver with IVM_TEST_EXECUTOR=jdbc.
    static TestHost trino(const QString &catalog, const QString &schema, const QString &statePath)
    {
        const QString url = qEnvironmentVariable("TRINO_URL");
        if (url.isEmpty())
            qFatal("TRINO_URL is not set: run tests/trino/up, and take its env file");
        PluginOptions options{
            {QStringLiteral("url"), url},
            {QStringLiteral("user"), qEnvironmentVariable("TRINO_USER", QStringLiteral("ivm"))},
            {QStringLiteral("catalog"), catalog},
            {QStringLiteral("schema"), schema},
            {QStringLiteral("source"), QStringLiteral("iceberg-ivm-tests")},
            {QStringLiteral("session_properties"),
             QJsonObject{{QString(catalog + QStringLiteral(".expire_snapshots_min_retention")),
                          QStringLiteral("0s")}}}};
        const bool overJdbc = qEnvironmentVariable("IVM_TEST_EXECUTOR") == u"jdbc";
        if (overJdbc) {
            options.insert(QStringLiteral("url"),
                           QString(QStringLiteral("jdbc:trino://") + QUrl(url).authority()));
            options.insert(QStringLiteral("java"), QStringLiteral("java"));
            options.insert(QStringLiteral("heap_mb"), 96);
        }
        return TestHost({overJdbc ? QStringLiteral("jdbc") : QStringLiteral("trino"), options},
                        {QStringLiteral("trino"), {}}, statePath);
    }

    RefreshServices services()
    {
        return {.executor = [this]() -> Result<Executor *> { return m_executor.get(); },
                .detector = *m_detector,
                .store = *m_store,
                .clock = m_clock,
                .owner = QStringLiteral("a test")};
    }
    Executor &executor() { return *m_executor; }

private:
    template <typename Made>
    static Made take(Result<Made> made)
    {
        if (!made)
            qFatal("%s", qPrintable(made.error().text()));
        return *std::move(made);
    }

    PluginCatalog m_catalog;
    SystemClock m_clock;
    std::unique_ptr<Executor> m_executor;
    std::unique_ptr<Detector> m_detector;
    std::unique_ptr<StateStore> m_store;
};

}  // namespace ivm::test
