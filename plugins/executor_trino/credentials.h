// What a request proves itself with: a password, or a token from a file that is read again
// whenever it changes.
//
// Threads: belongs to the thread that made it. Lifetime: any; what it needs of the options is
// copied.
#pragma once

#include "plugins/executor_trino/options.h"

namespace ivm::trino {

class Credentials {
public:
    explicit Credentials(const TrinoOptions &options);

    // The value of the header Authorization; empty: none is sent. A token file that cannot be read
    // for a moment leaves the token before in force. Invalid, naming the file, when there is none.
    Result<QByteArray> authorization();

private:
    Result<QByteArray> readToken() const;

    QByteArray m_basic;
    QString m_tokenFile;
    QByteArray m_token;    // the last that was read
    bool m_stale = false;  // the file cannot be read any more
};

}  // namespace ivm::trino
