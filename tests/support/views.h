// Views for tests, understood from their query alone.
#pragma once

#include "framework/view/graph.h"

#include <QTest>

namespace ivm::test {

inline const TableName kDefaults{QStringLiteral("iceberg"), QStringLiteral("main"), {}};

inline TableName tableNamed(const QString &name)
{
    return {kDefaults.catalog, kDefaults.schema, name};
}

inline ViewSpec specOf(const QString &name, const QString &query)
{
    ViewSpec spec;
    spec.name = name;
    spec.query = query;
    spec.queryPlace = {QStringLiteral("views.yaml"), 4, 7};
    spec.queryIndent = 6;
    spec.target = tableNamed(name);
    return spec;
}

inline View viewOf(const QString &name, const QString &query)
{
    View view{specOf(name, query), {}};
    auto shape = shapeOf(view.spec, kDefaults);
    if (!shape)
        qFatal("%s", qPrintable(shape.error().text()));
    view.shape = *std::move(shape);
    return view;
}

}  // namespace ivm::test
