// The tables of an engine's catalog with what their heads hold: `ivmctl tables` and the API.
//
// Threads: the session's.
#pragma once

#include "framework/api/executor.h"

#include <QJsonObject>

namespace ivm {

struct TableState {
    TableName name;
    TableInfo info;
    TableTotals totals;
    QString lastChange;          // RFC 3339; empty without a snapshot
    std::optional<Error> error;  // it cannot be read
};

// As Session::tableInfo and Session::run.
Result<TableState> tableStateOf(Session &session, const TableName &name, const Call &call);

// Of every schema but the engine's own. A table that cannot be read does not hide the others;
// Cancelled, Timeout and what keeps the names from being told are of the whole.
Result<QList<TableState>> tablesOf(Session &session, const TableName &defaults, const Call &call);

QJsonObject tableJson(const TableState &state);

}  // namespace ivm
