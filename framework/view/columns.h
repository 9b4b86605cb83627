// Which columns of its one table a query names.
//
// Pure; any thread.
#pragma once

#include "framework/sql/ast.h"

#include <QStringList>

#include <optional>

namespace ivm {

// How the columns of the one relation in FROM can be qualified.
struct RelationNames {
    QStringList parts;  // its alias alone; without one catalog, schema and table as far as written;
                        // lower case

    // The column that `expr` names when it is a bare or qualified column, lower case; nothing for
    // any other expression. A field of a row column (address.city, t.address.city) gives nothing:
    // only its base is a column.
    std::optional<QString> column(const sql::ExprPtr &expr) const;

private:
    bool qualifies(const QStringList &qualifier) const;
};

RelationNames relationNames(const sql::Relation &relation);

// Every column that is named anywhere in the query but in its ORDER BY, lower case, ascending;
// parameters of lambdas are no columns.
QStringList usedColumns(const sql::Query &query, const RelationNames &names);

}  // namespace ivm
