#include "executor.h"

#include "session.h"

using namespace ivm;

namespace example_plugin {

Result<std::unique_ptr<ExampleExecutor>> ExampleExecutor::make(const EngineOptions &options)
{
    auto executor = std::make_unique<ExampleExecutor>();
    executor->m_options = options;
    IVM_TRY(executor->m_engine, Engine::start(options));
    return executor;
}

Result<std::unique_ptr<Session>> ExampleExecutor::openSession(const SessionOptions &options,
                                                              const Call &call)
{
    IVM_CHECK(call.check(u"opening a session"));
    IVM_TRY(auto connection, m_engine->connect(call));
    return std::make_unique<ExampleSession>(std::move(connection), options);
}

}  // namespace example_plugin
