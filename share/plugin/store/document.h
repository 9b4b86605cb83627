// Where the store keeps what it knows. REPLACE THIS with your database.
//
// What stands here is one JSON file, read whole and replaced whole under a lock, so that the
// project works as it is. What the store needs of a database is no more than this: one transaction
// after another, of all threads and processes, whose writes are on the disk when it ends.
//
// Threads: any.
#pragma once

#include "framework/base/result.h"

#include <QJsonObject>

#include <functional>

namespace example_plugin {

class Document {
public:
    explicit Document(QString path) : m_path(std::move(path)) {}

    // Runs `work` on what is there: of one write or the next. Unavailable (not readable), Corrupt;
    // errors of `work`.
    ivm::Status read(const std::function<ivm::Status(const QJsonObject &)> &work) const;
    // The same, alone, and writes what `work` made of it. Unavailable (locked for ten seconds, not
    // writable, disk full), Corrupt; errors of `work`, and then nothing is written.
    ivm::Status write(const std::function<ivm::Status(QJsonObject &)> &work);

private:
    ivm::Result<QJsonObject> load() const;
    ivm::Status save(const QJsonObject &all) const;

    QString m_path;
};

}  // namespace example_plugin
