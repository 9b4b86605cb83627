// The one error type of the framework.
//
// An Error is plain data: a kind (what a caller may do about it), a stable code (what programs
// match), a message (what a person reads), the place in a text it is about, and a hint with the
// next step. Copyable; safe to move to any thread.
#pragma once

#include <QString>
#include <QStringView>

namespace ivm {

// What a caller may do about an error. What each asks of it: share/doc/errors.md.
enum class ErrorKind {
    Cancelled,      // The Call was stopped; nothing is wrong.
    Timeout,        // The Call's deadline passed before anything was committed.
    Unavailable,    // A server, disk or lock is not there now; the same call may work later.
    NotFound,       // The named thing does not exist.
    AlreadyExists,  // The named thing exists and must not.
    Conflict,       // Somebody else changed the thing first; look again and redo.
    CommitUnknown,  // A commit was sent and its outcome is not known: settle it, never resend.
    Invalid,        // The input is wrong; the same input fails again.
    Unsupported,    // The input is right but not handled; the message names what.
    Corrupt,        // Stored data breaks its own format.
    Internal,       // A bug of ours.
};

// The kind in lower snake case ("commit_unknown"); also the default code.
QString errorKindName(ErrorKind kind);

// A position in a text a person wrote. line and column count from 1; 0 means "not known". Columns
// count UTF-16 units.
struct Place {
    QString file;
    int line = 0;
    int column = 0;

    bool operator==(const Place &) const = default;
};

struct Error {
    ErrorKind kind = ErrorKind::Internal;
    QString code;     // stable, lower snake case; programs match it
    QString message;  // names the thing, what was found, what was expected
    Place place;      // where in a file or SQL text, if it is about one
    QString hint;     // what to do next; may be empty

    // Says what was being done, nearest the reader first: "refreshing x: <message>".
    Error during(QStringView what) &&;
    // Sets the place. A place that is already known more precisely is kept.
    Error at(Place where) &&;
    Error withCode(QStringView stableCode) &&;
    Error withHint(QStringView nextStep) &&;

    // "file:line:column: message", followed by the hint in a sentence of its own.
    QString text() const;

    bool operator==(const Error &) const = default;
};

// Makers, one a kind, so that a reader of the call sees the kind.
Error cancelledError(QString message);
Error timeoutError(QString message);
Error unavailableError(QString message);
Error notFoundError(QString message);
Error alreadyExistsError(QString message);
Error conflictError(QString message);
Error commitUnknownError(QString message);
Error invalidError(QString message);
Error unsupportedError(QString message);
Error corruptError(QString message);
Error internalError(QString message);

}  // namespace ivm
