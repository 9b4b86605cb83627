// What a session trusts and who it says it is, from PEM files.
//
// Reads files; any thread.
#pragma once

#include "plugins/executor_trino/options.h"

#include <QSslConfiguration>

namespace ivm::trino {

// Peers are verified in any case. Invalid, naming the option and the file: it cannot be read, or
// holds no certificate or no key that its password opens.
Result<QSslConfiguration> tlsConfiguration(const TlsFiles &files);

}  // namespace ivm::trino
