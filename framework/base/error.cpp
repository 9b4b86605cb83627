#include "framework/base/error.h"

#include <utility>

namespace ivm {

namespace {

Error make(ErrorKind kind, QString message)
{
    return {.kind = kind,
            .code = errorKindName(kind),
            .message = std::move(message),
            .place = {},
            .hint = {}};
}

}  // namespace

QString errorKindName(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::Cancelled: return QStringLiteral("cancelled");
    case ErrorKind::Timeout: return QStringLiteral("timeout");
    case ErrorKind::Unavailable: return QStringLiteral("unavailable");
    case ErrorKind::NotFound: return QStringLiteral("not_found");
    case ErrorKind::AlreadyExists: return QStringLiteral("already_exists");
    case ErrorKind::Conflict: return QStringLiteral("conflict");
    case ErrorKind::CommitUnknown: return QStringLiteral("commit_unknown");
    case ErrorKind::Invalid: return QStringLiteral("invalid");
    case ErrorKind::Unsupported: return QStringLiteral("unsupported");
    case ErrorKind::Corrupt: return QStringLiteral("corrupt");
    case ErrorKind::Internal: return QStringLiteral("internal");
    }
    Q_UNREACHABLE();
}

Error Error::during(QStringView what) &&
{
    message = what + QStringLiteral(": ") + message;
    return std::move(*this);
}

Error Error::at(Place where) &&
{
    if (place.file.isEmpty())
        place.file = std::move(where.file);
    if (place.line == 0) {
        place.line = where.line;
        place.column = where.column;
    }
    return std::move(*this);
}

Error Error::withCode(QStringView stableCode) &&
{
    code = stableCode.toString();
    return std::move(*this);
}

Error Error::withHint(QStringView nextStep) &&
{
    hint = nextStep.toString();
    return std::move(*this);
}

QString Error::text() const
{
    QString out;
    if (!place.file.isEmpty())
        out += place.file + u':';
    if (place.line > 0)
        out += QStringLiteral("%1:%2:").arg(place.line).arg(place.column);
    if (!out.isEmpty())
        out += u' ';
    out += message;
    if (!hint.isEmpty())
        out += QStringLiteral(". ") + hint;
    return out;
}

Error cancelledError(QString message) { return make(ErrorKind::Cancelled, std::move(message)); }
Error timeoutError(QString message) { return make(ErrorKind::Timeout, std::move(message)); }
Error unavailableError(QString message) { return make(ErrorKind::Unavailable, std::move(message)); }
Error notFoundError(QString message) { return make(ErrorKind::NotFound, std::move(message)); }
Error alreadyExistsError(QString message)
{
    return make(ErrorKind::AlreadyExists, std::move(message));
}
Error conflictError(QString message) { return make(ErrorKind::Conflict, std::move(message)); }
Error commitUnknownError(QString message)
{
    return make(ErrorKind::CommitUnknown, std::move(message));
}
Error invalidError(QString message) { return make(ErrorKind::Invalid, std::move(message)); }
Error unsupportedError(QString message) { return make(ErrorKind::Unsupported, std::move(message)); }
Error corruptError(QString message) { return make(ErrorKind::Corrupt, std::move(message)); }
Error internalError(QString message) { return make(ErrorKind::Internal, std::move(message)); }

}  // namespace ivm
