#include "framework/base/fail_point.h"

#ifndef IVM_NO_FAIL_POINTS

#include <atomic>
#include <csignal>

namespace ivm {

namespace {

struct Named {
    QString point;
    int nth = 1;
    bool kills = false;
};

Named namedByEnvironment()
{
    const QString text = qEnvironmentVariable("IVM_FAIL_POINT");
    const QString place = text.section(u'=', 0, 0);
    return {.point = place.section(u':', 0, 0),
            .nth = std::max(1, place.section(u':', 1).toInt()),
            .kills = text.section(u'=', 1) == u"kill"};
}

}  // namespace

Status failPoint(QStringView point)
{
    static const Named named = namedByEnvironment();
    static std::atomic<int> reached = 0;
    if (named.point.isEmpty() || point != named.point || ++reached != named.nth)
        return {};
    if (named.kills)
        std::raise(SIGKILL);
    return fail(unavailableError(QStringLiteral("fail point %1 was reached").arg(point))
                    .withCode(u"fail_point"));
}

}  // namespace ivm

#endif
