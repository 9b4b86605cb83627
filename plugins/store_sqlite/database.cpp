#include "plugins/store_sqlite/database.h"

#include <QDir>
#include <QFileInfo>
#include <QHash>
#include <QSqlError>
#include <QUuid>
#include <QSqlQuery>

#include <atomic>

namespace ivm::sqlite {

namespace {

constexpr int kBusySeconds = 10;

// Result codes of SQLite (sqlite.org/rescode.html), without their extended part.
enum ResultCode {
    Busy = 5,
    Locked = 6,
    ReadOnly = 8,
    IoError = 10,
    Damaged = 11,
    Full = 13,
    CannotOpen = 14,
    NotADatabase = 26
};

// This thread's connections by the id of their Database. The destructor runs when the thread ends.
struct ThreadConnections {
    QHash<quint64, QString> names;

    ~ThreadConnections()
    {
        for (const QString &name : std::as_const(names))
            QSqlDatabase::removeDatabase(name);
    }
};

ThreadConnections &threadConnections()
{
    static thread_local ThreadConnections connections;
    return connections;
}

// Names are the process's, and whoever links this code has a copy of it: a counter would repeat.
QString newConnectionName()
{
    return QStringLiteral("ivm.store.") + QUuid::createUuid().toString(QUuid::WithoutBraces);
}

quint64 newId()
{
    static std::atomic<quint64> last = 0;
    return ++last;
}

QString orOtherPath(QStringView step)
{
    return step + QStringLiteral(", or set state.path in the configuration to another file");
}

}  // namespace

Database::Database(QString path) : m_path(std::move(path)), m_id(newId()) {}

Database::~Database()
{
    const QString name = threadConnections().names.take(m_id);
    if (!name.isEmpty())
        QSqlDatabase::removeDatabase(name);
}

QString Database::about(QStringView what) const
{
    return QStringLiteral("state store %1: %2").arg(m_path, what);
}

Status Database::checkPath() const
{
    const QFileInfo file(m_path);
    if (file.isDir())
        return fail(invalidError(about(u"this is a folder, expected a file"))
                        .withCode(u"state_path")
                        .withHint(QStringLiteral("Set state.path in the configuration to a file")));
    if (!file.dir().exists())
        return fail(
            unavailableError(
                about(QStringLiteral("the folder %1 does not exist").arg(file.absolutePath())))
                .withCode(u"state_folder_missing")
                .withHint(orOtherPath(u"Create it")));
    return {};
}

Result<QSqlDatabase> Database::connection()
{
    auto &names = threadConnections().names;
    if (const auto known = names.constFind(m_id); known != names.constEnd())
        return QSqlDatabase::database(*known, false);
    IVM_CHECK(checkPath());
    const QString name = newConnectionName();
    auto database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
    if (!database.isValid()) {
        database = {};
        QSqlDatabase::removeDatabase(name);
        return fail(unavailableError(about(u"Qt's SQLite driver is not installed"))
                        .withCode(u"state_no_driver")
                        .withHint(u"Install it (Debian: libqt6sql6-sqlite)"));
    }
    database.setDatabaseName(m_path);
    database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=%1").arg(kBusySeconds * 1000));
    if (!database.open()) {
        auto error = explain(database.lastError());
        database = {};
        QSqlDatabase::removeDatabase(name);
        return fail(std::move(error));
    }
    names.insert(m_id, name);
    return database;
}

Result<QSqlQuery> Database::run(const QString &sql, const QVariantList &values)
{
    IVM_TRY(auto database, connection());
    QSqlQuery query(database);
    query.setForwardOnly(true);
    if (!query.prepare(sql))
        return fail(explain(query.lastError()));
    for (qsizetype i = 0; i < values.size(); ++i)
        query.bindValue(int(i), values[i]);
    if (!query.exec())
        return fail(explain(query.lastError()));
    return query;
}

Status Database::write(Durability durability, const std::function<Status()> &work)
{
    IVM_CHECK(run(durability == Durability::PowerLoss
                      ? QStringLiteral("PRAGMA synchronous = FULL")
                      : QStringLiteral("PRAGMA synchronous = NORMAL")));
    return transaction(QStringLiteral("BEGIN IMMEDIATE"), work);
}

Status Database::read(const std::function<Status()> &work)
{
    return transaction(QStringLiteral("BEGIN"), work);
}

Status Database::transaction(const QString &begin, const std::function<Status()> &work)
{
    IVM_CHECK(run(begin));
    Status done = work();
    if (done) {
        if (auto committed = run(QStringLiteral("COMMIT")); committed)
            return {};
        else
            done = fail(std::move(committed).error());
    }
    // Nothing more can be done where even this fails: SQLite rolls back when the connection closes.
    (void)run(QStringLiteral("ROLLBACK"));
    return done;
}

Error Database::explain(const QSqlError &problem) const
{
    const QString text = problem.databaseText();
    switch (problem.nativeErrorCode().toInt() & 0xff) {
    case Busy:
    case Locked:
        return unavailableError(
                   about(QStringLiteral("another process has kept it locked for %1 seconds")
                             .arg(kBusySeconds)))
            .withCode(u"state_locked")
            .withHint(u"Try again, and look for a process that hangs");
    case Full:
        return unavailableError(about(u"the disk is full"))
            .withCode(u"state_disk_full")
            .withHint(orOtherPath(u"Make room"));
    case ReadOnly:
    case CannotOpen:
        return unavailableError(about(QStringLiteral("cannot be opened for writing: %1").arg(text)))
            .withCode(u"state_not_writable")
            .withHint(orOtherPath(u"Let this user write to the file and its folder"));
    case IoError:
        return unavailableError(about(QStringLiteral("cannot be read or written: %1").arg(text)))
            .withCode(u"state_io")
            .withHint(orOtherPath(u"Look at the disk"));
    case NotADatabase:
        return corruptError(about(u"this is not an SQLite database"))
            .withCode(u"state_not_a_database")
            .withHint(u"Is it the right file? If not, set state.path in the configuration to "
                      u"another file");
    case Damaged:
        return corruptError(about(QStringLiteral("the database is damaged: %1").arg(text)))
            .withCode(u"state_corrupt")
            .withHint(u"Move it away and a new one is made; each view is then compared with its "
                      u"query once");
    default: return internalError(about(text.isEmpty() ? problem.driverText() : text));
    }
}

}  // namespace ivm::sqlite
