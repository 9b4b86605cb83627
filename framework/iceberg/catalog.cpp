#include "framework/iceberg/catalog.h"

#include <QDir>
#include <QFileInfo>
#include <QHash>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QUuid>
#include <QSqlRecord>
#include <QVariant>

#include <atomic>
#include <initializer_list>

namespace ivm::iceberg {

namespace {

const auto kSqlite = QStringLiteral("QSQLITE");
// PostgreSQL's undefined_table (documentation, "Error Codes").
const auto kUndefinedTable = QStringLiteral("42P01");

// SQLite's result codes, of which Qt passes the extended form (sqlite.org, "Result and Error
// Codes").
enum SqliteCode {
    kGeneric = 1,
    kBusy = 5,
    kLocked = 6,
    kReadOnlyCode = 8,
    kCorrupt = 11,
    kFull = 13,
    kCannotOpen = 14,
    kConstraint = 19,
    kNotADatabase = 26,
};

int codeOf(const QSqlError &error) { return error.nativeErrorCode().toInt() & 0xff; }

// Whether the statement cannot have taken effect.
bool isDefinite(const QSqlError &error)
{
    switch (codeOf(error)) {
    case kGeneric:
    case kBusy:
    case kLocked:
    case kReadOnlyCode:
    case kCorrupt:
    case kFull:
    case kCannotOpen:
    case kConstraint:
    case kNotADatabase: return true;
    default: return false;
    }
}

Error sqlError(const QString &database, const QSqlError &error)
{
    const QString said = error.databaseText().isEmpty() ? error.driverText() : error.databaseText();
    const QString text = QStringLiteral("catalog %1: %2").arg(database, said);
    const int code = codeOf(error);
    if (code == kCorrupt || code == kNotADatabase)
        return corruptError(text).withHint(
            u"Put back a copy of the file; the tables' own files beside it are not touched");
    if ((code == kGeneric && said.contains(u"no such table")) ||
        error.nativeErrorCode() == kUndefinedTable)
        return notFoundError(QStringLiteral("%1 holds no catalog (%2)").arg(database, said));
    return unavailableError(text);
}

// The connections of one thread, by catalog. They end with the thread, in it: a connection belongs
// to the thread it was made in.
struct ThreadConnections {
    QHash<quint64, QString> names;

    ~ThreadConnections()
    {
        for (const auto &name : std::as_const(names))
            QSqlDatabase::removeDatabase(name);
    }
};

thread_local ThreadConnections threadConnections;

// Names are the process's, and each plugin has its own copy of this code: a counter would repeat.
QString newConnectionName()
{
    return QStringLiteral("ivm-catalog-") + QUuid::createUuid().toString(QUuid::WithoutBraces);
}

}  // namespace

// Gives each thread a connection of its own.
class SqlCatalog::Connections {
public:
    explicit Connections(const SqlCatalogOptions &options) : m_options(options) {}

    ~Connections()
    {
        if (const QString name = threadConnections.names.take(m_id); !name.isEmpty())
            QSqlDatabase::removeDatabase(name);
    }

    Result<QSqlDatabase> ofThisThread()
    {
        if (const QString name = threadConnections.names.value(m_id); !name.isEmpty())
            return QSqlDatabase::database(name);
        const QString name = newConnectionName();
        auto opened = connect(name);
        if (opened)
            threadConnections.names.insert(m_id, name);
        else
            QSqlDatabase::removeDatabase(name);
        return opened;
    }

    // Runs one statement with its values bound.
    Result<QSqlQuery> run(const QString &sql, std::initializer_list<QVariant> values,
                          QSqlError *error = nullptr)
    {
        IVM_TRY(const auto database, ofThisThread());
        QSqlQuery query(database);
        query.setForwardOnly(true);
        bool ok = query.prepare(sql);
        for (const auto &value : values)
            query.addBindValue(value);
        ok = ok && query.exec();
        if (ok)
            return query;
        if (error)
            *error = query.lastError();
        return fail(sqlError(m_options.database, query.lastError()));
    }

private:
    bool isReadOnly() const { return m_options.access == CatalogAccess::ReadOnly; }

