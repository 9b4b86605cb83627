#include "plugins/trino_sql/errors.h"

#include <QRegularExpression>

namespace ivm::trino {

namespace {

constexpr std::pair<QStringView, ErrorKind> kKinds[] = {
    {u"TABLE_NOT_FOUND", ErrorKind::NotFound},
    {u"SCHEMA_NOT_FOUND", ErrorKind::NotFound},
    {u"CATALOG_NOT_FOUND", ErrorKind::NotFound},
    {u"NOT_FOUND", ErrorKind::NotFound},
    {u"TABLE_ALREADY_EXISTS", ErrorKind::AlreadyExists},
    {u"SCHEMA_ALREADY_EXISTS", ErrorKind::AlreadyExists},
    {u"ALREADY_EXISTS", ErrorKind::AlreadyExists},
    {u"NOT_SUPPORTED", ErrorKind::Unsupported},
    {u"UNSUPPORTED_TABLE_TYPE", ErrorKind::Unsupported},
    {u"ICEBERG_COMMIT_ERROR", ErrorKind::Conflict},
    {u"TRANSACTION_CONFLICT", ErrorKind::Conflict},
    {u"ICEBERG_INVALID_METADATA", ErrorKind::Corrupt},
    {u"ICEBERG_MISSING_METADATA", ErrorKind::Corrupt},
    {u"ICEBERG_BAD_DATA", ErrorKind::Corrupt},
    {u"ICEBERG_MISSING_DATA", ErrorKind::Corrupt},
    {u"EXCEEDED_TIME_LIMIT", ErrorKind::Timeout},
    {u"ADMINISTRATIVELY_KILLED", ErrorKind::Unavailable},
    {u"ADMINISTRATIVELY_PREEMPTED", ErrorKind::Unavailable},
    {u"USER_CANCELED", ErrorKind::Unavailable},
    {u"ABANDONED_QUERY", ErrorKind::Unavailable},
    {u"ABANDONED_TASK", ErrorKind::Unavailable},
};

// Ends that come from outside of the statement: they may meet it while it commits.
constexpr QStringView kInterruptions[] = {
    u"EXCEEDED_TIME_LIMIT", u"ADMINISTRATIVELY_KILLED", u"ADMINISTRATIVELY_PREEMPTED",
    u"USER_CANCELED",       u"ABANDONED_QUERY",         u"ABANDONED_TASK",
};

ErrorKind kindOf(const TrinoError &error)
{
    for (const auto &[name, kind] : kKinds) {
        if (error.name == name)
            return kind;
    }
    return error.type == u"USER_ERROR" ? ErrorKind::Invalid : ErrorKind::Unavailable;
}

QString hintFor(const TrinoError &error, ErrorKind kind)
{
    if (error.name == u"PERMISSION_DENIED")
        return QStringLiteral("Grant this to the user, or set another one (user, TRINO_USER)");
    if (error.name == u"ICEBERG_TOO_MANY_OPEN_PARTITIONS")
        return QStringLiteral(
            "Raise iceberg.max-partitions-per-writer in the catalog's properties, or partition the "
            "view's table more coarsely (target_partitioning)");
    if (error.type == u"INSUFFICIENT_RESOURCES")
        return QStringLiteral("Trino lacks resources now; try again later or give it more");
    if (error.type == u"INTERNAL_ERROR" && kind == ErrorKind::Unavailable)
        return QStringLiteral("Trino's own log tells more");
    return {};
}

int lineOrColumn(const JsonNode &location, QStringView name)
{
    const auto value = location.memberInteger(name);
    return value && *value > 0 && *value < std::numeric_limits<int>::max()
               ? static_cast<int>(*value)
               : 0;
}

// Trino repeats the place in its message: "line 3:7: Table … does not exist".
QString withoutPlace(const QString &message)
{
    static const QRegularExpression place(QStringLiteral("^line \\d+:\\d+: "));
    return QString(message).remove(place);
}

}  // namespace

Error TrinoError::toError() const
{
    const ErrorKind kind = kindOf(*this);
    const QString code = name.isEmpty() ? errorKindName(kind) : name.toLower();
    return {.kind = kind,
            .code = code,
            .message = message,
            .place = place,
            .hint = hintFor(*this, kind)};
}

bool TrinoError::leavesNothing() const { return type == u"USER_ERROR" && !leavesDoubt(); }

bool TrinoError::leavesDoubt() const
{
    for (const auto interruption : kInterruptions) {
        if (name == interruption)
            return true;
    }
    return catalogDidNotAnswer();
}

// Iceberg's CommitStateUnknownException, which Trino reports as a plain commit error.
bool TrinoError::catalogDidNotAnswer() const
{
    return message.contains(u"Cannot determine whether the commit was successful");
}

TrinoError readTrinoError(const JsonNode &node)
{
    TrinoError error{.message = withoutPlace(node.memberText(u"message")),
                     .name = node.memberText(u"errorName"),
                     .type = node.memberText(u"errorType"),
                     .place = {}};
    if (error.message.isEmpty())
        error.message = QStringLiteral("Trino failed without saying why");
    if (const auto *location = node.member(u"errorLocation"))
        error.place = {
            {}, lineOrColumn(*location, u"lineNumber"), lineOrColumn(*location, u"columnNumber")};
    return error;
}

}  // namespace ivm::trino
