// Where the store keeps what it knows. REPLACE THIS with your database.
//
// What stands here is one JSON file, read and written whole under a lock, so that the project works
// as it is. What the store needs of a database is no more than this: one transaction after another,
// of all threads and processes, whose writes are on the disk when it ends.
// Threads: any.
#pragma once

#include "framework/base/result.h"

#include <QJsonObject>
#include <QMutex>

#include <functional>

namespace example_plugin {

class Document {
public:
    explicit Document(QString path) : m_path(std::move(path)) {}

    // Runs `work` on what is there, alone. Unavailable (locked, not writable, disk full), Corrupt;
    // errors of `work`, and then nothing is written.
    ivm::Status read(const std::function<ivm::Status(const QJsonObject &)> &work);
    ivm::Status write(const std::function<ivm::Status(QJsonObject &)> &work);

private:
    ivm::Result<QJsonObject> load() const;
    ivm::Status save(const QJsonObject &all) const;
    ivm::Status locked(const std::function<ivm::Status()> &work);

    QString m_path;
    QMutex m_mutex;
};

}  // namespace example_plugin
