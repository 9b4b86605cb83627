// The documents of --json, as programs rely on them.
//
// Pure; any thread. 64-bit ids are strings, times RFC 3339 in UTC, durations seconds.
#pragma once

#include "framework/refresh/verify.h"

#include <QJsonArray>
#include <QJsonObject>

namespace ivm {

// An error as an object: code, message, and where known line, column, file and hint.
QJsonObject errorJson(const Error &error);

// [{"from", "to"}]; null is open.
QJsonArray rangesJson(const QList<TextRange> &ranges);

QJsonObject outcomeJson(const RefreshOutcome &outcome);

// Without an error: the comparison. `error` takes its place when there was one.
QJsonObject verifyJson(const VerifyOutcome &outcome);

// What a view reads, and its columns as [{"name", "class"}].
QStringList sourceNames(const ViewShape &shape);
QJsonArray columnsJson(const ViewShape &shape);

QString columnClassName(ColumnClass columnClass);  // "key" … "order_dependent"

// The ranges of an incremental plan as text, in the bucket's type.
QList<TextRange> rangesOf(const View &view, const RefreshPlan &plan);

QJsonObject explanationJson(const View &view, const Explanation &explanation);

// What a refresh would read, as far as metadata tells: of the files that changed.
struct Estimate {
    qint64 rows = 0;
    qint64 bytes = 0;
    qint64 files = 0;
};
Estimate estimateOf(const RefreshPlan &plan);

}  // namespace ivm
