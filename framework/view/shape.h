// What a view's query means: its sources, keys, bucket and measures, and how it can be kept right.
//
// Pure functions of the text, without a catalog: types of columns are not known here (outputs.h
// adds them). Plain data; any thread.
#pragma once

#include "framework/api/change.h"
#include "framework/api/store.h"
#include "framework/sql/ast.h"
#include "framework/view/bucket.h"
#include "framework/view/view_spec.h"

#include <QList>

#include <optional>

namespace ivm {

enum class Strategy {
    Ranges,  // only touched buckets are recomputed
    Diff,    // everything is recomputed, and only rows that differ are written
};

QString strategyName(Strategy strategy);  // "ranges", "diff"

struct ShapeSource {
    TableName table;
    SourceRole role = SourceRole::Driving;
    QStringList columns;      // those the query names, lower case, ascending
    qsizetype pinOffset = 0;  // where FOR VERSION AS OF goes in the query's text
};

struct ShapeColumn {
    QString name;  // lower case
    ColumnClass columnClass = ColumnClass::Exact;
    sql::Span expression;
};

// date_trunc(unit, column), date(column) or CAST(column AS date), as one of the keys.
struct ShapeBucket {
    enum class Form { DateTrunc, Date };
    Form form = Form::DateTrunc;
    BucketUnit unit = BucketUnit::Day;
    QString column;        // of the driving source
    qsizetype output = 0;  // index in ViewShape::columns
    sql::Span expression;  // the user's own text of it
    sql::Span columnSpan;  // the user's own text of the column
};

struct ViewShape {
    QString query;  // the text that all spans refer to
    Strategy strategy = Strategy::Diff;
    QString why;  // why this strategy, in a sentence for people
    QList<ShapeSource> sources;
    QList<ShapeColumn> columns;
    std::optional<ShapeBucket> bucket;
    sql::Span where;            // the condition; empty without one
    qsizetype whereOffset = 0;  // where a WHERE clause can be put when there is none

    QStringList keys() const;  // names of the key columns
    bool isRanges() const { return strategy == Strategy::Ranges; }
};

// Parses and understands the view's query. Invalid (wrong SQL) or Unsupported (a form that cannot
// be kept exact, or not yet), with the place in the view's file, a code, and the accepted way where
// there is one; the message names the view.
Result<ViewShape> shapeOf(const ViewSpec &spec, const TableName &defaults);

}  // namespace ivm
