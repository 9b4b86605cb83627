// schema/<table>.yaml: how a table shall be. A file holds the fields of one create_table, and of a
// column also the name that it had (`was`) or its id in the table (`id`), by which a column that is
// called otherwise now is known.
//
// Plain data; any thread.
#pragma once

#include "framework/migrate/operation_reader.h"

namespace ivm::migrate {

struct TableFile {
    CreateTable table;
    Place place;
    struct ColumnHint {
        QString was;
        int id = 0;  // Iceberg's; 0: not said
        Place place;
    };
    QList<ColumnHint> hints;  // of each column
};

struct TableFiles {
    QList<TableFile> tables;  // by name
    QList<Error> problems;
};

// All files of a folder that end in .yaml; none where there is no such folder. What is wrong is in
// `problems`: what the files hold, and tables that two are about.
TableFiles readTableFiles(const QString &folder, const TableName &defaults);

// One file's text. None with problems.
std::optional<TableFile> readTableFile(const QByteArray &bytes, const QString &file,
                                       const TableName &defaults, QList<Error> &problems);

}  // namespace ivm::migrate
