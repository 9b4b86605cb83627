// The last steps that all commits share. Private to this folder.
#pragma once

#include "framework/iceberg/commit.h"

namespace ivm::iceberg {

// The files of a commit that is not in place yet: removed again unless kept. Any thread, one at a
// time.
class WrittenFiles {
public:
    explicit WrittenFiles(FileIO &io) : m_io(io) {}
    ~WrittenFiles();
    WrittenFiles(const WrittenFiles &) = delete;
    WrittenFiles &operator=(const WrittenFiles &) = delete;

    // As FileIO::create.
    Status create(const QString &location, const QByteArray &bytes);
    void keep() { m_locations.clear(); }

private:
    FileIO &m_io;
    QStringList m_locations;
};

// <location>/metadata/NNNNN-<uuid>.metadata.json, one version after `previous` (empty: the first).
QString metadataLocation(const TableMetadata &metadata, QStringView previous);

// <location>/metadata/<name>
QString metadataFile(const TableMetadata &metadata, const QString &name);

// Writes `next` as the successor of `base` and swaps it in. Conflict, CommitUnknown, Unavailable;
// the files in `written` are removed again unless the commit landed, or may have.
Result<Table> publish(Warehouse warehouse, const Table &base, TableMetadata next,
                      WrittenFiles &written);

// Now, but not before the table was last changed: histories are in order even where clocks are not.
qint64 commitTime(const Clock &clock, const TableMetadata &base);

}  // namespace ivm::iceberg
