// What a plugin has made, behind a guard: an exception that leaves one of its calls is that call's
// error, and so is an answer that is none, since neither may end the host.
//
// Threads and lifetime: as what is guarded.
#pragma once

#include "framework/api/detector.h"
#include "framework/api/executor.h"
#include "framework/api/history.h"
#include "framework/api/store.h"

#include <exception>
#include <memory>

namespace ivm {

// Internal (code `plugin_exception`).
Error pluginException(const QString &what);

// Runs code of a plugin, out of which anything may come; what was thrown becomes an error by
// `toError`.
template <typename Run, typename ToError>
auto guarded(Run run, ToError toError) -> decltype(run())
{
    try {
        return run();
    } catch (const std::exception &problem) {
        return fail(toError(QString::fromLocal8Bit(problem.what())));
    } catch (...) {
        return fail(toError(QString()));
    }
}

// `plugin` is how errors name it.
std::unique_ptr<Executor> guard(std::unique_ptr<Executor> executor, const QString &plugin);
std::unique_ptr<Detector> guard(std::unique_ptr<Detector> detector, const QString &plugin);
std::unique_ptr<StateStore> guard(std::unique_ptr<StateStore> store, const QString &plugin);
std::unique_ptr<HistoryStore> guard(std::unique_ptr<HistoryStore> store, const QString &plugin);

}  // namespace ivm
