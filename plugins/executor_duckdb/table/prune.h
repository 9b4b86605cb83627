// What a WHERE clause says about the files of a table: which of them cannot hold a row that it lets
// through.
//
// Pure but for `Constants`; one thread. It only ever over-approximates: whatever is not understood
// prunes nothing.
#pragma once

#include "framework/iceberg/scan.h"
#include "framework/sql/ast.h"

#include <QHash>
#include <QSet>

namespace ivm::duckdb {

// How the columns of one table are written in an expression.
struct ColumnNames {
    QString qualifier;  // the alias, or the table's own name
    bool bare = true;   // without a qualifier, too
};

// A mention of a table in FROM, and the condition that its rows have to meet to count.
struct Restriction {
    ColumnNames names;
    sql::ExprPtr where;
};

// By the place of the table's name in the text (QualifiedName::span.begin). Tables on the side of
// an outer join that may be filled with NULL are left out.
QHash<qsizetype, Restriction> restrictionsOf(const sql::Query &query);

// The value of an expression without columns, as text that literalFromText() reads; none when there
// is none.
using Constants = std::function<std::optional<QString>(const sql::ExprPtr &)>;

// What a file has to have for its rows to meet a condition.
struct FileFilter {
    QList<iceberg::ScanFilter> columns = {};  // one a column at most; each has to match
    std::optional<QSet<QString>> paths = {};  // "$path" is one of these
    // By field id: the column is one of these, so that the file's bounds hold one of them and its
    // partition is one of theirs, by whatever transform.
    QMap<int, QList<iceberg::Literal>> values = {};
};

bool mayMatch(const iceberg::DataFile &file, const FileFilter &filter,
              const iceberg::TableMetadata &metadata);

FileFilter fileFilter(const Restriction &restriction, const iceberg::Schema &schema,
                      const Constants &constants);

}  // namespace ivm::duckdb
