#include "plugins/executor_duckdb/engine/engine_error.h"

#include <QHash>
#include <QRegularExpression>

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

// DuckDB's names of types, which are not the user's.
QString typeName(const QString &name)
{
    static const QHash<QString, QString> names{
        {QStringLiteral("INT8"), QStringLiteral("tinyint")},
        {QStringLiteral("INT16"), QStringLiteral("smallint")},
        {QStringLiteral("INT32"), QStringLiteral("integer")},
        {QStringLiteral("INT64"), QStringLiteral("bigint")},
        {QStringLiteral("FLOAT"), QStringLiteral("real")},
    };
    return names.value(name, name.toLower());
}

// What DuckDB says about a value, and what is said instead: %1 and %2 stand for what was captured,
// %t for the second capture as a type.
struct Fault {
    QStringView pattern;
    QStringView text;
};

constexpr Fault kFaults[] = {
    {u"Overflow in \\w+ of (?:\\w+)(?:\\(\\d+\\))? \\((.*)\\)", u"a number overflows: %1"},
    {u"Overflow in negation", u"a number overflows when its sign changes"},
    {u"Overflow on (abs\\(.*\\))", u"a number overflows: %1"},
    {u"Type \\w+(?:\\([0-9,]*\\))? with value (.*) can't be cast .*destination type (\\w+)",
     u"%1 does not fit into %t"},
    {u"Could not cast value (.*) to (DECIMAL\\([0-9,]+\\))", u"%1 does not fit into %t"},
    {u"Casting value \"(.*)\" to type (DECIMAL\\([0-9,]+\\)) failed", u"%1 does not fit into %t"},
    {u"Could not convert string [\"'](.*)[\"'] to (\\w+(?:\\([0-9,]*\\))?)",
     u"'%1' cannot be read as %t"},
    {u"(?:date|time|timestamp) field value out of range: \"(.*)\"",
     u"'%1' is not a date or time that there is"},
    {u"Date and time not in timestamp range|[Tt]imestamp.*out of range|Date out of range",
     u"a date or time is out of the engine's range"},
    {u"Failure in decode", u"the bytes are not UTF-8"},
    {u"More than one row returned by a subquery",
     u"a subquery that stands for one value gave more"},
    {u"Invalid input for hex digit: (.)", u"'%1' is not a hexadecimal digit"},
    {u"Could not decode string \"(.*)\" as base64", u"'%1' is not base64"},
};

// What went wrong with a value, in the product's words where they are known.
QString faultText(const QString &message)
{
    for (const auto &fault : kFaults) {
        static constexpr auto kDotMatchesAll = QRegularExpression::DotMatchesEverythingOption;
        const auto match =
            QRegularExpression(fault.pattern.toString(), kDotMatchesAll).match(message);
        if (!match.hasMatch())
            continue;
        QString text = fault.text.toString();
        text.replace(QStringLiteral("%t"), typeName(match.captured(2)));
        text.replace(QStringLiteral("%1"), match.captured(1));
        return text;
    }
    return message;
}

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
                    .message = known.kind == ErrorKind::Invalid ? faultText(rest.trimmed())
                                                                : rest.trimmed(),
                    .place = {},
                    .hint = {}};
        return std::move(error).withHint(known.hint);
    }
    return internalError(QStringLiteral("DuckDB refused a translated statement: %1").arg(text))
        .withCode(u"engine_refused")
        .withHint(u"This is a fault of the program: report it with the statement, and try to write "
                  u"the statement in another way");
}

bool isFatal(const Error &error) { return error.code == kFatal; }

}  // namespace ivm::duckdb
