// A folder for files that are being made, removed at the end of its life with all that is still in
// it.
//
// One thread.
#pragma once

#include "framework/base/result.h"

namespace ivm::duckdb {

class Staging {
public:
    // A new folder inside `dataFolder`, which is made when missing. Unavailable, naming the folder.
    static Result<Staging> make(const QString &dataFolder);
    ~Staging();
    Staging(Staging &&other) noexcept : m_path(std::exchange(other.m_path, {})) {}
    Staging &operator=(Staging &&) = delete;

    const QString &path() const { return m_path; }

    // Forces the file to disk and gives it its final name. Unavailable, naming the file.
    Status moveOut(const QString &file, const QString &destination) const;
    // Forces the names in a folder to disk.
    static Status sync(const QString &folder);

private:
    explicit Staging(QString path) : m_path(std::move(path)) {}

    QString m_path;
};

}  // namespace ivm::duckdb