    Result<QSqlDatabase> connect(const QString &name)
    {
        auto database = QSqlDatabase::addDatabase(m_options.driver, name);
        database.setDatabaseName(m_options.database);
        if (m_options.driver != kSqlite)
            setServer(database, m_options.server);
        else
            database.setConnectOptions(
                QStringLiteral("QSQLITE_BUSY_TIMEOUT=%1%2")
                    .arg(m_options.busyTimeoutMs)
                    .arg(isReadOnly() ? QStringLiteral(";QSQLITE_OPEN_READONLY") : QString()));
        if (!database.open())
            return fail(sqlError(m_options.database, database.lastError()));
        if (m_options.driver == kSqlite && !isReadOnly())
            IVM_CHECK(setUp(database));
        return database;
    }

    // As libpq reads connection strings (documentation, "Connection Strings"); Qt puts a blank in
    // the place of each semicolon.
    static void setServer(QSqlDatabase &database, const DatabaseServer &server)
    {
        database.setHostName(server.host);
        database.setPort(server.port);
        database.setUserName(server.user);
        database.setPassword(server.password);
        QStringList settings;
        for (auto [name, value] : server.settings.asKeyValueRange()) {
            QString quoted = value;
            quoted.replace(u'\\', QStringLiteral("\\\\")).replace(u'\'', QStringLiteral("\\'"));
            settings.append(name + QStringLiteral("='") + quoted + u'\'');
        }
        database.setConnectOptions(settings.join(u';'));
    }

    // Readers go on while a writer commits. Another process may be doing the same just now; the
    // mode stays, so that is fine.
    Status setUp(QSqlDatabase &database)
    {
        QSqlQuery query(database);
        query.exec(QStringLiteral("PRAGMA journal_mode = WAL"));
        if (!query.exec(QStringLiteral("PRAGMA synchronous = FULL")))
            return fail(sqlError(m_options.database, query.lastError()));
        return {};
    }

