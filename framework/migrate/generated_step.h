// A step of a migration that is generated, before it is a file.
//
// Plain data; any thread.
#pragma once

#include "framework/migrate/operation.h"

#include <QStringList>

namespace ivm::migrate {

struct GeneratedStep {
    Operation operation;
    QString why;  // for people: what was found
    Place place;  // of what asks for it, in views.yaml or a schema file
    // What takes it back; none where nothing does, and whyNone says why: "the values of column a
    // of t are gone".
    std::optional<QList<Operation>> inverse;
    QString whyNone = {};
};

// What cannot be generated, with what to do instead.
inline Error generateProblem(QString message, Place place, QStringView hint)
{
    return unsupportedError(std::move(message))
        .withCode(u"autogenerate")
        .at(std::move(place))
        .withHint(hint);
}

}  // namespace ivm::migrate
