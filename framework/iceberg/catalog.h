// Which tables there are, and where the metadata file of each one is now.
//
// Names: TableName::schema is the namespace, TableName::table the table; TableName::catalog only
// appears in messages.
#pragma once

#include "framework/api/table.h"
#include "framework/base/result.h"

#include <QMap>

#include <memory>

namespace ivm::iceberg {

struct CatalogEntry {
    TableName name;
    QString metadataLocation;

    bool operator==(const CatalogEntry &) const = default;
};

// Threads: any thread. Every method: Unavailable (missing file, locked, disk full), Corrupt (not a
// catalog).
class Catalog {
public:
    virtual ~Catalog() = default;

    // All tables in one statement, ordered by name; of one schema when it is not empty.
    virtual Result<QList<CatalogEntry>> list(const QString &schema = {}) = 0;
    // NotFound.
    virtual Result<CatalogEntry> load(const TableName &name) = 0;
    // AlreadyExists; NotFound when the schema is missing.
    virtual Status create(const TableName &name, const QString &metadataLocation) = 0;
    // Puts `next` in the place of `expected`. Conflict when the table is elsewhere by now, or gone.
    // CommitUnknown when the answer was lost and cannot be looked up.
    virtual Status swap(const TableName &name, const QString &expected, const QString &next) = 0;
    // Forgets the table; its files stay. NotFound.
    virtual Status drop(const TableName &name) = 0;
    // NotFound, AlreadyExists; NotFound when the new schema is missing.
    virtual Status rename(const TableName &from, const TableName &to) = 0;

    virtual Result<QStringList> schemas() = 0;
    // AlreadyExists.
    virtual Status createSchema(const QString &schema) = 0;
    // NotFound; Conflict when it has tables.
    virtual Status dropSchema(const QString &schema) = 0;
};

enum class CatalogAccess {
    ReadOnly,   // makes nothing: a missing file or missing tables are NotFound
    ReadWrite,  // makes the file and its two tables where they are missing
};

// A PostgreSQL server; what is empty is libpq's to choose.
struct DatabaseServer {
    QString host;
    int port = -1;
    QString user;
    QString password;
    QMap<QString, QString> settings;  // libpq's keywords: sslmode …
};

struct SqlCatalogOptions {
    QString driver = QStringLiteral("QSQLITE");
    QString database = {};                            // QSQLITE: the file; QPSQL: its name
    DatabaseServer server = {};                       // of QPSQL
    QString catalogName = QStringLiteral("iceberg");  // in the tables' first column
    CatalogAccess access = CatalogAccess::ReadOnly;
    int busyTimeoutMs = 20000;
};

// A catalog in the tables `iceberg_tables` and `iceberg_namespace_properties`, which JdbcCatalog
// (Trino) and PyIceberg's SqlCatalog share.
//
// Threads: any thread; each one that calls gets a connection of its own, which ends with the thread
// or the catalog, so no other thread may be inside a call when the catalog is destroyed.
class SqlCatalog final : public Catalog {
public:
    // NotFound (ReadOnly), Unavailable, Corrupt, Unsupported (the driver is not installed).
    static Result<std::unique_ptr<SqlCatalog>> open(const SqlCatalogOptions &options);
    ~SqlCatalog() override;

    Result<QList<CatalogEntry>> list(const QString &schema = {}) override;
    Result<CatalogEntry> load(const TableName &name) override;
    Status create(const TableName &name, const QString &metadataLocation) override;
    Status swap(const TableName &name, const QString &expected, const QString &next) override;
    Status drop(const TableName &name) override;
    Status rename(const TableName &from, const TableName &to) override;
    Result<QStringList> schemas() override;
    Status createSchema(const QString &schema) override;
    Status dropSchema(const QString &schema) override;

private:
    class Connections;
    explicit SqlCatalog(const SqlCatalogOptions &options);

    SqlCatalogOptions m_options;
    std::unique_ptr<Connections> m_connections;
};

}  // namespace ivm::iceberg
