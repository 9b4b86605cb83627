// SIGINT and SIGTERM as a stop token, so that an interrupted command cancels what runs instead of
// leaving it behind.
//
// Call once, from the main thread, before other threads start. A second signal ends the process at
// once.
#pragma once

#include <stop_token>

namespace ivm::ctl {

std::stop_token stopOnSignals();

}  // namespace ivm::ctl
