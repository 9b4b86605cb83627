// A warehouse in a temporary folder, and tables in it whose data files are only told of.
//
// One thread. The folder ends with the object.
#pragma once

#include "framework/iceberg/commit.h"
#include "framework/iceberg/scan.h"
#include "tests/support/fake_clock.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <mutex>

namespace ivm::test {

using namespace iceberg;  // lint: allow using-namespace: all of these are the table format's tests

// The value, or the test program ends with the error.
template <typename T>
T valueOf(Result<T> result)
{
    if (!result)
        qFatal("%s", qPrintable(result.error().text()));
    return *std::move(result);
}

// Files in memory: most tests would otherwise wait for the disk. Any thread.
class MemoryIO final : public FileIO {
public:
    Result<QByteArray> readAll(const QString &location) override
    {
        const std::lock_guard lock(m_mutex);
        const auto it = m_files.constFind(location);
        if (it == m_files.cend())
            return fail(notFoundError(QStringLiteral("there is no file %1").arg(location)));
        return *it;
    }
    Status create(const QString &location, const QByteArray &bytes) override
    {
        const std::lock_guard lock(m_mutex);
        if (m_files.contains(location))
            return fail(alreadyExistsError(QStringLiteral("there is a file %1").arg(location)));
        m_files.insert(location, bytes);
        return {};
    }
    Status remove(const QString &location) override
    {
        const std::lock_guard lock(m_mutex);
        m_files.remove(location);
        return {};
    }
    Result<bool> exists(const QString &location) override
    {
        const std::lock_guard lock(m_mutex);
        return m_files.contains(location);
    }
    Result<qint64> size(const QString &location) override
    {
        IVM_TRY(const auto bytes, readAll(location));
        return bytes.size();
    }
    QStringList under(const QString &folder)
    {
        const std::lock_guard lock(m_mutex);
        QStringList names;
        for (const auto &[location, bytes] : m_files.asKeyValueRange()) {
            if (location.startsWith(QString(folder + u'/')))
                names.append(location);
        }
        return names;
    }

private:
    std::mutex m_mutex;
    QMap<QString, QByteArray> m_files;
};

enum class Storage { Memory, Disk };

class TestWarehouse {
public:
    explicit TestWarehouse(Storage storage = Storage::Memory)
        : io(storage == Storage::Memory ? static_cast<FileIO &>(m_memory) : m_disk),
          catalog(valueOf(
              SqlCatalog::open({.database = database(), .access = CatalogAccess::ReadWrite})))
    {
        if (auto made = catalog->createSchema(QStringLiteral("main")); !made)
            qFatal("%s", qPrintable(made.error().text()));
    }

    QString path() const { return dir.path(); }
    QString database() const { return dir.filePath(QStringLiteral("catalog.db")); }
    Warehouse all() { return {*catalog, io, clock}; }

    static TableName name(const QString &table)
    {
        return {QStringLiteral("iceberg"), QStringLiteral("main"), table};
    }

    // id bigint, ts timestamp(6), part varchar, by what is asked for.
    Table table(const QString &tableName, const QList<PartitionField> &partitioning = {})
    {
        const auto schema = valueOf(makeSchema(
            {{.name = QStringLiteral("id"), .type = {.kind = TypeKind::Bigint}},
             {.name = QStringLiteral("ts"), .type = {.kind = TypeKind::Timestamp, .precision = 6}},
             {.name = QStringLiteral("part"), .type = {.kind = TypeKind::Varchar}}}));
        const auto metadata =
            makeMetadata({.location = newTableLocation(fileUri(dir.path()), name(tableName)),
                          .schema = schema,
                          .spec = valueOf(makeSpec(partitioning, schema)),
                          .sortOrder = {},
                          .nowMs = clock.now().toMSecsSinceEpoch()});
        return valueOf(createTable(all(), name(tableName), metadata));
    }

    Table load(const QString &tableName) { return valueOf(loadTable(all(), name(tableName))); }

    Table commit(const Table &base, const SnapshotChange &change)
    {
        clock.advance(std::chrono::seconds(1));
        return valueOf(commitSnapshot(all(), base, change));
    }

    QStringList metadataFiles(const Table &of)
    {
        if (&io == &m_memory)
            return m_memory.under(of.metadata.location);
        const QDir folder(valueOf(localPath(of.metadata.location)) + QStringLiteral("/metadata"));
        return folder.entryList(QDir::Files | QDir::Hidden, QDir::Name);
    }

private:
    MemoryIO m_memory;
    LocalFileIO m_disk;

public:
    QTemporaryDir dir;
    FileIO &io;
    std::unique_ptr<SqlCatalog> catalog;
    FakeClock clock;
};

// A data file of that many rows, which is not there.
inline DataFile dataFile(const QString &name, qint64 rows, const QList<Literal> &partition = {})
{
    return {.path = QStringLiteral("file:///data/") + name,
            .partition = partition,
            .recordCount = rows,
            .sizeInBytes = rows * 10};
}

// Metrics of column `fieldId`, bounds as longs (which timestamps are too).
inline DataFile withBounds(DataFile file, int fieldId, qint64 lower, qint64 upper, qint64 nulls = 0)
{
    const FieldType type{.id = TypeId::Long};
    file.lowerBounds.insert(fieldId, literalToBytes(type, {lower}));
    file.upperBounds.insert(fieldId, literalToBytes(type, {upper}));
    file.valueCounts.insert(fieldId, file.recordCount);
    file.nullValueCounts.insert(fieldId, nulls);
    return file;
}

inline QStringList pathsOf(const std::vector<LiveFile> &files)
{
    QStringList names;
    for (const auto &file : files)
        names.append(file.file.path.section(u'/', -1));
    names.sort();
    return names;
}

// "2 added, 1 existing, 0 deleted" for each manifest of the head.
inline QStringList manifestTexts(TestWarehouse &warehouse, const Table &table)
{
    QStringList texts;
    for (const auto &manifest :
         valueOf(loadManifestList(warehouse.io, *table.metadata.currentSnapshot())))
        texts.append(QStringLiteral("%1 added, %2 existing, %3 deleted")
                         .arg(manifest.addedFiles)
                         .arg(manifest.existingFiles)
                         .arg(manifest.deletedFiles));
    return texts;
}

}  // namespace ivm::test
