// Files by location. Behind it is the local file system (`file:`); object stores come later under
// other schemes.
//
// Threads: any thread. Lifetime: outlives everything it is given to.
// Locations are taken literally, without percent-decoding, as Trino and PyIceberg do.
#pragma once

#include "framework/base/location.h"

#include <QByteArray>
#include <QString>

namespace ivm::iceberg {

class FileIO {
public:
    virtual ~FileIO() = default;

    // Every method: Unsupported, naming the scheme, for a location whose scheme is not handled;
    // Unavailable, naming the file and what the system said (permission denied, disk full).

    // NotFound.
    virtual Result<QByteArray> readAll(const QString &location) = 0;
    // Makes the file with all its bytes, on disk when this returns, or not at all; folders on the
    // way are made too. AlreadyExists: a file there is never overwritten.
    virtual Status create(const QString &location, const QByteArray &bytes) = 0;
    // A file that is not there is fine.
    virtual Status remove(const QString &location) = 0;
    virtual Result<bool> exists(const QString &location) = 0;
    // NotFound.
    virtual Result<qint64> size(const QString &location) = 0;
};

// For file:/x, file:///x and plain absolute paths.
class LocalFileIO final : public FileIO {
public:
    Result<QByteArray> readAll(const QString &location) override;
    Status create(const QString &location, const QByteArray &bytes) override;
    Status remove(const QString &location) override;
    Result<bool> exists(const QString &location) override;
    Result<qint64> size(const QString &location) override;
};

}  // namespace ivm::iceberg
