#include "cli/ivmctl/stop_signals.h"

#include <thread>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

namespace ivm::ctl {

std::stop_token stopOnSignals()
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    // Never freed: the thread waits until the process ends.
    auto *source = new std::stop_source;
    std::thread([signals, source] {
        int number = 0;
        sigwait(&signals, &number);
        source->request_stop();
        sigwait(&signals, &number);
        _exit(128 + number);
    }).detach();
    return source->get_token();
}

}  // namespace ivm::ctl
