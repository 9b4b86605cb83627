// The parts of what `ivmctl tables NAME` tells on request: rows of a metadata table, for people and
// as JSON.
//
// Threads: the main thread.
#pragma once

#include "cli/ivmctl/terminal.h"
#include "framework/api/rows.h"

#include <QJsonArray>

namespace ivm::ctl {

enum class CellKind { Text, Number, Id, Time };

struct PartColumn {
    QString heading;
    QString member;  // in JSON
    CellKind kind = CellKind::Text;
};

struct TablePart {
    QString option;  // of the command line
    QString member;  // in JSON
    QString sql;
    QList<PartColumn> columns;
};

TablePart snapshotsPart(const TableName &name);
TablePart filesPart(const TableName &name);

QJsonArray partJson(const TablePart &part, const Rows &found);
void printPart(Terminal &terminal, const TablePart &part, const Rows &found);

}  // namespace ivm::ctl
