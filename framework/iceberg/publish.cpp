#include "framework/iceberg/publish.h"

#include "framework/base/fail_point.h"
#include <QUuid>

namespace ivm::iceberg {

namespace {

// How many earlier metadata files are remembered, unless the table says otherwise.
constexpr int kPreviousVersions = 100;

qsizetype previousVersionsKept(const TableMetadata &metadata)
{
    bool ok = false;
    const int asked =
        metadata.properties.value(QStringLiteral("write.metadata.previous-versions-max"))
            .toInt(&ok);
    return ok && asked > 0 ? asked : kPreviousVersions;
}

// Those that the log forgets and that may go: where the table's properties say so, and only what
// lies in its own folder.
QStringList forgetOldVersions(TableMetadata &metadata)
{
    QStringList files;
    const QString folder = metadata.location + QStringLiteral("/metadata/");
    while (metadata.metadataLog.size() > previousVersionsKept(metadata)) {
        const QString location = metadata.metadataLog.takeFirst().location;
        if (location.startsWith(folder) && location.lastIndexOf(u'/') == folder.size() - 1)
            files.append(location);
    }
    const auto removes =
        metadata.properties.value(QStringLiteral("write.metadata.delete-after-commit.enabled"));
    return removes == u"true" ? files : QStringList();
}

int versionOf(QStringView location)
{
    const QStringView name = location.sliced(location.lastIndexOf(u'/') + 1);
    bool ok = false;
    const int version = name.left(std::max<qsizetype>(name.indexOf(u'-'), 0)).toInt(&ok);
    return ok && version >= 0 ? version : 0;
}

}  // namespace

WrittenFiles::~WrittenFiles()
{
    for (const auto &location : std::as_const(m_locations))
        (void)m_io.remove(location);
}

Status WrittenFiles::create(const QString &location, const QByteArray &bytes)
{
    IVM_CHECK(m_io.create(location, bytes));
    m_locations.append(location);
    return {};
}

QString metadataFile(const TableMetadata &metadata, const QString &name)
{
    return metadata.location + QStringLiteral("/metadata/") + name;
}

QString metadataLocation(const TableMetadata &metadata, QStringView previous)
{
    const int version = previous.isEmpty() ? 0 : versionOf(previous) + 1;
    return metadataFile(metadata, QStringLiteral("%1-%2.metadata.json")
                                      .arg(version, 5, 10, QLatin1Char('0'))
                                      .arg(QUuid::createUuid().toString(QUuid::WithoutBraces)));
}

qint64 commitTime(const Clock &clock, const TableMetadata &base)
{
    return std::max(clock.now().toMSecsSinceEpoch(), base.lastUpdatedMs);
}

Result<Table> publish(Warehouse warehouse, const Table &base, TableMetadata next,
                      WrittenFiles &written)
{
    IVM_CHECK(checkWritable(next, base.name));
    if (next.uuid.isEmpty())
        next.uuid = QUuid::createUuid().toString(QUuid::WithoutBraces);
    next.metadataLog.append({base.metadata.lastUpdatedMs, base.metadataLocation});
    const QStringList forgotten = forgetOldVersions(next);
    Table table{base.name, metadataLocation(next, base.metadataLocation), std::move(next)};
    IVM_CHECK(written.create(table.metadataLocation, metadataToJson(table.metadata)));
    IVM_CHECK(failPoint(u"iceberg.metadata_written"));
    auto swapped = warehouse.catalog.swap(base.name, base.metadataLocation, table.metadataLocation);
    if (swapped || swapped.error().kind == ErrorKind::CommitUnknown)
        written.keep();
    IVM_CHECK(std::move(swapped));
    for (const auto &location : forgotten)
        (void)warehouse.io.remove(location);
    // The commit is there: nobody may take its files away.
    if (auto stopped = failPoint(u"iceberg.swapped"); !stopped) {
        stopped.error().kind = ErrorKind::CommitUnknown;
        return fail(std::move(stopped).error());
    }
    return table;
}

}  // namespace ivm::iceberg
