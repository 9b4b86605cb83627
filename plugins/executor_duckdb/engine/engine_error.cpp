#include "plugins/executor_duckdb/engine/engine_error.h"

namespace ivm::duckdb {

namespace {

constexpr QStringView kFatal = u"engine_fatal";

struct Known {
    QLatin1StringView prefix;
    ErrorKind kind;
    QStringView code;
    QStringView hint;
};

constexpr Known kKnown[] = {
    {QLatin1StringView("IO Error"), ErrorKind::Unavailable, u"engine_io", u""},
    {QLatin1StringView("Permission Error"), ErrorKind::Unavailable, u"engine_permission", u""},
    {QLatin1StringView("Out of Memory Error"), ErrorKind::Unavailable, u"engine_memory",
     u"Raise the executor's option memory_limit, or free space in the warehouse for what does not "
     u"fit into memory"},
    {QLatin1StringView("Conversion Error"), ErrorKind::Invalid, u"conversion", u""},
    {QLatin1StringView("Out of Range Error"), ErrorKind::Invalid, u"out_of_range", u""},
    {QLatin1StringView("Invalid Input Error"), ErrorKind::Invalid, u"invalid_input", u""},
    {QLatin1StringView("Constraint Error"), ErrorKind::Invalid, u"constraint", u""},
    {QLatin1StringView("Divide by Zero Error"), ErrorKind::Invalid, u"division_by_zero", u""},
    {QLatin1StringView("Not implemented Error"), ErrorKind::Unsupported, u"engine_unsupported",
     u""},
    {QLatin1StringView("FATAL Error"), ErrorKind::Internal, kFatal, u""},
};

// DuckDB shows the place in its own statement, which is not what the user wrote.
QString withoutStatement(const QString &message)
{
    return message.left(message.indexOf(QStringLiteral("\n\nLINE "))).trimmed();
}

}  // namespace

Error engineError(const QString &message, const Call &call)
{
    if (message.startsWith(QStringLiteral("INTERRUPT"))) {
        const auto status = call.check(u"the statement");
        return status ? cancelledError(QStringLiteral("the statement was interrupted"))
                      : status.error();
    }
    const QString text = withoutStatement(message);
    for (const auto &known : kKnown) {
        if (!text.startsWith(known.prefix))
            continue;
        const QString rest = text.mid(known.prefix.size())
                                 .remove(0, text.mid(known.prefix.size()).startsWith(u':') ? 1 : 0);
        Error error{.kind = known.kind,
                    .code = known.code.toString(),
                    .message = rest.trimmed(),
                    .place = {},
                    .hint = {}};
        return std::move(error).withHint(known.hint);
    }
    return internalError(QStringLiteral("DuckDB refused a translated statement: %1").arg(text))
        .withCode(u"engine_refused");
}

bool isFatal(const Error &error) { return error.code == kFatal; }

}  // namespace ivm::duckdb
