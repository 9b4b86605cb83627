// One SQLite file, as the store uses it: a connection for each thread, errors in the product's
// words, transactions.
//
// Threads: any; each thread gets a connection of its own (a rule of QSqlDatabase), closed when the
// thread ends. Lifetime: connections of other threads outlive the Database until those threads end.
#pragma once

#include "framework/base/result.h"

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QVariantList>

#include <functional>

namespace ivm::sqlite {

// What a transaction must outlive. Both outlive a crash of any process.
enum class Durability {
    PowerLoss,  // the disk has it when write() returns
    Crash,      // a power loss may undo it, and costs nothing then
};

class Database {
public:
    explicit Database(QString path);
    ~Database();
    Database(const Database &) = delete;
    Database &operator=(const Database &) = delete;

    const QString &path() const { return m_path; }

    // Runs one statement. Unavailable (locked, full, not writable, missing folder), Corrupt,
    // Invalid, Internal.
    Result<QSqlQuery> run(const QString &sql, const QVariantList &values = {});
    // Runs `work`, all of whose reads see one state. Errors as run(), and those of `work`.
    Status read(const std::function<Status()> &work);
    // Runs `work` between BEGIN IMMEDIATE and COMMIT; rolls back when it fails. Errors as run(),
    // and those of `work`.
    Status write(Durability durability, const std::function<Status()> &work);

    // "state store /a/state.db: <what>", the beginning of every message about this file.
    QString about(QStringView what) const;

private:
    Status transaction(const QString &begin, const std::function<Status()> &work);
    Result<QSqlDatabase> connection();
    Status checkPath() const;
    Error explain(const QSqlError &problem) const;

    QString m_path;
    quint64 m_id;
};

}  // namespace ivm::sqlite
