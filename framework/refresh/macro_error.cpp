#include "framework/refresh/macro_error.h"

namespace ivm {

namespace {

// What to do about an argument of that type; none where a bucket of it can be.
std::optional<QStringView> adviceFor(const Type &type, BucketUnit unit)
{
    switch (type.kind) {
    case TypeKind::Timestamp:
    case TypeKind::TimestampWithTimeZone:
    case TypeKind::Unknown: return {};
    case TypeKind::Date:
        if (unit >= BucketUnit::Day)
            return {};
        return u"Give it a width of days or longer, or write CAST(… AS timestamp)";
    case TypeKind::Time:
        if (unit < BucketUnit::Day)
            return {};
        return u"A time of day has no days";
    case TypeKind::Tinyint:
    case TypeKind::Smallint:
    case TypeKind::Integer:
    case TypeKind::Bigint:
    case TypeKind::Real:
    case TypeKind::Double:
    case TypeKind::Decimal: return u"Write from_unixtime(…) around seconds since 1970";
    default: return u"Write CAST(… AS timestamp)";
    }
}

}  // namespace

std::optional<Error> macroError(const Error &error, Session &session, const View &view,
                                const Call &call)
{
    if (error.kind != ErrorKind::Invalid && error.kind != ErrorKind::Unsupported)
        return {};
    for (const auto &macro : view.shape.macros) {
        const auto described = session.describe(macro.query, call);
        if (!described || described->size() != 1)
            continue;
        const Type &type = described->front().type;
        if (const auto advice = adviceFor(type, macro.unit))
            return invalidError(QStringLiteral("time_bucket() takes a timestamp, and %1 is %2")
                                    .arg(macro.text.left(60), type.text()))
                .withCode(u"time_bucket")
                .withHint(*advice)
                .at(macro.place)
                .during(QStringLiteral("view '%1'").arg(view.spec.name));
    }
    return {};
}

}  // namespace ivm
