// views.yaml: from the file to view definitions, checked for form. What a query means is not looked
// at here.
//
// Plain data; any thread.
#pragma once

#include "framework/host/yaml.h"
#include "framework/view/view_spec.h"

namespace ivm {

// One entry of the list. With problems it is refused; `spec` then holds what could be read.
struct ViewEntry {
    ViewSpec spec;  // the name of an entry that has none is "#3": the third
    Place place;
    QList<Error> problems;
    QList<Error> warnings;
};

struct ViewsFile {
    QList<ViewEntry> views;
    // Of the file as a whole: it could not be read, or has keys that are not known.
    QList<Error> problems;
};

// `defaults` are the catalog and schema that targets without them get.
ViewsFile readViews(const yaml::Node &root, const TableName &defaults);
ViewsFile readViewsFile(const QString &path, const TableName &defaults);

}  // namespace ivm
