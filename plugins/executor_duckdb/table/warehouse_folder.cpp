#include "plugins/executor_duckdb/table/warehouse_folder.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QSysInfo>

#include <cerrno>
#include <csignal>

namespace ivm::duckdb {

namespace {

constexpr QStringView kCatalogFile = u"/catalog.db";

// The machine is part of the name: others that share the folder have processes of their own.
QString spillPrefix()
{
    QString host = QSysInfo::machineHostName();
    host.replace(u'/', u'_');
    return QStringLiteral(".spill-%1-").arg(host);
}

}  // namespace

WarehouseFolder::WarehouseFolder(QString folder, TableName defaults)
    : m_folder(std::move(folder)), m_defaults(std::move(defaults))
{
}

QString WarehouseFolder::spillFolder() const
{
    return m_folder + u'/' + spillPrefix() + QString::number(QCoreApplication::applicationPid());
}

void WarehouseFolder::removeLeftSpillFolders() const
{
    const QString prefix = spillPrefix();
    for (const QString &name :
         QDir(m_folder).entryList({prefix + u'*'}, QDir::Dirs | QDir::Hidden)) {
        bool ok = false;
        const qint64 process = name.mid(prefix.size()).toLongLong(&ok);
        const bool ended = ok && ::kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH;
        if (ended)
            QDir(m_folder + u'/' + name).removeRecursively();
    }
}

Result<std::unique_ptr<iceberg::Catalog>> WarehouseFolder::open(iceberg::CatalogAccess access) const
{
    return iceberg::SqlCatalog::open(
        {.database = m_folder + kCatalogFile.toString(), .access = access});
}

Result<iceberg::Warehouse> WarehouseFolder::reading()
{
    const std::lock_guard lock(m_mutex);
    if (m_writer)
        return with(*m_writer);
    if (m_reader)
        return with(*m_reader);
    if (!QFileInfo::exists(m_folder + kCatalogFile.toString())) {
        return fail(
            notFoundError(
                QStringLiteral("there is no warehouse in %1: it has no catalog.db").arg(m_folder))
                .withCode(u"no_warehouse")
                .withHint(u"The first CREATE SCHEMA or CREATE TABLE makes one"));
    }
    IVM_TRY(m_reader, open(iceberg::CatalogAccess::ReadOnly));
    return with(*m_reader);
}

Result<iceberg::Warehouse> WarehouseFolder::writing()
{
    const std::lock_guard lock(m_mutex);
    if (m_writer)
        return with(*m_writer);
    if (!QDir().mkpath(m_folder)) {
        return fail(unavailableError(
                        QStringLiteral("the warehouse folder %1 could not be made").arg(m_folder))
                        .withHint(u"Check that the folder above it exists and may be written"));
    }
    IVM_TRY(auto writer, open(iceberg::CatalogAccess::ReadWrite));
    if (auto made = writer->createSchema(m_defaults.schema);
        !made && made.error().kind != ErrorKind::AlreadyExists)
        return fail(std::move(made).error().during(u"making the warehouse's default schema"));
    m_writer = std::move(writer);
    return with(*m_writer);
}

}  // namespace ivm::duckdb
