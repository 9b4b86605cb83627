// What a request proves itself with: a password, or a token from a file that is read again
// whenever it changes.
//
// Threads: belongs to the thread that made it. Lifetime: any; what it needs of the options is
// copied.
#pragma once

#include "plugins/executor_trino/options.h"
#include "plugins/trino_sql/access_token.h"

namespace ivm::trino {

class Credentials {
public:
    explicit Credentials(const TrinoOptions &options);

    // The value of the header Authorization; empty: none is sent. Errors as AccessToken::read().
    Result<QByteArray> authorization();

private:
    QByteArray m_basic;
    AccessToken m_token;
};

}  // namespace ivm::trino
