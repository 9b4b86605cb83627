// The executor: opens sessions.
//
// Threads: any. Lifetime: until the process ends.
#pragma once

#include "engine.h"

namespace example_plugin {

class ExampleExecutor final : public ivm::Executor {
public:
    // Nothing is run for this. Unavailable, Invalid.
    static ivm::Result<std::unique_ptr<ExampleExecutor>> make(const EngineOptions &options);

    bool can(ivm::Capability) const override { return false; }
    ivm::TableName defaults() const override { return m_options.defaults; }
    ivm::Result<std::unique_ptr<ivm::Session>> openSession(const ivm::SessionOptions &options,
                                                           const ivm::Call &call) override;

private:
    EngineOptions m_options;
    std::unique_ptr<Engine> m_engine;
};

}  // namespace example_plugin
