// What a view's query means: its sources, keys, bucket and measures, and how it can be kept right.
//
// Pure functions of the text, without a catalog: types of columns are not known here (outputs.h
// adds them). Plain data; any thread.
#pragma once

#include "framework/api/change.h"
#include "framework/api/store.h"
#include "framework/sql/ast.h"
#include "framework/view/bucket_function.h"
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
    QStringList columns;  // those the query names, lower case, ascending
    sql::Span span;       // its name in the query's text; FOR VERSION AS OF goes behind it
};

struct ShapeColumn {
    QString name;  // lower case
    ColumnClass columnClass = ColumnClass::Exact;
    sql::Span expression;
    // An array in the order of its elements: which of two that are equal comes first is left open,
    // and shows only where equal elements can differ, as 0.0 and -0.0 do.
    bool isSortedArray = false;
};

// The key that follows a column of the driving source, so that changed files tell which rows of the
// view they touch: date_trunc(unit, column), date(column), and what bucket_reader.h understands.
struct ShapeBucket {
    enum class Form {
        DateTrunc,  // the start of one unit, by a call of date_trunc
        Date,       // the date
        Computed,
    };
    Form form = Form::DateTrunc;
    BucketUnit unit = BucketUnit::Day;  // of DateTrunc and Date
    BucketFunction function;
    QString column;        // of the driving source
    QString words;         // for people: "the hour of ts"
    qsizetype output = 0;  // index in ViewShape::columns
    sql::Span expression;  // the query's own text of it
    sql::Span columnSpan;  // the query's own text of the column
};

// How it is known which columns identify a row.
enum class KeySource {
    GroupBy,
    Distinct,  // all columns
    Declared,  // by the view's `keys`; each refresh checks them
    OneRow,    // aggregates without GROUP BY: there are none
};

// What a macro of the query is a bucket of. Only an engine knows its type.
struct MacroArgument {
    BucketUnit unit = BucketUnit::Minute;
    QString text;   // as its author wrote it
    Place place;    // in the view's file
    QString query;  // that selects it alone
};

struct ViewShape {
    QString query;  // the text that all spans refer to: the view's, without macros
    Strategy strategy = Strategy::Diff;
    QString why;  // why this strategy, in a sentence for people
    QList<ShapeSource> sources;
    QList<ShapeColumn> columns;
    KeySource keySource = KeySource::GroupBy;
    std::optional<ShapeBucket> bucket;
    QList<MacroArgument> macros;
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
