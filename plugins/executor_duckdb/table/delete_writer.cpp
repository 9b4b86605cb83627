#include "plugins/executor_duckdb/table/delete_writer.h"

#include "plugins/executor_duckdb/table/file_stats.h"
#include "plugins/executor_duckdb/table/staging.h"

namespace ivm::duckdb {

namespace {

const iceberg::Schema &deleteSchema()
{
    static const iceberg::Schema schema{.fields = {{.id = iceberg::kDeleteFilePathId,
                                                    .name = QStringLiteral("file_path"),
                                                    .required = true,
                                                    .type = {.id = iceberg::TypeId::String}},
                                                   {.id = iceberg::kDeletePositionId,
                                                    .name = QStringLiteral("pos"),
                                                    .required = true,
                                                    .type = {.id = iceberg::TypeId::Long}}}};
    return schema;
}

QString copySql(const iceberg::DataFile &data, const QString &gone, const QString &destination)
{
    return QStringLiteral("COPY (SELECT \"$path\" AS file_path, \"$row\" AS pos FROM %1 WHERE "
                          "\"$path\" = %2 ORDER BY pos) TO %3 (FORMAT parquet, RETURN_STATS, "
                          "FIELD_IDS {file_path: %4, pos: %5})")
        .arg(gone, quotedLiteral(data.path), quotedLiteral(destination),
             QString::number(iceberg::kDeleteFilePathId),
             QString::number(iceberg::kDeletePositionId));
}

Result<WrittenFile> writeFor(const iceberg::DataFile &data, const QString &gone,
                             const QString &destination, Connection &connection, const Call &call)
{
    IVM_TRY(const auto rows, connection.rows(copySql(data, gone, destination), {}, call));
    if (rows.size() != 1)
        return fail(internalError(QStringLiteral("DuckDB did not say what it wrote")));
    IVM_TRY(auto written, writtenFile(rows.front(), deleteSchema()));
    auto &file = written.file;
    file.content = iceberg::FileContent::PositionDeletes;
    file.specId = data.specId;
    file.partition = data.partition;
    file.referencedDataFile = data.path;
    // Whole and equal, they name the file to readers that do not know the field above.
    file.lowerBounds[iceberg::kDeleteFilePathId] = data.path.toUtf8();
    file.upperBounds[iceberg::kDeleteFilePathId] = data.path.toUtf8();
    return written;
}

}  // namespace

Result<NewFiles> writePositionDeletes(const iceberg::Table &table,
                                      const std::vector<iceberg::DataFile> &dataFiles,
                                      const QString &gone, Connection &connection, const Call &call)
{
    NewFiles made;
    if (dataFiles.empty())
        return made;
    IVM_TRY(const QString location, localPath(table.metadata.location));
    const QString dataFolder = location + QStringLiteral("/data");
    IVM_TRY(const Staging staging, Staging::make(dataFolder));
    const QString destination = staging.path() + QStringLiteral("/deletes.parquet");
    for (const auto &data : dataFiles) {
        IVM_TRY(auto written, writeFor(data, gone, destination, connection, call));
        written.file.path = iceberg::newDataFileLocation(table.metadata);
        IVM_TRY(const QString path, localPath(written.file.path));
        IVM_CHECK(staging.moveOut(written.path, path));
        made.add(std::move(written.file));
    }
    IVM_CHECK(Staging::sync(dataFolder));
    return made;
}

}  // namespace ivm::duckdb
