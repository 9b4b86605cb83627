// views.yaml: from the file to view definitions, checked for form. What a query means is not looked
// at here.
//
// Plain data; any thread.
#pragma once

#include "framework/view/view_entry.h"

namespace ivm {

struct ViewsFile {
    QList<ViewEntry> views;
    // Of the file as a whole: it could not be read, or has keys that are not known.
    QList<Error> problems;
};

// `defaults` are the catalog and schema that targets without them get.
ViewsFile readViews(const yaml::Node &root, const TableName &defaults);
ViewsFile readViewsFile(const QString &path, const TableName &defaults);

}  // namespace ivm
