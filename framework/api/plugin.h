// How a plugin offers an executor, a detector or a store.
//
// A plugin is a Qt plugin whose root object implements one or more of the factories below, with
// Q_PLUGIN_METADATA(IID <the factory's IID> FILE "….json"). The JSON is read before any code of the
// plugin runs:
//   {"name": "duckdb", "version": "0.1.0", "builtFor": "0.1.0", "text": "one sentence",
//    "capabilities": ["atomicSummary"],
//    "options": [{"name": "warehouse", "type": "path", "required": false, "default": "./ivm-data",
//    "secret": false,
//                 "env": "", "text": "…"}]}
// Option types: string, integer, number, boolean, path (made absolute), map, list. The host checks
// and completes the options by this list, so create() sees only known names with values of the
// right type. Inside a map, members named `path`, or ending in `_path`, `Path` or `_file`, are
// paths too. A secret option x may be written as x_file: a file that holds it. An executor's string
// options `catalog` (without it: iceberg) and `schema` (without it: main) are where bare names are
// looked up; the host knows them from here without loading the plugin. A detector is given the
// executor's value for each option of the same name and type that it is not told itself; a store
// the usual place of the state for `path`, and the engine's catalog for `catalog`. A plugin is
// never unloaded. create() may be called from any thread.
#pragma once

#include "framework/api/detector.h"
#include "framework/api/executor.h"
#include "framework/api/history.h"
#include "framework/api/horizon.h"
#include "framework/api/store.h"

#include <QJsonObject>
#include <QtPlugin>

#include <functional>
#include <memory>

namespace ivm {

// What create() is given: options that are complete and checked, paths absolute.
using PluginOptions = QJsonObject;

// Gives the host's executor, loading the engine when it is first called. Thread-safe; the executor
// outlives the detector.
using ExecutorProvider = std::function<Result<Executor *>()>;
using DetectorProvider = std::function<Result<Detector *>()>;

class ExecutorFactory {
public:
    virtual ~ExecutorFactory() = default;
    // Invalid (naming the option), Unavailable, Internal. No I/O beyond what finding its libraries
    // takes. `horizon` is for one that expires snapshots itself.
    virtual Result<std::unique_ptr<Executor>> create(const PluginOptions &options,
                                                     SafeHorizon horizon) = 0;
};

class DetectorFactory {
public:
    virtual ~DetectorFactory() = default;
    // As ExecutorFactory. A detector that needs no SQL never calls `executor`.
    virtual Result<std::unique_ptr<Detector>> create(const PluginOptions &options,
                                                     ExecutorProvider executor) = 0;
};

// Offers one or both, as its metadata's capabilities say: `state`, `history`. What it does not
// offer is Unsupported.
class StoreFactory {
public:
    virtual ~StoreFactory() = default;
    // As ExecutorFactory; opens or makes the store. Unavailable when it cannot be written,
    // Unsupported when it was written by a newer version.
    virtual Result<std::unique_ptr<StateStore>> createState(const PluginOptions &options,
                                                            ExecutorProvider executor);
    // As above, but makes nothing: that is left to the first write.
    virtual Result<std::unique_ptr<HistoryStore>> createHistory(const PluginOptions &options,
                                                                ExecutorProvider executor,
                                                                DetectorProvider detector);
};

}  // namespace ivm

#define IVM_EXECUTOR_IID "org.iceberg-ivm.Executor/1"
#define IVM_DETECTOR_IID "org.iceberg-ivm.Detector/1"
#define IVM_STORE_IID "org.iceberg-ivm.Store/1"

Q_DECLARE_INTERFACE(ivm::ExecutorFactory, IVM_EXECUTOR_IID)
Q_DECLARE_INTERFACE(ivm::DetectorFactory, IVM_DETECTOR_IID)
Q_DECLARE_INTERFACE(ivm::StoreFactory, IVM_STORE_IID)
