#include "framework/refresh/view_session.h"

namespace ivm {

Result<std::unique_ptr<Session>> openViewSession(Executor &executor, const ViewSpec &view,
                                                 const Call &call)
{
    const SessionOptions options{.purpose = QStringLiteral("view ") + view.name,
                                 .properties = view.sessionProperties,
                                 .statementTimeout = view.queryTimeout};
    auto session = executor.openSession(options, call);
    if (!session)
        return fail(std::move(session).error().during(QStringLiteral("view '%1'").arg(view.name)));
    return session;
}

}  // namespace ivm
