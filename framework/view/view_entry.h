// One view as it is written in views.yaml or in a migration, checked for form. What its query means
// is not looked at here.
//
// Plain data; any thread.
#pragma once

#include "framework/view/view_spec.h"
#include "framework/yaml/yaml.h"

#include <QJsonObject>

namespace ivm {

// With problems it is refused; `spec` then holds what could be read.
struct ViewEntry {
    ViewSpec spec;  // the name of an entry that has none is what readViewEntry was told
    Place place;
    QList<Error> problems;
    QList<Error> warnings;
};

// `nameless` is the name that messages use where the entry has none; `defaults` are the catalog and
// schema that a target without them gets.
ViewEntry readViewEntry(const yaml::Node &node, const QString &nameless, const TableName &defaults);

// The entry that reads as this spec: what is not as without it, in the names of views.yaml. Two
// specs of the same meaning but for places give the same. The target is told as far as it differs
// from what it would be by itself, so that an entry moves with its catalog.
QJsonObject entryOf(const ViewSpec &spec, const TableName &defaults);
// An entry that entryOf() made. Corrupt, naming `what`, for anything else.
Result<ViewSpec> specOfEntry(const QByteArray &json, const QString &what,
                             const TableName &defaults);

}  // namespace ivm