    SqlCatalogOptions m_options;
    const quint64 m_id = [] {
        static std::atomic<quint64> counter{0};
        return ++counter;
    }();
};

namespace {

// JdbcCatalog's tables, as it and PyIceberg make them.
const auto kCreateTables = QStringLiteral(
    "CREATE TABLE IF NOT EXISTS iceberg_tables (catalog_name VARCHAR(255) NOT NULL, "
    "table_namespace VARCHAR(255) NOT NULL, table_name VARCHAR(255) NOT NULL, "
    "metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000), "
    "iceberg_type VARCHAR(5), PRIMARY KEY (catalog_name, table_namespace, table_name))");
const auto kCreateProperties = QStringLiteral(
    "CREATE TABLE IF NOT EXISTS iceberg_namespace_properties (catalog_name VARCHAR(255) NOT NULL, "
    "namespace VARCHAR(255) NOT NULL, property_key VARCHAR(255) NOT NULL, "
    "property_value VARCHAR(1000), PRIMARY KEY (catalog_name, namespace, property_key))");
const auto kOneTable =
    QStringLiteral(" WHERE catalog_name = ? AND table_namespace = ? AND table_name = ?");

// Older catalogs have no column for the type; there everything is a table.
bool isView(const QSqlQuery &query)
{
    const int column = query.record().indexOf(QStringLiteral("iceberg_type"));
    return column >= 0 && query.value(column).toString().compare(u"VIEW", Qt::CaseInsensitive) == 0;
}

Error noTable(const TableName &name)
{
    return notFoundError(QStringLiteral("there is no table %1").arg(name.text()));
}

Error noSchema(const QString &schema)
{
    return notFoundError(QStringLiteral("there is no schema %1").arg(schema))
        .withHint(u"Create it with CREATE SCHEMA");
}

}  // namespace

SqlCatalog::SqlCatalog(const SqlCatalogOptions &options)
    : m_options(options), m_connections(std::make_unique<Connections>(options))
{
}

SqlCatalog::~SqlCatalog() = default;

Result<std::unique_ptr<SqlCatalog>> SqlCatalog::open(const SqlCatalogOptions &options)
{
    if (!QSqlDatabase::isDriverAvailable(options.driver))
        return fail(unsupportedError(
            QStringLiteral("Qt's database driver %1 is not installed").arg(options.driver)));
    const bool isFile = options.driver == kSqlite;
    if (isFile && options.access == CatalogAccess::ReadOnly && !QFileInfo::exists(options.database))
        return fail(notFoundError(QStringLiteral("there is no catalog %1").arg(options.database)));
    if (isFile && options.access == CatalogAccess::ReadWrite &&
        !QDir().mkpath(QFileInfo(options.database).path()))
        return fail(unavailableError(
            QStringLiteral("cannot make the folder %1").arg(QFileInfo(options.database).path())));
    std::unique_ptr<SqlCatalog> catalog(new SqlCatalog(options));
    if (options.access == CatalogAccess::ReadWrite) {
        IVM_CHECK(catalog->m_connections->run(kCreateTables, {}));
        IVM_CHECK(catalog->m_connections->run(kCreateProperties, {}));
    } else {
        IVM_CHECK(catalog->m_connections->run(
            QStringLiteral("SELECT 1 FROM iceberg_tables LIMIT 1"), {}));
    }
    return catalog;
}

Result<QList<CatalogEntry>> SqlCatalog::list(const QString &schema)
{
    const QString everything =
        QStringLiteral("SELECT * FROM iceberg_tables WHERE catalog_name = ?");
    const QString order = QStringLiteral(" ORDER BY table_namespace, table_name");
    auto found =
        schema.isEmpty()
            ? m_connections->run(everything + order, {m_options.catalogName})
            : m_connections->run(everything + QStringLiteral(" AND table_namespace = ?") + order,
                                 {m_options.catalogName, schema});
    IVM_TRY(auto query, std::move(found));
    QList<CatalogEntry> entries;
    while (query.next()) {
        const QString location = query.value(QStringLiteral("metadata_location")).toString();
        if (!isView(query) && !location.isEmpty())
            entries.append(
                {{m_options.catalogName, query.value(QStringLiteral("table_namespace")).toString(),
                  query.value(QStringLiteral("table_name")).toString()},
                 location});
    }
    if (query.lastError().isValid())
        return fail(sqlError(m_options.database, query.lastError()));
    return entries;
}

Result<CatalogEntry> SqlCatalog::load(const TableName &name)
{
    IVM_TRY(auto query,
            m_connections->run(QStringLiteral("SELECT * FROM iceberg_tables") + kOneTable,
                               {m_options.catalogName, name.schema, name.table}));
    if (!query.next())
        return fail(query.lastError().isValid() ? sqlError(m_options.database, query.lastError())
                                                : noTable(name));
    if (isView(query))
        return fail(notFoundError(QStringLiteral("%1 is a view, not a table").arg(name.text())));
    const QString location = query.value(QStringLiteral("metadata_location")).toString();
    if (location.isEmpty())
        return fail(corruptError(
            QStringLiteral("the catalog has no metadata file for table %1").arg(name.text())));
    return CatalogEntry{name, location};
}

Status SqlCatalog::create(const TableName &name, const QString &metadataLocation)
{
    IVM_TRY(const auto known, schemas());
    if (!known.contains(name.schema))
        return fail(noSchema(name.schema));
    IVM_TRY(const auto database, m_connections->ofThisThread());
    const bool hasType =
        database.record(QStringLiteral("iceberg_tables")).contains(QStringLiteral("iceberg_type"));
    const QString columns =
        QStringLiteral("catalog_name, table_namespace, table_name, metadata_location");
    const QString sql =
        hasType ? QStringLiteral(
                      "INSERT INTO iceberg_tables (%1, iceberg_type) VALUES (?, ?, ?, ?, 'TABLE')")
                : QStringLiteral("INSERT INTO iceberg_tables (%1) VALUES (?, ?, ?, ?)");
    QSqlError error;
    auto inserted = m_connections->run(
        sql.arg(columns), {m_options.catalogName, name.schema, name.table, metadataLocation},
        &error);
    if (inserted)
        return {};
    if (codeOf(error) == kConstraint)
        return fail(
            alreadyExistsError(QStringLiteral("table %1 is there already").arg(name.text())));
    return fail(std::move(inserted).error());
}

Status SqlCatalog::swap(const TableName &name, const QString &expected, const QString &next)
{
    QSqlError error;
    auto updated = m_connections->run(
        QStringLiteral(
            "UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ?") +
            kOneTable + QStringLiteral(" AND metadata_location = ?"),
        {next, expected, m_options.catalogName, name.schema, name.table, expected}, &error);
    if (updated && updated->numRowsAffected() == 1)
        return {};
    if (!updated && isDefinite(error))
        return fail(std::move(updated).error());
    const auto now = load(name);
    if (!updated && now && now->metadataLocation == next)
        return {};
    if (!updated && now && now->metadataLocation == expected)
        return fail(std::move(updated).error());
    if (!updated)
        return fail(commitUnknownError(
            QStringLiteral("committing to %1: %2, and it is not known whether it took effect")
                .arg(name.text(), updated.error().message)));
    const QString found = now ? QStringLiteral("it is now at %1").arg(now->metadataLocation)
                              : QStringLiteral("it is gone");
    return fail(conflictError(QStringLiteral("table %1 was changed by somebody else: %2, not at %3")
                                  .arg(name.text(), found, expected)));
}

Status SqlCatalog::drop(const TableName &name)
{
    IVM_TRY(const auto query,
            m_connections->run(QStringLiteral("DELETE FROM iceberg_tables") + kOneTable,
                               {m_options.catalogName, name.schema, name.table}));
    return query.numRowsAffected() > 0 ? Status() : fail(noTable(name));
}

Status SqlCatalog::rename(const TableName &from, const TableName &to)
{
    IVM_TRY(const auto known, schemas());
    if (!known.contains(to.schema))
        return fail(noSchema(to.schema));
    QSqlError error;
    auto updated = m_connections->run(
        QStringLiteral("UPDATE iceberg_tables SET table_namespace = ?, table_name = ?") + kOneTable,
        {to.schema, to.table, m_options.catalogName, from.schema, from.table}, &error);
    if (!updated && codeOf(error) == kConstraint)
        return fail(alreadyExistsError(QStringLiteral("table %1 is there already").arg(to.text())));
    if (!updated)
        return fail(std::move(updated).error());
    return updated->numRowsAffected() > 0 ? Status() : fail(noTable(from));
}

Result<QStringList> SqlCatalog::schemas()
{
    IVM_TRY(auto query,
            m_connections->run(
                QStringLiteral(
                    "SELECT namespace FROM iceberg_namespace_properties WHERE catalog_name = ? "
                    "UNION SELECT table_namespace FROM iceberg_tables WHERE catalog_name = ? "
                    "ORDER BY 1"),
                {m_options.catalogName, m_options.catalogName}));
    QStringList names;
    while (query.next())
        names.append(query.value(0).toString());
    if (query.lastError().isValid())
        return fail(sqlError(m_options.database, query.lastError()));
    return names;
}

Status SqlCatalog::createSchema(const QString &schema)
{
    IVM_TRY(const auto known, schemas());
    QSqlError error;
    if (!known.contains(schema)) {
        // A schema is there when it has a property; this is the one that other catalogs write.
        auto inserted = m_connections->run(
            QStringLiteral(
                "INSERT INTO iceberg_namespace_properties (catalog_name, namespace, property_key, "
                "property_value) VALUES (?, ?, 'exists', 'true')"),
            {m_options.catalogName, schema}, &error);
        if (inserted)
            return {};
        if (codeOf(error) != kConstraint)
            return fail(std::move(inserted).error());
    }
    return fail(alreadyExistsError(QStringLiteral("schema %1 is there already").arg(schema)));
}

Status SqlCatalog::dropSchema(const QString &schema)
{
    IVM_TRY(
        const auto removed,
        m_connections->run(
            QStringLiteral("DELETE FROM iceberg_namespace_properties WHERE catalog_name = ? AND "
                           "namespace = ? AND NOT EXISTS (SELECT 1 FROM iceberg_tables WHERE "
                           "catalog_name = ? AND table_namespace = ?)"),
            {m_options.catalogName, schema, m_options.catalogName, schema}));
    if (removed.numRowsAffected() > 0)
        return {};
    IVM_TRY(const auto tables, list(schema));
    if (tables.isEmpty())
        return fail(noSchema(schema));
    return fail(
        conflictError(QStringLiteral("schema %1 has %2 tables, %3 among them")
                          .arg(schema, QString::number(tables.size()), tables[0].name.text())));
}

}  // namespace ivm::iceberg
