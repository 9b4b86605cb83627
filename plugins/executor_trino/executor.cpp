#include "plugins/executor_trino/executor.h"

#include "plugins/executor_trino/session.h"

namespace ivm::trino {

Result<std::unique_ptr<Session>> TrinoExecutor::openSession(const Call &call)
{
    IVM_CHECK(call.check(u"opening a session"));
    return std::make_unique<TrinoSession>(m_options);
}

}  // namespace ivm::trino
