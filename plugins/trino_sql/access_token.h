// A JSON web token in a file that is read again each time it is asked for: it runs out, and who
// renews it writes the file anew.
//
// Threads: belongs to the thread that made it.
#pragma once

#include "framework/base/result.h"

#include <QByteArray>
#include <QString>

namespace ivm::trino {

class AccessToken {
public:
    // Empty: there is none.
    explicit AccessToken(QString file) : m_file(std::move(file)) {}

    bool isConfigured() const { return !m_file.isEmpty(); }
    // A file that cannot be read for a moment leaves the token before in force. Invalid, naming the
    // file, when there is none.
    Result<QByteArray> read();

private:
    Result<QByteArray> fromFile() const;

    QString m_file;
    QByteArray m_token;    // the last that was read
    bool m_stale = false;  // the file cannot be read any more
};

}  // namespace ivm::trino
