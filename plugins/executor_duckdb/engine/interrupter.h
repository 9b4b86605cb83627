// Stops what a connection is running when a Call is stopped or past its deadline.
//
// Lives as long as one statement, in the thread that runs it; a thread of its own watches the Call
// meanwhile.
#pragma once

#include "framework/base/call.h"

#include <duckdb.h>

#include <thread>

namespace ivm::duckdb {

class Interrupter {
public:
    Interrupter(duckdb_connection connection, const Call &call);

private:
    std::jthread m_watch;  // none when the Call can neither be stopped nor run late
};

}  // namespace ivm::duckdb
