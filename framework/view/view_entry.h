// One view as it is written in views.yaml or in a migration, checked for form. What its query means
// is not looked at here.
//
// Plain data; any thread.
#pragma once

#include "framework/view/view_spec.h"
#include "framework/yaml/yaml.h"

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

}  // namespace ivm
