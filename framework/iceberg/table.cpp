#include "framework/iceberg/commit.h"

#include "framework/base/fail_point.h"
#include "framework/iceberg/publish.h"

#include <QUuid>

namespace ivm::iceberg {

namespace {

// A name as that of one folder, whatever it holds: what would lead elsewhere, or be too long for a
// file system, is left out. The table's own folder is told from others by what follows.
QString folderName(const QString &name)
{
    constexpr qsizetype kLongest = 60;
    QString folder;
    for (const QChar letter : name.left(kLongest))
        folder += letter.isPrint() && letter != u'/' && letter != u'\\' ? letter : QChar(u'_');
    if (folder.startsWith(u'.') || folder.isEmpty())
        folder.prepend(u'_');
    return folder;
}

}  // namespace

TableHead Table::head() const
{
    return {.tableId = tableIdOf(metadataLocation),
            .token = metadataLocation,
            .snapshot = metadata.currentSnapshotId};
}

Result<Table> readTable(FileIO &io, const CatalogEntry &entry)
{
    auto bytes = io.readAll(entry.metadataLocation);
    if (!bytes && bytes.error().kind == ErrorKind::NotFound)
        return fail(corruptError(QStringLiteral("the metadata file of table %1 is missing: %2")
                                     .arg(entry.name.text(), entry.metadataLocation)));
    IVM_TRY(const QByteArray content, std::move(bytes));
    if (content.startsWith("\x1f\x8b"))
        return fail(
            unsupportedError(QStringLiteral("the metadata file of table %1 is compressed with gzip")
                                 .arg(entry.name.text())));
    IVM_TRY(auto metadata, metadataFromJson(content, entry.metadataLocation));
    return Table{entry.name, entry.metadataLocation, std::move(metadata)};
}

Result<Table> loadTable(Warehouse warehouse, const TableName &name)
{
    IVM_TRY(const auto entry, warehouse.catalog.load(name));
    return readTable(warehouse.io, entry);
}

QString newTableLocation(const QString &warehouseUri, const TableName &name)
{
    return warehouseUri + u'/' + folderName(name.schema) + u'/' + folderName(name.table) + u'-' +
           QUuid::createUuid().toString(QUuid::Id128);
}

QString newDataFileLocation(const TableMetadata &metadata)
{
    return metadata.location + QStringLiteral("/data/") +
           QUuid::createUuid().toString(QUuid::WithoutBraces) + QStringLiteral(".parquet");
}

Result<Table> createTable(Warehouse warehouse, const TableName &name, const TableMetadata &metadata)
{
    Table table{name, metadataLocation(metadata, {}), metadata};
    WrittenFiles written(warehouse.io);
    IVM_CHECK(written.create(table.metadataLocation, metadataToJson(metadata)));
    IVM_CHECK(failPoint(u"iceberg.new_table_written"));
    IVM_CHECK(warehouse.catalog.create(name, table.metadataLocation));
    written.keep();
    return table;
}

}  // namespace ivm::iceberg
