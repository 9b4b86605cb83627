// Writes the rows of a query as data files of a table, one file a partition, with what a manifest
// says about each.
//
// Threads: the connection's. Files are made in a folder of their own, which goes away with whatever
// is in it when anything fails, and move to the table's data folder when all of them are whole.
#pragma once

#include "framework/base/call.h"
#include "framework/iceberg/commit.h"
#include "plugins/executor_duckdb/engine/connection.h"

namespace ivm::duckdb {

// Data files on disk that no snapshot has yet. Removed again at the end of their life unless they
// are kept.
class NewFiles {
public:
    NewFiles() = default;
    ~NewFiles();
    NewFiles(NewFiles &&other) noexcept : m_files(std::exchange(other.m_files, {})) {}
    NewFiles &operator=(NewFiles &&other) noexcept
    {
        std::swap(m_files, other.m_files);
        return *this;
    }

    void add(iceberg::DataFile file) { m_files.append(std::move(file)); }
    // The other's files, too.
    void take(NewFiles &&other) { m_files += std::exchange(other.m_files, {}); }
    const QList<iceberg::DataFile> &files() const { return m_files; }
    qint64 rows() const;  // of data files
    // They belong to a snapshot now, or may.
    void keep() { m_files.clear(); }

private:
    QList<iceberg::DataFile> m_files;
};

// In what order a query's rows come.
enum class RowOrder {
    Any,
    ByFile,  // those of one stored file after those of another, so of one partition after another
};

// `select` gives the table's columns, by name and of duckdbType(). No rows, no files.
// Unavailable, naming the file or folder (not writable, disk full); Invalid for NULL in a column
// that must not be, at any depth; Unsupported for unknown partition transforms and for columns of
// type fixed; and what running the query gives.
Result<NewFiles> writeFiles(const iceberg::Table &table, const QString &select,
                            Connection &connection, const Call &call,
                            RowOrder order = RowOrder::Any);

}  // namespace ivm::duckdb
